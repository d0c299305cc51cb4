//! Names of `static`s that cannot be exported.
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
    pub static GRÖSSE: Statistics<Client>;

    #[statistics]
    pub static CLIENT__SIDE: Statistics<Client>;

    #[statistics]
    pub static _CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::_CLIENT.inc(here, Client::Sent));
}
