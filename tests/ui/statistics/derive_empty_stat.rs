//! `#[stat]` with nothing inside.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
#[stat()]
pub enum Client {
    #[stat]
    Sent,
    #[stat()]
    Received,
    #[stat = "counter"]
    Lost,
    #[stat(,)]
    Found,
}

fn main() {}
