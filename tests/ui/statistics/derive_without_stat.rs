//! Variants without `#[stat(…)]`.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    /// Bytes sent.
    BytesSent,
    #[stat(gauge)]
    Open,
    r#Type,
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| client::CLIENT.inc(here, Client::BytesSent));
}
