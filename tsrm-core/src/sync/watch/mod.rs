//! What is told of locks: counts of what they do, and who holds and awaits them, each behind a feature. The
//! functions are always there; without its feature one does nothing, and nothing is left of its calls.

mod deadlock;
pub(crate) mod event;

use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::ptr;
use std::time::Instant;

use deadlock::{Deadlock, Recorded};
pub(crate) use deadlock::{after_fork, before_fork};
pub(super) use event::Event;

use crate::mode::DEADLOCK_DETECTION;
use crate::mode::lock_statistics::{self, IS_COUNTED};
use crate::token::Attached;

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
pub(super) fn acquired(here: Attached<'_>, acquisition: Event) {
    lock_statistics::count(here, acquisition);
}

/// The same without a token.
#[inline(always)]
pub(super) fn acquired_raw(acquisition: Event) {
    lock_statistics::count_wherever(acquisition);
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
    lock_statistics::count_wherever(Event::Spin);
}

/// A thread is about to sleep.
#[inline(always)]
pub(super) fn parked() {
    lock_statistics::count_wherever(Event::Sleep);
}

/// The kernel was asked to wake threads.
#[inline(always)]
pub(super) fn woke() {
    lock_statistics::count_wherever(Event::Wake);
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
        lock_statistics::count_wait(started.elapsed());
        if !got {
            lock_statistics::count_wherever(Event::Timeout);
        }
    }
}
