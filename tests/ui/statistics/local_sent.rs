//! ATTACK: a thread's part of the set on another thread.
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

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let local = CLIENT.local(here);
        std::thread::scope(|scope| {
            scope.spawn(move || local.inc(Client::Sent));
        });
        std::thread::scope(|scope| {
            scope.spawn(|| CLIENT.inc(here, Client::Sent));
        });
    });
}
