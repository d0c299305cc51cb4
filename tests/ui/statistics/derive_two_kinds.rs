//! Statistics of two kinds.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter, gauge)]
    Sent,
    #[stat(peak, unit = "bytes")]
    #[stat(histogram, counter)]
    Received,
}

fn main() {}
