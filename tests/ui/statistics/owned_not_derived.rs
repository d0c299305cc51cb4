//! The set of an object, of what is no enum of statistics.
#![forbid(unsafe_code)]

use tsrm::stats::{OwnedStatistics, SharedStatistics};

pub enum Client {
    Sent,
}

pub struct Connection {
    pub stats: OwnedStatistics<Client>,
}

fn main() {
    let _shared = SharedStatistics::<Client>::new();
    let _sent = Client::Sent;
}
