//! The lock with shared, update and exclusive access.

use std::cell::UnsafeCell;
use std::fmt;
use std::time::{Duration, Instant};

use super::acquisitions::acquisitions;
use super::guard::Guard;
use super::held::sealed::Sealed;
use super::held::{Exclusive, Lock, Shared, Update};
use super::watch::{Event, Mode, Watched};
use crate::mode::SuxState;
use crate::token::Attached;

/// A lock with shared, update and exclusive access (S, U, X): 8 bytes beside its value.
///
/// | holds | S enters | U enters | X enters |
/// |---|---|---|---|
/// | nobody, or some S | yes | yes | when S has left |
/// | U (and some S) | yes | no | no |
/// | X | no | no | no |
///
/// *Update* is for who reads first and then may write: there is one at a time, readers stay, and it can
/// [upgrade](super::Guard::upgrade) without anybody writing in between.
///
/// Who has got the right to X, and waits for readers to leave, keeps new ones out: so a thread that has S and
/// asks for S again may wait for ever. Nobody owns the lock: a hold can be [passed on](super::Guard::into_token) to
/// another thread. It is not recursive ([`RecursiveSuxLock`](super::RecursiveSuxLock) is), there is no poisoning, and
/// who comes may overtake who waits. Each kind of access costs two locked instructions; who releases it makes a system
/// call only if somebody sleeps.
///
/// In a single-threaded build it is a borrow flag, without atomics: what would wait panics.
///
/// ```
/// #[tsrm::module]
/// mod prices {
///     use std::collections::BTreeMap;
///     use tsrm::sync::SuxLock;
///
///     #[shared]
///     pub static PRICES: SuxLock<BTreeMap<u32, u32>> = SuxLock::new(BTreeMap::new());
/// }
///
/// # let tsrm = tsrm::Runtime::start([prices::MODULE]).unwrap();
/// tsrm.attach(|here| {
///     let prices = prices::PRICES.get(here);
///     let looked_at = prices.update(here); // others can read meanwhile
///     if !looked_at.contains_key(&7) {
///         looked_at.upgrade().insert(7, 70);
///     }
///     assert_eq!(prices.shared(here)[&7], 70);
/// });
/// ```
///
/// The states are those of InnoDB's `rw_lock`; see the source for how they are put into one word.
pub struct SuxLock<T: ?Sized> {
    pub(super) state: Watched<SuxState>,
    value: UnsafeCell<T>,
}

// SAFETY: the value is lent by `&` to several threads, or by `&mut` to one (I14); the state is made for that (I9).
unsafe impl<T: ?Sized + Send + Sync> Sync for SuxLock<T> {}

impl<T> SuxLock<T> {
    /// Unlocked.
    pub const fn new(value: T) -> Self {
        Self { state: Watched::new(SuxState::new()), value: UnsafeCell::new(value) }
    }

    /// The value. Whoever held the lock has leaked their guard or token.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

/// Acquiring.
impl<T: ?Sized> SuxLock<T> {
    acquisitions! {
        /// Waits until nobody has the lock exclusively, or is about to.
        ///
        /// # Panics
        /// In a single-threaded build: the lock is held exclusively. There are 2^26 shared holders (which were
        /// leaked). With the feature `deadlock-detection`: this would wait for ever.
        shared, try_shared, shared_timeout, shared_until -> Shared
    }

    acquisitions! {
        /// Waits until nobody has the lock for update or exclusively. Shared holders stay, and come.
        ///
        /// # Panics
        /// In a single-threaded build: the lock is held for update or exclusively. With the feature `deadlock-detection`:
        /// this would wait for ever.
        update, try_update, update_timeout, update_until -> Update
    }

    acquisitions! {
        /// Waits until nobody has the lock.
        ///
        /// # Panics
        /// In a single-threaded build: the lock is held. With the feature `deadlock-detection`: this would wait for ever.
        exclusive, try_exclusive, exclusive_timeout, exclusive_until -> Exclusive
    }
}

impl<T: ?Sized> Sealed for SuxLock<T> {}

impl<T: ?Sized> Lock<Shared> for SuxLock<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Shared;
    const MODE: Mode = Mode::Shared;

    #[inline]
    fn try_acquire(&self, _here: Attached<'_>) -> bool {
        self.state.try_shared()
    }

    #[track_caller]
    fn acquire_contended(&self, _here: Attached<'_>, deadline: Option<Instant>) -> bool {
        self.state.shared_contended(deadline)
    }

    #[inline]
    unsafe fn release(&self) {
        self.state.release_shared();
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

impl<T: ?Sized> Lock<Update> for SuxLock<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Update;
    const MODE: Mode = Mode::Update;

    #[inline]
    fn try_acquire(&self, _here: Attached<'_>) -> bool {
        self.state.try_update()
    }

    #[track_caller]
    fn acquire_contended(&self, _here: Attached<'_>, deadline: Option<Instant>) -> bool {
        self.state.update_contended(deadline)
    }

    #[inline]
    unsafe fn release(&self) {
        self.state.release_update();
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

impl<T: ?Sized> Lock<Exclusive> for SuxLock<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Exclusive;
    const MODE: Mode = Mode::Exclusive;

    #[inline]
    fn try_acquire(&self, _here: Attached<'_>) -> bool {
        self.state.try_exclusive()
    }

    #[track_caller]
    fn acquire_contended(&self, _here: Attached<'_>, deadline: Option<Instant>) -> bool {
        self.state.exclusive_contended(deadline)
    }

    #[inline]
    unsafe fn release(&self) {
        self.state.release_exclusive();
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

impl<T: ?Sized> SuxLock<T> {
    /// The value, which nobody else can reach: without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for SuxLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for SuxLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// Without the value, for which it would have to be locked.
impl<T: ?Sized> fmt::Debug for SuxLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SuxLock").finish_non_exhaustive()
    }
}
