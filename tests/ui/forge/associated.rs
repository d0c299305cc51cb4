//! ATTACK: an attribute that removes the macro's own descriptor, so that another global's is used.
#![forbid(unsafe_code)]

use std::sync::atomic::AtomicUsize;

use tsrm::private::{Declaration, GlobalDescriptor, declare_static};

#[tsrm::module]
mod executor {
    use super::AtomicUsize;

    #[global]
    pub static NUMBER: AtomicUsize = const { AtomicUsize::new(0x1234_5678) };
}

struct Marker;

const INITIAL: &str = "";

declare_static!(Marker, "m", "x", &'static str, INITIAL, {
    type Value = &'static str;
    fn descriptor() -> &'static GlobalDescriptor {
        <executor::__TsrmMarker_NUMBER as Declaration>::descriptor()
    }
    #[cfg(any())]
});

fn main() {}
