//! The traits of `lock_api`.

use std::fmt;
use std::time::{Duration, Instant};

use super::{SrwWord, SuxWord};
use crate::sync::deadline::deadline;
use crate::sync::watch::{self, Event};

/// A mutex on a [`RawSrwMutex`].
pub type Mutex<T> = lock_api::Mutex<RawSrwMutex, T>;

/// A lock with shared (`read`), update (`upgradable_read`) and exclusive (`write`) access, on a [`RawSuxLock`].
pub type RwLock<T> = lock_api::RwLock<RawSuxLock, T>;

/// A mutual exclusion lock of 4 bytes, without a value.
///
/// In both builds it is made of atomics and waits; it takes no token. So it may be used on threads that are not
/// attached, and in destructors. Nobody owns it: whoever knows that it is locked may unlock it.
pub struct RawSrwMutex(SrwWord);

/// A lock with shared, update and exclusive access of 8 bytes, without a value. See [`RawSrwMutex`].
pub struct RawSuxLock(SuxWord);

impl RawSuxLock {
    /// Shared access becomes that for update, if nobody has it; or stays shared.
    ///
    /// # Safety
    /// The lock is held shared by the caller.
    #[inline]
    pub unsafe fn try_shared_to_upgradable(&self) -> bool {
        self.0.try_shared_to_update()
    }
}

impl fmt::Debug for RawSrwMutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawSrwMutex").field("is_locked", &self.0.is_locked()).finish()
    }
}

impl fmt::Debug for RawSuxLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawSuxLock").field("is_locked", &self.0.is_locked()).finish()
    }
}

// SAFETY: one `lock` or successful `try_lock` at a time (I14).
unsafe impl lock_api::RawMutex for RawSrwMutex {
    #[allow(clippy::declare_interior_mutable_const, reason = "how `lock_api` has it")]
    const INIT: Self = Self(SrwWord::new());
    type GuardMarker = lock_api::GuardSend;

    #[inline]
    fn lock(&self) {
        if !self.0.try_lock() {
            watch::clocked(|| self.0.lock_contended(None));
        }
        watch::acquired_raw(Event::Mutex);
    }

    #[inline]
    fn try_lock(&self) -> bool {
        counted(Event::Mutex, self.0.try_lock())
    }

    #[inline]
    unsafe fn unlock(&self) {
        self.0.unlock();
    }

    #[inline]
    fn is_locked(&self) -> bool {
        self.0.is_locked()
    }
}

// SAFETY: as above (I14).
unsafe impl lock_api::RawMutexTimed for RawSrwMutex {
    type Duration = Duration;
    type Instant = Instant;

    #[inline]
    fn try_lock_for(&self, timeout: Duration) -> bool {
        self.try_lock_until(deadline(timeout))
    }

    #[inline]
    fn try_lock_until(&self, timeout: Instant) -> bool {
        let got = self.0.try_lock() || watch::clocked(|| self.0.lock_contended(Some(timeout)));
        counted(Event::Mutex, got)
    }
}

// SAFETY: the word lets in one exclusive holder, or one for update with shared ones (I14).
unsafe impl lock_api::RawRwLock for RawSuxLock {
    #[allow(clippy::declare_interior_mutable_const, reason = "how `lock_api` has it")]
    const INIT: Self = Self(SuxWord::new());
    type GuardMarker = lock_api::GuardSend;

    #[inline]
    fn lock_shared(&self) {
        if !self.0.try_shared() {
            watch::clocked(|| self.0.shared_contended(None));
        }
        watch::acquired_raw(Event::Shared);
    }

    #[inline]
    fn try_lock_shared(&self) -> bool {
        counted(Event::Shared, self.0.try_shared())
    }

    #[inline]
    unsafe fn unlock_shared(&self) {
        self.0.release_shared();
    }

    #[inline]
    fn lock_exclusive(&self) {
        if !self.0.try_exclusive() {
            watch::clocked(|| self.0.exclusive_contended(None));
        }
        watch::acquired_raw(Event::Exclusive);
    }

