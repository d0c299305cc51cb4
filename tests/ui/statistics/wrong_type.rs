//! Types that do not say which enum it is.
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
    pub static CLIENT: Client;

    #[statistics]
    pub static PATH: super::Client;

    #[statistics]
    pub static BARE: Statistics;

    #[statistics]
    pub static TWO: Statistics<Client, u64>;

    #[statistics]
    pub static LIFETIME: Statistics<'static, Client>;

    #[statistics]
    pub static OTHER: Counters<Client>;

    #[statistics]
    pub static REFERENCE: Statistics<&'static Client>;

    #[statistics]
    pub static TUPLE: (Client, Client);
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent));
}
