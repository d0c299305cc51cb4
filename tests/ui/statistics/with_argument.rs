//! `#[statistics]` takes no arguments.
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

    #[statistics(switch)]
    pub static CLIENT: Statistics<Client>;

    #[statistics()]
    pub static EMPTY: Statistics<Client>;

    #[statistics = "client"]
    pub static TEXT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent));
}
