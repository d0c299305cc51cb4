//! A guard of a gauge that is dropped at once.
#![forbid(unsafe_code)]
#![deny(unused_must_use)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent,
    #[stat(gauge)]
    Open,
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        client::CLIENT.open(here, Client::Open);
    });
}
