//! Several mistakes in one enum, and none in what uses it.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
#[stat(swich)]
pub enum Client {
    #[stat(counter, unit = "Bytes", colour = "red")]
    Sent,
    Received,
    #[stat(gauge, max = 0)]
    Open(u64),
    #[stat(histogram, name = "time_sum")]
    Time,
}

#[tsrm::module]
mod client {
    use super::Client;

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

#[tsrm::main(client)]
fn main(tsrm: tsrm::Runtime) {
    client::CLIENT.set_enabled(true);
    tsrm.attach(|here| {
        client::CLIENT.inc(here, Client::Sent);
        drop(client::CLIENT.open(here, Client::Open(1)));
        client::CLIENT.record(here, Client::Time, 12);
    });
}
