//! Statistics that are no `static`s.
#![forbid(unsafe_code)]

#[tsrm::module]
mod client {
    #[statistics]
    pub fn sent() -> u64 {
        0
    }

    #[tsrm::statistics]
    pub const SENT: u64 = 0;

    #[statistics]
    pub enum Client {
        Sent,
    }
}

fn main() {
    client::sent();
    let _ = client::Client::Sent;
}
