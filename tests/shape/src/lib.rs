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

/// Statistics under test.
#[tsrm::module]
pub mod counted {
    /// Counters and a peak, not at offset 0 only.
    #[derive(Clone, Copy, Debug, tsrm::Statistics)]
    pub enum Client {
        /// Queries.
        #[stat(counter)]
        Queries,
        /// Rows.
        #[stat(counter, unit = "rows")]
        Rows,
        /// Connections.
        #[stat(gauge)]
        Connections,
        /// The largest result.
        #[stat(peak)]
        Largest,
        /// Times.
        #[stat(histogram, max = 1_000)]
        Times,
    }

    /// Can be switched.
    #[derive(Clone, Copy, Debug, tsrm::Statistics)]
    #[stat(switch)]
    pub enum Switched {
        /// Queries.
        #[stat(counter)]
        Queries,
        /// Rows.
        #[stat(counter)]
        Rows,
    }

    /// Is not there.
    #[derive(Clone, Copy, Debug, tsrm::Statistics)]
    #[stat(off)]
    pub enum Off {
        /// Queries.
        #[stat(counter)]
        Queries,
        /// Connections.
        #[stat(gauge)]
        Connections,
        /// Times.
        #[stat(histogram, max = 1_000)]
        Times,
    }

    /// Always counts.
    #[statistics]
    pub static CLIENT: Statistics<Client>;
    /// Counts at times.
    #[statistics]
    pub static SWITCHED: Statistics<Switched>;
    /// Never counts.
    #[statistics]
    pub static OFF: Statistics<Off>;
}

/// Statistics as they would be written by hand.
#[derive(Debug)]
pub struct CountedByHand(pub [Cell<u64>; 8]);

// SAFETY: used by one thread of one test program.
unsafe impl Sync for CountedByHand {}

/// A plain array.
pub static COUNTED_BY_HAND: CountedByHand = CountedByHand([const { Cell::new(0) }; 8]);

/// What a single-threaded program would write by hand.
#[derive(Debug)]
pub struct ByHand(pub Engine);

// SAFETY: used by one thread of one test program.
unsafe impl Sync for ByHand {}

/// A plain static.
pub static BY_HAND: ByHand = ByHand(Engine::new());
