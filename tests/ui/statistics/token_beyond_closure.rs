//! ATTACK: counting with a token from an earlier attach.
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
    let mut kept = None;
    tsrm.attach(|here| kept = Some(here));
    CLIENT.inc(kept.unwrap(), Client::Sent);
}
