//! The mutex.

use std::cell::UnsafeCell;
use std::fmt;
use std::time::{Duration, Instant};

use super::acquisitions::acquisitions;
use super::guard::Guard;
use super::held::sealed::Sealed;
use super::held::{Exclusive, Lock};
use super::watch::{Event, Mode, Watched};
use crate::mode::SrwState;
use crate::token::Attached;

/// A mutual exclusion lock: 4 bytes beside its value.
///
/// Nobody owns it: a hold can be [passed on](super::Guard::into_token) to another thread. It is not recursive, there
/// is no poisoning, and who comes may overtake who waits. To lock and unlock are two locked instructions; who
/// unlocks makes a system call only if somebody sleeps.
///
/// In a single-threaded build it is a flag, without atomics: to lock it when it is locked panics.
///
/// ```
/// #[tsrm::module]
/// mod pool {
///     use tsrm::sync::SrwMutex;
///
///     #[shared]
///     pub static FREE: SrwMutex<Vec<u32>> = SrwMutex::new(Vec::new());
/// }
///
/// # let tsrm = tsrm::Runtime::start([pool::MODULE]).unwrap();
/// tsrm.attach(|here| {
///     pool::FREE.get(here).lock(here).push(7);
///     assert_eq!(pool::FREE.get(here).lock(here).pop(), Some(7));
/// });
/// ```
///
/// The state is that of InnoDB's `srw_mutex`.
pub struct SrwMutex<T: ?Sized> {
    state: Watched<SrwState>,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by one holder at a time, on whichever thread (I14); the state is made for that (I9).
unsafe impl<T: ?Sized + Send> Sync for SrwMutex<T> {}

impl<T> SrwMutex<T> {
    /// Unlocked.
    pub const fn new(value: T) -> Self {
        Self { state: Watched::new(SrwState::new()), value: UnsafeCell::new(value) }
    }

    /// The value. Whoever held the lock has leaked their guard or token.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> SrwMutex<T> {
    acquisitions! {
        /// Waits until the mutex is free.
        ///
        /// # Panics
        /// In a single-threaded build: the mutex is locked. With the feature `deadlock-detection`: this would wait for
        /// ever.
        lock, try_lock, lock_timeout, lock_until -> Exclusive
    }

    /// The value, which nobody else can reach: without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: ?Sized> Sealed for SrwMutex<T> {}

impl<T: ?Sized> Lock<Exclusive> for SrwMutex<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Mutex;
    const MODE: Mode = Mode::Exclusive;

    #[inline]
    fn try_acquire(&self, _here: Attached<'_>) -> bool {
        self.state.try_lock()
    }

    #[track_caller]
    fn acquire_contended(&self, _here: Attached<'_>, deadline: Option<Instant>) -> bool {
        self.state.lock_contended(deadline)
    }

    #[inline]
    unsafe fn release(&self) {
        self.state.unlock();
    }

    #[inline]
    fn address(&self) -> usize {
        self.state.address()
    }

    #[inline]
    fn value(&self) -> *mut T {
        self.value.get()
    }
}

impl<T: Default> Default for SrwMutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for SrwMutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// Without the value, for which it would have to be locked.
impl<T: ?Sized> fmt::Debug for SrwMutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SrwMutex").finish_non_exhaustive()
    }
}
