//! Variants with numbers of their own.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent = 1,
    #[stat(counter)]
    Received,
    #[stat(counter)]
    Lost = 1 << 4,
}

fn main() {}
