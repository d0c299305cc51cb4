//! Ours: the typed locks, which take the token, and the raw ones.

use tsrm::Attached;
use tsrm::sync::{SrwMutex, SuxLock, raw};

use super::Lock;

/// Shared, update, exclusive.
#[derive(Debug)]
pub struct Sux(SuxLock<()>);

impl Lock for Sux {
    fn new() -> Self {
        Self(SuxLock::new(()))
    }

    #[inline]
    fn shared(&self, here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.shared(here);
        section();
    }

    #[inline]
    fn update(&self, here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.update(here);
        section();
    }

    #[inline]
    fn upgraded(&self, here: Attached<'_>, looking: impl FnOnce(), changing: impl FnOnce()) {
        let held = self.0.update(here);
        looking();
        let held = held.upgrade();
        changing();
        drop(held.downgrade_to_update());
    }

    #[inline]
    fn exclusive(&self, here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.exclusive(here);
        section();
    }
}

/// The mutex.
#[derive(Debug)]
pub struct Srw(SrwMutex<()>);

impl Lock for Srw {
    fn new() -> Self {
        Self(SrwMutex::new(()))
    }

    #[inline]
    fn exclusive(&self, here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.lock(here);
        section();
    }
}

/// The same lock by `lock_api`.
#[derive(Debug)]
pub struct RawRwLock(raw::RwLock<()>);

impl Lock for RawRwLock {
    fn new() -> Self {
        Self(raw::RwLock::new(()))
    }

    #[inline]
    fn shared(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.read();
        section();
    }

    #[inline]
    fn update(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.upgradable_read();
        section();
    }

    #[inline]
    fn upgraded(&self, _here: Attached<'_>, looking: impl FnOnce(), changing: impl FnOnce()) {
        use raw::lock_api::{RwLockUpgradableReadGuard, RwLockWriteGuard};
        let held = self.0.upgradable_read();
        looking();
        let held = RwLockUpgradableReadGuard::upgrade(held);
        changing();
        drop(RwLockWriteGuard::downgrade_to_upgradable(held));
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.write();
        section();
    }
}

/// The same mutex by `lock_api`.
#[derive(Debug)]
pub struct RawSrwMutex(raw::Mutex<()>);

impl Lock for RawSrwMutex {
    fn new() -> Self {
        Self(raw::Mutex::new(()))
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.lock();
        section();
    }
}