    #[inline]
    fn try_lock_exclusive(&self) -> bool {
        counted(Event::Exclusive, self.0.try_exclusive())
    }

    #[inline]
    unsafe fn unlock_exclusive(&self) {
        self.0.release_exclusive();
    }

    #[inline]
    fn is_locked(&self) -> bool {
        self.0.is_locked()
    }

    #[inline]
    fn is_locked_exclusive(&self) -> bool {
        self.0.is_exclusive()
    }
}

// SAFETY: as above (I14).
unsafe impl lock_api::RawRwLockTimed for RawSuxLock {
    type Duration = Duration;
    type Instant = Instant;

    #[inline]
    fn try_lock_shared_for(&self, timeout: Duration) -> bool {
        self.try_lock_shared_until(deadline(timeout))
    }

    #[inline]
    fn try_lock_shared_until(&self, timeout: Instant) -> bool {
        let got = self.0.try_shared() || watch::clocked(|| self.0.shared_contended(Some(timeout)));
        counted(Event::Shared, got)
    }

    #[inline]
    fn try_lock_exclusive_for(&self, timeout: Duration) -> bool {
        self.try_lock_exclusive_until(deadline(timeout))
    }

    #[inline]
    fn try_lock_exclusive_until(&self, timeout: Instant) -> bool {
        let got =
            self.0.try_exclusive() || watch::clocked(|| self.0.exclusive_contended(Some(timeout)));
        counted(Event::Exclusive, got)
    }
}

// SAFETY: as above (I14).
unsafe impl lock_api::RawRwLockDowngrade for RawSuxLock {
    #[inline]
    unsafe fn downgrade(&self) {
        self.0.exclusive_to_shared();
    }
}

// SAFETY: as above (I14).
unsafe impl lock_api::RawRwLockUpgrade for RawSuxLock {
    #[inline]
    fn lock_upgradable(&self) {
        if !self.0.try_update() {
            watch::clocked(|| self.0.update_contended(None));
        }
        watch::acquired_raw(Event::Update);
    }

    #[inline]
    fn try_lock_upgradable(&self) -> bool {
        counted(Event::Update, self.0.try_update())
    }

    #[inline]
    unsafe fn unlock_upgradable(&self) {
        self.0.release_update();
    }

    #[inline]
    unsafe fn upgrade(&self) {
        if !self.0.upgrade() {
            watch::clocked(|| self.0.upgrade_contended(None));
        }
        watch::acquired_raw(Event::Upgrade);
    }

    #[inline]
    unsafe fn try_upgrade(&self) -> bool {
        counted(Event::Upgrade, self.0.try_upgrade())
    }
}

// SAFETY: as above (I14).
unsafe impl lock_api::RawRwLockUpgradeDowngrade for RawSuxLock {
    #[inline]
    unsafe fn downgrade_upgradable(&self) {
        self.0.update_to_shared();
    }

    #[inline]
    unsafe fn downgrade_to_upgradable(&self) {
        self.0.exclusive_to_update();
    }
}

// SAFETY: as above (I14).
unsafe impl lock_api::RawRwLockUpgradeTimed for RawSuxLock {
    #[inline]
    fn try_lock_upgradable_for(&self, timeout: Duration) -> bool {
        self.try_lock_upgradable_until(deadline(timeout))
    }

    #[inline]
    fn try_lock_upgradable_until(&self, timeout: Instant) -> bool {
        let got = self.0.try_update() || watch::clocked(|| self.0.update_contended(Some(timeout)));
        counted(Event::Update, got)
    }

    #[inline]
    unsafe fn try_upgrade_for(&self, timeout: Duration) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.try_upgrade_until(deadline(timeout)) }
    }

    #[inline]
    unsafe fn try_upgrade_until(&self, timeout: Instant) -> bool {
        let got = self.0.upgrade() || watch::clocked(|| self.0.upgrade_contended(Some(timeout)));
        counted(Event::Upgrade, got)
    }
}

#[inline(always)]
fn counted(acquisition: Event, got: bool) -> bool {
    if got {
        watch::acquired_raw(acquisition);
    }
    got
}
