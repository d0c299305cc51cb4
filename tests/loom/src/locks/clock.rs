//! A clock that a model sets, so that a time-out comes at any time.

use loom::sync::atomic::{AtomicU32, Ordering};

use super::futex;

/// Midnight is when the model begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Instant(u32);

loom::lazy_static! {
    static ref NOW: AtomicU32 = AtomicU32::new(0);
}

impl Instant {
    pub(crate) const MIDNIGHT: Self = Self(0);
    /// When all waiting is over that is not for ever.
    pub(crate) const MORNING: Self = Self(1);

    pub(crate) fn now() -> Self {
        Self(NOW.load(Ordering::Relaxed))
    }
}

/// First of all, so that no thread learns anything of another one by making the clock.
pub(crate) fn start() {
    assert_eq!(Instant::now(), Instant::MIDNIGHT);
    futex::start();
}

/// Lets the time pass. For one thread of a model.
pub(crate) fn strike() {
    NOW.store(1, Ordering::Relaxed);
    futex::strike();
}

/// Before a step that depends on whether the clock has struck: loom tries both orders.
pub(super) fn is_looked_at() {
    futex::newest(&NOW);
}
