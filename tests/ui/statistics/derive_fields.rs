//! Variants with fields.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent(u64),
    #[stat(counter)]
    Received { bytes: u64 },
    #[stat(counter)]
    Empty(),
    #[stat(counter)]
    AlsoEmpty {},
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent(1)));
}
