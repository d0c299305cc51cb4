//! ATTACK: a thread's part of the set, put into a variable outside of the attach.
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
    let mut outside = None;
    tsrm.attach(|here| outside = Some(CLIENT.local(here)));
    if let Some(local) = outside {
        local.inc(Client::Sent);
    }
}
