//! Names that are none.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter, name = "BytesSent")]
    Camel,
    #[stat(counter, name = "bytes-sent")]
    Dash,
    #[stat(counter, name = "bytes__sent")]
    Underscores,
    #[stat(counter, name = "_sent")]
    Before,
    #[stat(counter, name = "sent_")]
    Behind,
    #[stat(counter, name = "2_sent")]
    Digit,
    #[stat(counter, name = "")]
    Empty,
    #[stat(counter, name = "größe")]
    Letters,
    #[stat(counter, name = sent)]
    Word,
    #[stat(counter)]
    Größe,
    #[stat(counter)]
    Bytes__Sent,
    #[stat(counter)]
    _Hidden,
}

fn main() {}
