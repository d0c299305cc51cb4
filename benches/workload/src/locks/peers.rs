//! Locks that one would use without `tsrm`. They take no token, and are run beside one.

#[cfg(unix)]
mod posix;

use tsrm::Attached;

use super::Lock;

#[cfg(unix)]
pub use posix::PthreadRwLock;

/// What has shared, update and exclusive access, in the interface of parking_lot.
macro_rules! upgradable {
    ($(#[$documentation:meta])* $name:ident of $package:ident) => {
        $(#[$documentation])*
        #[derive(Debug)]
        pub struct $name($package::RwLock<()>);

        impl Lock for $name {
            fn new() -> Self {
                Self($package::RwLock::new(()))
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
                use $package::{RwLockUpgradableReadGuard, RwLockWriteGuard};
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
    };
}

upgradable! {
    /// The newest.
    ParkingLot of parking_lot
}
upgradable! {
    /// The one before, which most programs have.
    ParkingLot12 of parking_lot_0_12
}

/// parking_lot's.
#[derive(Debug)]
pub struct ParkingLotMutex(parking_lot::Mutex<()>);

impl Lock for ParkingLotMutex {
    fn new() -> Self {
        Self(parking_lot::Mutex::new(()))
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.lock();
        section();
    }
}

/// std's. That it was poisoned would be seen.
#[derive(Debug)]
pub struct Std(std::sync::RwLock<()>);

impl Lock for Std {
    fn new() -> Self {
        Self(std::sync::RwLock::new(()))
    }

    #[inline]
    fn shared(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.read().expect("no section panics");
        section();
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.write().expect("no section panics");
        section();
    }
}

/// std's.
#[derive(Debug)]
pub struct StdMutex(std::sync::Mutex<()>);

impl Lock for StdMutex {
    fn new() -> Self {
        Self(std::sync::Mutex::new(()))
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.lock().expect("no section panics");
        section();
    }
}

/// The `usync` crate's.
#[derive(Debug)]
pub struct Usync(usync::RwLock<()>);

impl Lock for Usync {
    fn new() -> Self {
        Self(usync::RwLock::new(()))
    }

    #[inline]
    fn shared(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.read();
        section();
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        let _held = self.0.write();
        section();
    }
}
