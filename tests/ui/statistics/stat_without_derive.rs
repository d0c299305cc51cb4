//! `#[stat(…)]` on an enum that does not derive.
#![forbid(unsafe_code)]

#[stat(switch)]
pub enum Client {
    #[stat(counter)]
    Sent,
}

fn main() {}
