//! The set of an object, counted together with a set of another enum.
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

use tsrm::stats::{OwnedStatistics, SharedStatistics};

#[tsrm::main(both)]
fn main(tsrm: tsrm::Runtime) {
    let owned = OwnedStatistics::<Client>::new();
    let shared = SharedStatistics::<Client>::new();
    tsrm.attach(|here| {
        owned.inc(here, &both::SERVER, Client::Sent);
        shared.inc(here, &both::SERVER, Client::Sent);
    });
}
