//! A struct and a union in the place of an enum.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
#[stat(switch)]
pub struct Client {
    pub bytes_sent: u64,
}

#[derive(tsrm::Statistics)]
pub union Either {
    sent: u64,
    received: u64,
}

fn main() {}
