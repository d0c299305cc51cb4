//! Units that are none.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter, unit = "Bytes")]
    Upper,
    #[stat(counter, unit = "kilo bytes")]
    Space,
    #[stat(counter, unit = "")]
    Empty,
    #[stat(counter, unit = "%")]
    Percent,
    #[stat(counter, unit = "µs")]
    Greek,
    #[stat(counter, unit = bytes)]
    Word,
    #[stat(counter, unit = 8)]
    Number,
    #[stat(counter, unit = b"bytes")]
    ByteString,
    #[stat(counter, unit = concat!("by", "tes"))]
    Macro,
}

fn main() {}
