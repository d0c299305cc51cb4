//! `#[statistics]` beside another attribute, and twice.
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
    #[tsrm::statistics]
    pub static TWICE: Statistics<Client>;

    #[statistics]
    #[shared(lazy)]
    pub static SHARED: Statistics<Client>;

    #[global]
    #[statistics]
    pub static GLOBAL: u64 = 0;

    #[statistics]
    #[module_startup]
    pub static STARTED: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::TWICE.inc(here, Client::Sent));
}
