//! Statistics that are called as what the macro adds.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent,
    #[stat(gauge)]
    Open,
}

#[tsrm::module]
mod client {
    #[statistics]
    pub static MODULE: Statistics<super::Client>;
}

#[tsrm::main(client)]
fn main(_tsrm: tsrm::Runtime) {}
