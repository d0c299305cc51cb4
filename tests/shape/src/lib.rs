//! Globals for the code-shape tests, in another crate than the code that uses them; and what
//! somebody would write by hand instead.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;

/// A structure with a counter somewhere in it, as engines have.
#[derive(Debug)]
pub struct Engine {
    /// Not at offset 0 only.
    pub flags: Cell<u64>,
    /// The counter.
    pub count: Cell<u64>,
}

impl Engine {
    /// All zero.
    #[allow(clippy::new_without_default, reason = "const")]
    pub const fn new() -> Self {
        Self { flags: Cell::new(0), count: Cell::new(0) }
    }
}

/// The module under test.
#[tsrm::module]
pub mod shape {
    use super::*;

    /// Static storage.
    #[global]
    pub static STATIC: Engine = const { Engine::new() };

    /// Cached storage.
    #[global]
    pub static CACHED: Engine = Engine::new();

    /// One for all threads.
    #[shared]
    pub static SHARED: (u64, AtomicU64) = (0, AtomicU64::new(0));
}

/// What a single-threaded program would write by hand.
#[derive(Debug)]
pub struct ByHand(pub Engine);

// SAFETY: used by one thread of one test program.
unsafe impl Sync for ByHand {}

/// A plain static.
pub static BY_HAND: ByHand = ByHand(Engine::new());
