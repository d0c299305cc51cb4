//! ATTACK: paths of the expansion that lead to look-alikes. No `unsafe` of the expansion vouches for
//! them, so what they bring is either not used or the user's own safe code.
#![deny(warnings)]
#![forbid(unsafe_code)]

// Whatever the expansion wants of `::std` is not here.
extern crate tsrm as std;

mod fake {
    pub(crate) use tsrm::*;

    pub(crate) mod private {
        pub(crate) use tsrm::private::*;

        #[allow(unused_macros, reason = "what the attack hopes for")]
        macro_rules! forged {
            ($value:ty) => {
                fn __tsrm_slot() -> *const $value {
                    core::ptr::without_provenance(16)
                }
                fn __tsrm_fill(_: *const $value) {}
            };
            ($value:ty, $initial:path) => {
                fn slot() -> *const $value {
                    core::ptr::without_provenance(16)
                }
            };
        }
        #[allow(unused_macros, reason = "what the attack hopes for")]
        macro_rules! slot_only {
            ($($anything:tt)*) => {
                fn __tsrm_slot() {}
            };
        }
        #[allow(unused_imports, reason = "what the attack hopes for")]
        pub(crate) use slot_only as shared_slot;
        #[allow(unused_imports, reason = "what the attack hopes for")]
        pub(crate) use {forged as cached_slot, forged as static_slot};
    }
}

#[tsrm::module(crate = crate::fake)]
mod executor {
    #[global]
    pub static STATIC: u64 = const { 7 };
    #[global]
    pub static CACHED: u64 = 8;
    #[shared]
    pub static SHARED: u64 = 9;
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*executor::STATIC.get(here), 7);
        assert_eq!(*executor::CACHED.get(here), 8);
        assert_eq!(*executor::SHARED.get(here), 9);
    });
}
