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

/// A module with statistics, in the shared object.
#[tsrm::module]
pub mod traffic {
    /// What is counted, here and in the program.
    #[derive(tsrm::Statistics)]
    pub enum Traffic {
        /// Bytes.
        #[stat(counter)]
        Bytes,
        /// Connections.
        #[stat(gauge)]
        Open,
    }

    /// The shared object's.
    #[statistics]
    pub static TRAFFIC: tsrm::Statistics<Traffic>;

    /// Counts from inside the shared object.
    pub fn count(here: tsrm::Attached<'_>, bytes: u64) {
        TRAFFIC.add(here, Traffic::Bytes, bytes);
    }
}

/// What a library has that is loaded later.
pub struct Library {
    /// Its module.
    pub module: fn() -> tsrm::Module,
    /// Counts an event.
    pub count: fn(tsrm::Attached<'_>),
    /// How many there were.
    pub events: fn() -> u64,
    /// The same, by registered thread.
    pub own_events: fn() -> Vec<u64>,
}
