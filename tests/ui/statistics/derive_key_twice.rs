//! Keys that are there twice.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
#[stat(switch, switch)]
#[stat(off)]
#[stat(off)]
pub enum Client {
    #[stat(counter, counter)]
    Sent,
    #[stat(counter, unit = "bytes")]
    #[stat(unit = "rows")]
    Received,
    #[stat(histogram, max = 1, max = 2, name = "a", name = "b")]
    Lost,
}

fn main() {}
