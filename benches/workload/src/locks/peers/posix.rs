//! The system's lock.
#![allow(unsafe_code, reason = "C's interface")]

use std::cell::UnsafeCell;
use std::fmt;

use tsrm::Attached;

use crate::locks::Lock;

/// `pthread_rwlock_t`, which must stay where it is: behind a `Box`, so its users load its address first.
pub struct PthreadRwLock(Box<Place>);

/// On cache lines of its own, as all locks here.
#[repr(align(128))]
struct Place(UnsafeCell<libc::pthread_rwlock_t>);

// SAFETY: its functions may be called by several threads at once; that is what it is for.
unsafe impl Sync for PthreadRwLock {}
// SAFETY: nobody holds it while it is owned: a section borrows it.
unsafe impl Send for PthreadRwLock {}

impl fmt::Debug for PthreadRwLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PthreadRwLock").finish_non_exhaustive()
    }
}

impl PthreadRwLock {
    /// Runs the section. A section that panicked would leave it locked; none does.
    #[inline]
    fn held(
        &self,
        acquire: unsafe extern "C" fn(*mut libc::pthread_rwlock_t) -> libc::c_int,
        section: impl FnOnce(),
    ) {
        // SAFETY: it was initialised by `new`, and is destroyed by `drop`.
        let result = unsafe { acquire(self.0.0.get()) };
        assert_eq!(result, 0, "pthread_rwlock");
        section();
        // SAFETY: this thread has just acquired it.
        unsafe { libc::pthread_rwlock_unlock(self.0.0.get()) };
    }
}

impl Lock for PthreadRwLock {
    fn new() -> Self {
        Self(Box::new(Place(UnsafeCell::new(libc::PTHREAD_RWLOCK_INITIALIZER))))
    }

    #[inline]
    fn shared(&self, _here: Attached<'_>, section: impl FnOnce()) {
        self.held(libc::pthread_rwlock_rdlock, section);
    }

    #[inline]
    fn exclusive(&self, _here: Attached<'_>, section: impl FnOnce()) {
        self.held(libc::pthread_rwlock_wrlock, section);
    }
}

impl Drop for PthreadRwLock {
    fn drop(&mut self) {
        // SAFETY: nobody holds it or waits for it: this is its owner.
        unsafe { libc::pthread_rwlock_destroy(self.0.0.get()) };
    }
}
