//! Types that are no enum of statistics.
#![forbid(unsafe_code)]

#[derive(Debug)]
pub enum Client {
    Sent,
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;

    #[statistics]
    pub static NUMBER: Statistics<u64>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent));
}
