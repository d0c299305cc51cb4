//! A `max` that is no histogram's, or is none.
#![forbid(unsafe_code)]

const MINUTE: u64 = 60_000_000;

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter, max = 10)]
    Sent,
    #[stat(max = 10, gauge)]
    Open,
    #[stat(peak, max = 10)]
    Largest,
    #[stat(histogram, max = 0)]
    Zero,
    #[stat(histogram, max = -1)]
    Negative,
    #[stat(histogram, max = "10")]
    Text,
    #[stat(histogram, max = 1e6)]
    Fraction,
    #[stat(histogram, max = 10u32)]
    OfOtherType,
    #[stat(histogram, max = 18_446_744_073_709_551_616)]
    TooGreat,
    #[stat(histogram, max = MINUTE)]
    Constant,
    #[stat(histogram, max = 60 * 1_000_000)]
    Product,
}

fn main() {
    println!("{MINUTE}");
}
