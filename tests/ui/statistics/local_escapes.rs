//! ATTACK: a thread's part of the set, and the token in it, beyond the attach.
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
    let local = tsrm.attach(|here| CLIENT.local(here));
    local.inc(Client::Sent);
}
