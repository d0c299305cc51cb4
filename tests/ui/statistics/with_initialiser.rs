//! Statistics with an initial value.
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
    pub static CLIENT: Statistics<Client> = Statistics::new();

    #[tsrm::statistics]
    pub static OTHER: Statistics<Client> = const { tsrm::Statistics::new() };
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent));
}
