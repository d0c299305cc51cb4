//! ATTACK: the set of one object, used by two threads at once.
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
}

use client::CLIENT;
use tsrm::stats::OwnedStatistics;

static IN_A_STATIC: OwnedStatistics<Client> = OwnedStatistics::new();

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    let owned = OwnedStatistics::new();
    std::thread::scope(|scope| {
        scope.spawn(|| tsrm.attach(|here| owned.inc(here, &CLIENT, Client::Sent)));
        tsrm.attach(|here| owned.inc(here, &CLIENT, Client::Sent));
    });
    tsrm.attach(|here| IN_A_STATIC.inc(here, &CLIENT, Client::Sent));
}
