//! ATTACK: an attribute that removes the macro's own descriptor, so that another shared value's is
//! used.
#![forbid(unsafe_code)]

use tsrm::private::{SharedDeclaration, SharedDescriptor, declare_shared};

#[tsrm::module]
mod executor {
    #[shared]
    pub static NUMBER: usize = 0x1234_5678;
}

struct Marker;

fn initial() -> &'static str {
    ""
}

declare_shared!(Marker, "m", "x", &'static str, initial, false, {
    type Value = &'static str;
    fn descriptor() -> &'static SharedDescriptor {
        <executor::__TsrmMarker_NUMBER as SharedDeclaration>::descriptor()
    }
    #[cfg(any())]
});

fn main() {}
