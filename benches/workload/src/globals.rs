//! The struct whose field the access rows increment, in both storages.

use std::cell::Cell;

/// As an engine would have it: a struct of several fields, of which one is touched.
#[derive(Debug, Default)]
pub struct ExecutorGlobals {
    /// Not touched; puts `depth` at an offset other than 0.
    pub precision: Cell<i64>,
    /// What the access rows increment.
    pub depth: Cell<u64>,
}

impl ExecutorGlobals {
    /// With its initial values.
    pub const fn new() -> Self {
        Self { precision: Cell::new(14), depth: Cell::new(0) }
    }

    /// The measured operation: one load, one store.
    #[inline(always)]
    pub fn increment(&self) {
        self.depth.set(self.depth.get().wrapping_add(1));
    }
}

/// The measured globals.
#[tsrm::module]
pub mod executor {
    use super::ExecutorGlobals;

    /// In static storage.
    #[global]
    pub static EG: ExecutorGlobals = const { ExecutorGlobals::new() };

    /// In cached storage.
    #[global]
    pub static CACHED_EG: ExecutorGlobals = ExecutorGlobals::new();
}
