//! Statistics in a plain module inside the module.
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
    mod inner {
        #[statistics]
        pub static CLIENT: Statistics<super::super::Client>;
    }

    #[allow(unused_imports)]
    use inner::CLIENT;
}

fn main() {}
