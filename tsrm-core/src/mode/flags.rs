//! The locks of a single-threaded build: borrow flags.
//!
//! Whoever has a token is the one registered thread (I9), so nobody is there to wait for: a conflict is a mistake,
//! as with a `RefCell`, and panics.

use std::cell::Cell;
use std::time::Instant;

const HOLDER: u32 = 1 << 0;
const EXCLUSIVE: u32 = 1 << 1;
const READER: u32 = 1 << 2;

const X: u32 = HOLDER | EXCLUSIVE;

/// Where no more readers enter.
const FULL: u32 = 1 << 31;

/// As `SuxWord`, for one thread. What `*_contended` is asked for is not to be had.
pub(crate) struct SuxFlags {
    state: Cell<u32>,
}

// SAFETY: used with a token only, so by the one registered thread (I9).
unsafe impl Sync for SuxFlags {}

impl SuxFlags {
    pub(crate) const fn new() -> Self {
        Self { state: Cell::new(0) }
    }

    /// Goes on if the state is as wanted.
    #[inline(always)]
    fn try_change(&self, is_fit: impl FnOnce(u32) -> bool, by: u32) -> bool {
        let now = self.state.get();
        let is_fit = is_fit(now);
        if is_fit {
            self.state.set(now.wrapping_add(by));
        }
        is_fit
    }

    #[inline(always)]
    fn change(&self, by: u32) {
        self.state.set(self.state.get().wrapping_add(by));
    }

    #[inline]
    pub(crate) fn try_shared(&self) -> bool {
        self.try_change(|now| now & EXCLUSIVE == 0 && now < FULL, READER)
    }

    #[cold]
    #[track_caller]
    pub(crate) fn shared_contended(&self, deadline: Option<Instant>) -> bool {
        self.assert_not_full();
        conflict("shared", self.held(), deadline)
    }

    #[inline]
    pub(crate) fn release_shared(&self) {
        self.change(READER.wrapping_neg());
    }

    #[inline]
    pub(crate) fn try_shared_to_update(&self) -> bool {
        self.try_change(|now| now & HOLDER == 0, HOLDER.wrapping_sub(READER))
    }

    #[inline]
    pub(crate) fn try_update(&self) -> bool {
        self.try_change(|now| now & HOLDER == 0, HOLDER)
    }

    #[cold]
    #[track_caller]
    pub(crate) fn update_contended(&self, deadline: Option<Instant>) -> bool {
        conflict("for update", self.held(), deadline)
    }

    #[inline]
    pub(crate) fn release_update(&self) {
        self.change(HOLDER.wrapping_neg());
    }

    #[inline]
    pub(crate) fn try_upgrade(&self) -> bool {
        self.try_change(|now| now < READER, EXCLUSIVE)
    }

    /// False, and `EXCLUSIVE` is taken nevertheless, if there are readers.
    #[inline]
    pub(crate) fn upgrade(&self) -> bool {
        self.change(EXCLUSIVE);
        self.state.get() < READER
    }

    #[cold]
    #[track_caller]
    pub(crate) fn upgrade_contended(&self, deadline: Option<Instant>) -> bool {
        self.exclusive_to_update();
        // Its own hold is not in the way.
        conflict("exclusively", "shared", deadline)
    }

    #[inline]
    pub(crate) fn update_to_shared(&self) {
        self.assert_not_full();
        self.change(READER - HOLDER);
    }

    #[inline]
    pub(crate) fn try_exclusive(&self) -> bool {
        self.try_change(|now| now == 0, X)
    }

    #[cold]
    #[track_caller]
    pub(crate) fn exclusive_contended(&self, deadline: Option<Instant>) -> bool {
        conflict("exclusively", self.held(), deadline)
    }

    #[inline]
    pub(crate) fn release_exclusive(&self) {
        self.change(X.wrapping_neg());
    }

    #[inline]
    pub(crate) fn exclusive_to_update(&self) {
        self.change(EXCLUSIVE.wrapping_neg());
    }

    #[inline]
    pub(crate) fn exclusive_to_shared(&self) {
        self.change(READER - X);
    }

    #[inline]
    #[track_caller]
    fn assert_not_full(&self) {
        let now = self.state.get();
        assert!(now < FULL, "a lock has {} readers", now / READER);
    }

    /// As what the lock is held.
    fn held(&self) -> &'static str {
        match self.state.get() & X {
            X => "exclusively",
            HOLDER => "for update",
            _ => "shared",
        }
    }
}

/// Nobody could release it before a deadline.
#[cold]
#[track_caller]
fn conflict(wanted: &str, held: &str, deadline: Option<Instant>) -> bool {
    assert!(
        deadline.is_some(),
        "a lock is wanted {wanted} that is held {held}: in a single-threaded build nobody would ever release it"
    );
    false
}

/// As `SrwWord`, for one thread.
pub(crate) struct SrwFlag {
    is_held: Cell<u32>,
}

// SAFETY: used with a token only, so by the one registered thread (I9).
unsafe impl Sync for SrwFlag {}

impl SrwFlag {
    pub(crate) const fn new() -> Self {
        Self { is_held: Cell::new(0) }
    }

    #[inline]
    pub(crate) fn try_lock(&self) -> bool {
        self.is_held.replace(1) == 0
    }

    #[cold]
    #[track_caller]
    pub(crate) fn lock_contended(&self, deadline: Option<Instant>) -> bool {
        // Nobody could release it before the deadline.
        assert!(
            deadline.is_some(),
            "a mutex is wanted that is held: in a single-threaded build nobody would ever release it"
        );
        false
    }

    #[inline]
    pub(crate) fn unlock(&self) {
        self.is_held.set(0);
    }
}
