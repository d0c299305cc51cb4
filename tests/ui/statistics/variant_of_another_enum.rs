//! Counting in a set what another one counts.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent,
    #[stat(gauge)]
    Open,
}

#[derive(tsrm::Statistics)]
pub enum Server {
    #[stat(counter)]
    Received,
}

#[tsrm::module]
mod both {
    use super::{Client, Server};

    #[statistics]
    pub static CLIENT: Statistics<Client>;

    #[statistics]
    pub static SERVER: Statistics<Server>;
}

#[tsrm::main(both)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        both::CLIENT.inc(here, Server::Received);
        let _guard: tsrm::stats::GaugeGuard<Server> = both::CLIENT.open(here, Client::Open);
        both::CLIENT.inc(here, 0);
    });
}
