//! ATTACK: counting without the token.
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

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    client::CLIENT.inc(Client::Sent);
    client::CLIENT.inc(tsrm, Client::Sent);
    let _local = client::CLIENT.local();
}
