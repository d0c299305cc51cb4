//! What the tests share: modules that they reach from another crate, as most programs do, and a
//! ledger of what was built and dropped.
#![forbid(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Counts the values that were built and dropped.
#[derive(Debug)]
pub struct Ledger {
    built: AtomicUsize,
    dropped: AtomicUsize,
}

impl Ledger {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "const")]
    pub const fn new() -> Self {
        Self { built: AtomicUsize::new(0), dropped: AtomicUsize::new(0) }
    }

    /// How many values were built.
    pub fn built(&self) -> usize {
        self.built.load(Ordering::SeqCst)
    }

    /// How many were dropped.
    pub fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }

    /// Both.
    pub fn both(&self) -> (usize, usize) {
        (self.built(), self.dropped())
    }
}

/// A value that stands in a ledger.
#[derive(Debug)]
pub struct Tracked {
    ledger: &'static Ledger,
    /// Something to look at; odd values would show memory that was reused.
    pub cell: Cell<u64>,
}

impl Tracked {
    /// Counted as built.
    pub fn new(ledger: &'static Ledger) -> Self {
        ledger.built.fetch_add(1, Ordering::SeqCst);
        Self::uncounted(ledger)
    }

    /// For static storage, whose values are never built: only the drop counts.
    pub const fn uncounted(ledger: &'static Ledger) -> Self {
        Self { ledger, cell: Cell::new(0) }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.ledger.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
