//! A crate that is a shared object, with this program's only copy of the runtime in it.
#![forbid(unsafe_code)]

use std::sync::atomic::AtomicUsize;

/// A module in the shared object.
#[tsrm::module]
pub mod engine {
    use super::*;

    /// A number.
    #[global]
    pub static NUMBER: AtomicUsize = const { AtomicUsize::new(0x4141) };
}

/// A module that nobody lists.
#[tsrm::module]
pub mod unlisted {
    use super::*;

    /// How many values were dropped.
    pub static DROPS: AtomicUsize = AtomicUsize::new(0);

    /// Counts its drop.
    pub struct Counted;

    impl Drop for Counted {
        fn drop(&mut self) {
            DROPS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }

    /// Static storage, so never checked.
    #[global]
    pub static VALUE: Counted = const { Counted };
}
