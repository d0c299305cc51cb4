//! Statistics of one name, also in another case, and beside another value.
#![forbid(unsafe_code)]

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

    #[statistics]
    pub static CLIENT: Statistics<Client>;

    #[statistics]
    pub static OTHER: Statistics<Client>;

    #[statistics]
    pub static Other: Statistics<Client>;

    #[global]
    pub static OTHER: u64 = 0;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::Other.inc(here, Client::Sent));
}
