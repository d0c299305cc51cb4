//! Statistics of no kind.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(unit = "bytes")]
    Sent,
    #[stat(max = 10)]
    #[stat(name = "received_rows")]
    Received,
}

fn main() {}
