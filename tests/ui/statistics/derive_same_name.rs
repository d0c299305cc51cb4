//! Statistics that are called the same.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    BytesSent,
    #[stat(counter, name = "bytes_sent")]
    Sent,
    #[stat(gauge)]
    Open,
    #[stat(counter)]
    HTTPRequests,
    #[stat(gauge, unit = "bytes")]
    HttpRequests,
    #[stat(counter, name = "bytes_sent")]
    AlsoSent,
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent));
}
