//! Keys without their values, with values that they do not have, and without commas.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
#[stat(switch = true, off(), crate = "tsrm")]
pub enum Client {
    #[stat(counter unit = "bytes")]
    Sent,
    #[stat(counter, unit = "bytes" name = "received")]
    Received,
    #[stat(counter, unit)]
    Lost,
    #[stat(counter, name =)]
    Found,
    #[stat(gauge = true)]
    Open,
    #[stat(peak(bytes))]
    Largest,
    #[stat(counter, unit("bytes"))]
    Wide,
    #[stat(counter,, unit = "bytes")]
    Twice,
    #[stat(histogram, max)]
    Time,
}

#[derive(tsrm::Statistics)]
#[stat(crate)]
pub enum Server {}

fn main() {}
