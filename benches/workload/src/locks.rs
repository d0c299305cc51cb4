//! Locks behind one trait, so that all of them do the same: ours, and their [`peers`].

mod ours;
pub mod peers;

use std::ops::Deref;

use tsrm::Attached;

pub use ours::{RawRwLock, RawSrwMutex, Srw, Sux};

/// A lock, as the workloads use it: a section is run as soon as the lock is held.
///
/// What a lock does not have, it does exclusively.
pub trait Lock: Sync {
    /// Unlocked.
    fn new() -> Self;

    /// Beside others that are in shared.
    #[inline]
    fn shared(&self, here: Attached<'_>, section: impl FnOnce()) {
        self.exclusive(here, section);
    }

    /// For update: beside others that are in shared.
    #[inline]
    fn update(&self, here: Attached<'_>, section: impl FnOnce()) {
        self.exclusive(here, section);
    }

    /// For update, to look; exclusively, to change something; and for update again.
    #[inline]
    fn upgraded(&self, here: Attached<'_>, looking: impl FnOnce(), changing: impl FnOnce()) {
        self.exclusive(here, || {
            looking();
            changing();
        });
    }

    /// Alone.
    fn exclusive(&self, here: Attached<'_>, section: impl FnOnce());
}

/// A lock on cache lines of its own: what is measured is not its neighbours.
#[derive(Debug)]
#[repr(align(128))]
pub struct Alone<L>(L);

impl<L: Lock> Alone<L> {
    /// Unlocked.
    #[allow(clippy::new_without_default, reason = "a lock is made, not defaulted to")]
    pub fn new() -> Self {
        Self(L::new())
    }
}

impl<L> Deref for Alone<L> {
    type Target = L;

    #[inline]
    fn deref(&self) -> &L {
        &self.0
    }
}
