//! What the words are made of: the real atomics, no patience, and a clock that a thread may set for itself.

use std::cell::Cell;
use std::time::{self, Duration};

pub(crate) use std::hint::spin_loop as pause;
pub(crate) use std::sync::atomic::{AtomicU32, Ordering, fence};
pub(crate) use std::thread::yield_now;

/// Who has to wait sleeps at once.
pub(crate) const PAUSES: u32 = 0;
pub(crate) const YIELDS: u32 = 0;

/// On the calling thread's clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(time::Instant);

thread_local! {
    /// How far this thread's clock is ahead.
    static AHEAD: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

impl Instant {
    pub(crate) fn now() -> Self {
        Self(time::Instant::now() + AHEAD.get())
    }

    pub(crate) fn after(duration: Duration) -> Self {
        Self(Self::now().0 + duration)
    }

    /// When that is.
    pub(crate) fn on_everybodys_clock(self) -> time::Instant {
        self.0 - AHEAD.get()
    }
}

/// Sets the clock of this thread ahead.
pub(crate) fn time_passes(duration: Duration) {
    AHEAD.set(AHEAD.get() + duration);
}

macro_rules! constructor {
    (impl $type:ident { $(#[$attribute:meta])* $visible:vis fn $name:ident() -> Self { $value:expr } }) => {
        impl $type {
            $(#[$attribute])*
            $visible fn $name() -> Self {
                $value
            }
        }
    };
}
pub(crate) use constructor;
