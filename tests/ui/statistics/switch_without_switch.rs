//! Switching a set that cannot be switched.
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
fn main(_tsrm: tsrm::Runtime) {
    client::CLIENT.set_enabled(false);
    println!("{}", client::CLIENT.is_enabled());
}
