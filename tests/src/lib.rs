//! Modules of another crate, as most programs have them.
#![forbid(unsafe_code)]

use std::cell::{Cell, RefCell};

/// A module with one global of each storage.
#[tsrm::module]
pub mod remote {
    use super::*;

    /// Static storage.
    #[global]
    pub static COUNT: Cell<u64> = const { Cell::new(0) };

    /// Cached storage.
    #[global]
    pub static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::with_capacity(4));
}
