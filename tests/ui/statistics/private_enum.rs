//! Public statistics of a private enum.
#![forbid(unsafe_code)]

#[tsrm::module]
pub mod client {
    #[statistics]
    pub static CLIENT: Statistics<Client>;

    #[derive(tsrm::Statistics)]
    enum Client {
        #[stat(counter)]
        Sent,
    }
}

#[tsrm::main(client)]
fn main(_tsrm: tsrm::Runtime) {}
