//! Statistics outside of a module.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent,
    #[stat(gauge)]
    Open,
}

#[statistics]
static CLIENT: tsrm::Statistics<Client>;

fn main() {}
