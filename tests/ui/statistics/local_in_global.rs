//! ATTACK: a thread's part of the set, kept for a later attach.
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
    use std::cell::Cell;

    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;

    pub type Local<'t> = tsrm::stats::Local<'t, __TsrmMarker_CLIENT>;

    #[global]
    pub static KEPT: Cell<Option<Local<'static>>> = const { Cell::new(None) };
}

use client::{CLIENT, KEPT};

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| KEPT.get(here).set(Some(CLIENT.local(here))));
}
