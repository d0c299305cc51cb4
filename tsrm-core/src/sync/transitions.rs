//! How a [`SuxLock`] that is held changes its mode, without letting go.

use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::deadline::deadline;
use super::guard::{ExclusiveGuard, Guard, SharedGuard, UpdateGuard, held};
use super::held::{Exclusive, LockRef, Shared, Update};
use super::sux::SuxLock;
use super::watch::{self, Event, Wait};

/// What refers to a [`SuxLock`], whose modes change into one another. Sealed.
pub trait SuxRef:
    Deref<Target = SuxLock<Self::Guarded>> + LockRef<Shared> + LockRef<Update> + LockRef<Exclusive>
{
    /// What the lock guards.
    type Guarded: ?Sized;
}

impl<T: ?Sized> SuxRef for &SuxLock<T> {
    type Guarded = T;
}

impl<T: ?Sized> SuxRef for Arc<SuxLock<T>> {
    type Guarded = T;
}

/// From shared.
impl<'t, L: SuxRef> Guard<'t, Shared, L> {
    /// Becomes the one that has it for update, if there is none; or stays shared. The value does not change in between.
    /// There is none that waits: two that did would wait for each other.
    ///
    /// # Errors
    /// The guard, if somebody else has the lock for update.
    #[inline]
    #[track_caller]
    pub fn try_into_update(self) -> Result<UpdateGuard<'t, L>, Self> {
        if self.lock.state.try_shared_to_update() { Ok(self.converted()) } else { Err(self) }
    }
}

/// From update.
impl<'t, L: SuxRef> Guard<'t, Update, L> {
    /// Becomes exclusive: from now on nobody enters, and when those that are in shared have left, this returns. The
    /// value does not change in between.
    ///
    /// # Panics
    /// In a single-threaded build: somebody is in shared. With the feature `deadlock-detection`: this would
    /// wait for ever. In both cases the lock is released.
    #[inline]
    #[track_caller]
    pub fn upgrade(self) -> ExclusiveGuard<'t, L> {
        if !self.lock.state.upgrade() {
            self.drain(None);
        }
        self.upgraded()
    }

    /// Becomes exclusive, if nobody is in shared.
    ///
    /// # Errors
    /// The guard, if somebody is.
    #[inline]
    #[track_caller]
    pub fn try_upgrade(self) -> Result<ExclusiveGuard<'t, L>, Self> {
        if self.lock.state.try_upgrade() { Ok(self.upgraded()) } else { Err(self) }
    }

    /// As [`upgrade`](Self::upgrade), and waits at most that long.
    ///
    /// # Errors
    /// The guard, if somebody still is in shared.
    #[inline]
    #[track_caller]
    pub fn upgrade_timeout(self, timeout: Duration) -> Result<ExclusiveGuard<'t, L>, Self> {
        if self.lock.state.upgrade() || self.drain(Some(deadline(timeout))) {
            Ok(self.upgraded())
        } else {
            Err(self)
        }
    }

    /// As [`upgrade`](Self::upgrade), and waits at most until then.
    ///
    /// # Errors
    /// The guard, if somebody still is in shared.
    #[inline]
    #[track_caller]
    pub fn upgrade_until(self, deadline: Instant) -> Result<ExclusiveGuard<'t, L>, Self> {
        if self.lock.state.upgrade() || self.drain(Some(deadline)) {
            Ok(self.upgraded())
        } else {
            Err(self)
        }
    }

    /// Becomes shared: others can have it for update, and it can become exclusive when this one is gone too.
    ///
    /// # Panics
    /// There are 2^26 shared holders (which were leaked). The lock is released.
    #[inline]
    #[track_caller]
    pub fn downgrade(self) -> SharedGuard<'t, L> {
        self.lock.state.update_to_shared();
        self.converted()
    }

    #[inline]
    #[track_caller]
    fn upgraded(self) -> ExclusiveGuard<'t, L> {
        watch::acquired(self.here, Event::Upgrade);
        self.converted()
    }

    /// After `upgrade` has found somebody. False if they are there still; then it is held for update again.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn drain(&self, deadline: Option<Instant>) -> bool {
        let wanted = held::<Exclusive, SuxLock<L::Guarded>>(&self.lock);
        let wait = match Wait::try_begin(wanted, deadline.is_some(), true) {
            Ok(wait) => wait,
            Err(deadlock) => {
                self.lock.state.exclusive_to_update();
                deadlock.panic()
            }
        };
        let got = self.lock.state.upgrade_contended(deadline);
        wait.end(got);
        got
    }
}

/// From exclusive.
impl<'t, L: SuxRef> Guard<'t, Exclusive, L> {
    /// Becomes shared: whoever waits to be so too enters at once.
    #[inline]
    #[track_caller]
    pub fn downgrade(self) -> SharedGuard<'t, L> {
        self.lock.state.exclusive_to_shared();
        self.converted()
    }

    /// Becomes for update: whoever waits to be shared enters at once.
    #[inline]
    #[track_caller]
    pub fn downgrade_to_update(self) -> UpdateGuard<'t, L> {
        self.lock.state.exclusive_to_update();
        self.converted()
    }
}
