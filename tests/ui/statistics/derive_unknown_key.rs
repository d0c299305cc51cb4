//! Keys that there are not, or that go elsewhere.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
#[stat(switched, counter, unit = "bytes")]
pub enum Client {
    #[stat(conter)]
    Sent,
    #[stat(counter, units = "bytes", help = "Received.", switch)]
    Received,
    #[stat("counter")]
    Lost,
    #[stat(counter, off, crate = tsrm)]
    Found,
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    client::CLIENT.set_enabled(false);
    tsrm.attach(|here| client::CLIENT.inc(here, Client::Sent));
}
