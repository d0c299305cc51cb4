//! What is told of locks: counts of what they do, and who holds and awaits them, each behind a feature. The
//! functions are always there; without its feature one does nothing, and nothing is left of its calls.

mod deadlock;
mod statistics;

use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::ptr;
use std::time::{Duration, Instant};

use deadlock::{Deadlock, Recorded};
pub(crate) use deadlock::{after_fork, before_fork};
pub use statistics::locks;
use statistics::locks::{LOCKS, Locks};

use crate::mode::DEADLOCK_DETECTION;
use crate::stats;
use crate::token::Attached;

/// Whether locks are counted.
const IS_COUNTED: bool = stats::is_on::<Locks>();

/// How a lock is held, or wanted.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Shared,
    Update,
    Exclusive,
}

impl Mode {
    /// Whether who wants the first has to wait for who has the second.
    fn conflicts_with(self, held: Self) -> bool {
        match (self, held) {
            (Self::Shared, held) => held == Self::Exclusive,
            (Self::Update, held) => held != Self::Shared,
            (Self::Exclusive, _) => true,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Update => "for update",
            Self::Exclusive => "exclusively",
        })
    }
}

/// As what an acquisition is counted.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Acquisition {
    Mutex,
    Shared,
    Update,
    Exclusive,
}

impl Acquisition {
    const fn statistic(self) -> Locks {
        match self {
            Self::Mutex => Locks::MutexAcquisitions,
            Self::Shared => Locks::SharedAcquisitions,
            Self::Update => Locks::UpdateAcquisitions,
            Self::Exclusive => Locks::ExclusiveAcquisitions,
        }
    }
}

/// A lock that is held or wanted, and where in the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    lock: usize,
    mode: Mode,
    place: &'static Location<'static>,
}

impl Held {
    /// For the caller.
    #[inline]
    #[track_caller]
    pub(super) fn new(lock: usize, mode: Mode) -> Self {
        Self { lock, mode, place: Location::caller() }
    }
}

/// The state of a lock that is known by its address as long as it lives.
pub(super) struct Watched<S>(S);

impl<S> Watched<S> {
    pub(super) const fn new(state: S) -> Self {
        Self(state)
    }

    /// By which it is known.
    #[inline]
    pub(super) fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }
}

impl<S> Deref for Watched<S> {
    type Target = S;

    #[inline(always)]
    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> Drop for Watched<S> {
    #[inline]
    fn drop(&mut self) {
        if DEADLOCK_DETECTION {
            // Whoever held it has leaked that; another lock may come to be here.
            deadlock::forget(self.address());
        }
    }
}

/// A lock was acquired with a token.
#[inline(always)]
pub(super) fn acquired(here: Attached<'_>, acquisition: Acquisition) {
    LOCKS.inc(here, acquisition.statistic());
}

/// The same without a token.
#[inline(always)]
pub(super) fn acquired_raw(acquisition: Acquisition) {
    count(acquisition.statistic());
}

/// The calling thread has a hold now, or one that it had is in this mode now.
#[inline(always)]
pub(super) fn held(_here: Attached<'_>, held: Held) {
    if DEADLOCK_DETECTION {
        deadlock::held(held);
    }
}

/// The calling thread is about to give a hold back, or to pass it on.
#[inline(always)]
pub(super) fn let_go(_here: Attached<'_>, held: Held) {
    if DEADLOCK_DETECTION {
        deadlock::let_go(held);
    }
}

/// A thread looked again instead of sleeping.
#[inline(always)]
pub(super) fn spun() {
    count(Locks::Spins);
}

/// A thread is about to sleep.
#[inline(always)]
pub(super) fn parked() {
    count(Locks::Sleeps);
}

/// The kernel was asked to wake threads.
#[inline(always)]
pub(super) fn woke() {
    count(Locks::Wakes);
}

#[inline(always)]
fn count(statistic: Locks) {
    LOCKS.wherever().inc(statistic);
}

/// Clocks the wait for a raw lock.
#[inline]
pub(super) fn clocked(wait: impl FnOnce() -> bool) -> bool {
    let clock = Clock::start();
    let got = wait();
    clock.stop(got);
    got
}

/// The calling thread waits for a lock, until this is dropped.
pub(super) struct Wait {
    clock: Clock,
    _recorded: Recorded,
}

impl Wait {
    /// Begins to wait. If it is limited in time it cannot be a part of a deadlock. An upgrade does not wait for the
    /// thread's own hold for update.
    ///
    /// # Panics
    /// It would be for ever.
    #[track_caller]
    pub(super) fn begin(wanted: Held, is_limited: bool, is_upgrade: bool) -> Self {
        match Self::try_begin(wanted, is_limited, is_upgrade) {
            Ok(wait) => wait,
            Err(deadlock) => deadlock.panic(),
        }
    }

    pub(super) fn try_begin(
        wanted: Held,
        is_limited: bool,
        is_upgrade: bool,
    ) -> Result<Self, Deadlock> {
        let recorded = if DEADLOCK_DETECTION && !is_limited {
            deadlock::wanted(wanted, is_upgrade)?
        } else {
            Recorded::NOT
        };
        Ok(Self { clock: Clock::start(), _recorded: recorded })
    }

    /// The wait is over.
    pub(super) fn end(self, got: bool) {
        self.clock.stop(got);
    }
}

/// When a wait began, if that is counted.
struct Clock(Option<Instant>);

impl Clock {
    fn start() -> Self {
        Self(IS_COUNTED.then(Instant::now))
    }

    fn stop(&self, got: bool) {
        let Some(started) = self.0 else { return };
        let waited = started.elapsed();
        let in_all = |unit: Duration| u64::try_from(waited.as_nanos() / unit.as_nanos());
        let counts = LOCKS.wherever();
        counts.record(Locks::WaitTime, in_all(Duration::from_micros(1)).unwrap_or(u64::MAX));
        counts.raise(Locks::LongestWait, in_all(Duration::from_nanos(1)).unwrap_or(u64::MAX));
        if !got {
            counts.inc(Locks::Timeouts);
        }
    }
}
