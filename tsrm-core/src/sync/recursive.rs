//! The lock with shared, update and exclusive access whose holder may take it again.

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::acquisitions::acquisitions;
use super::guard::Guard;
use super::held::sealed::Sealed;
use super::held::{Exclusive, Lock, Recursive, Shared, Update};
use super::watch::{Event, Mode, Watched};
use crate::mode::SuxState;
use crate::primitive::AtomicU64;
use crate::thread::current;
use crate::token::Attached;

/// A [`SuxLock`](super::SuxLock) that its holder may take again, for update and exclusively: for operations that
/// call each other, each of which locks what it needs.
///
/// The guards give `&T` only, since a thread may have several. A thread that has it for update and asks for it
/// exclusively upgrades it, waiting for shared holders to leave; when the last exclusive guard is gone and one for update
/// is left, it is downgraded. Shared access is not recursive: a thread that has the lock exclusively must not ask
/// for it (which panics), one that has it shared had better not ask again, see there, nor for exclusive access. An operation
/// that others call which have the lock already asks for update access, also if it only reads.
///
/// Beside its value it has 24 bytes: the lock, who holds it, how often.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use tsrm::sync::RecursiveSuxLock;
///
/// # #[tsrm::module]
/// # mod index {}
/// # let tsrm = tsrm::Runtime::start([index::MODULE]).unwrap();
/// let tree = RecursiveSuxLock::new(AtomicU32::new(0));
/// tsrm.attach(|here| {
///     let looked_at = tree.update(here); // nobody else changes it; others read
///     if looked_at.load(Ordering::Relaxed) == 0 {
///         tree.exclusive(here).store(1, Ordering::Relaxed); // nobody else reads it
///     }
///     assert_eq!(looked_at.load(Ordering::Relaxed), 1); // others read again
/// });
/// ```
///
/// The rules are those of InnoDB's `sux_lock`.
pub struct RecursiveSuxLock<T: ?Sized> {
    state: Watched<SuxState>,
    /// How often the owner has it for update, and exclusively. Both of the owner's, or of whoever is to receive it.
    updates: AtomicU32,
    exclusives: AtomicU32,
    /// The number of the registered thread that has it for update or exclusively, 0 if there is none.
    owner: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY: the value is lent by `&` only (I14); the state is made for several threads (I9).
unsafe impl<T: ?Sized + Send + Sync> Sync for RecursiveSuxLock<T> {}

impl<T> RecursiveSuxLock<T> {
    /// Unlocked.
    pub const fn new(value: T) -> Self {
        Self {
            state: Watched::new(SuxState::new()),
            updates: AtomicU32::new(0),
            exclusives: AtomicU32::new(0),
            owner: AtomicU64::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// The value. Whoever held the lock has leaked their guard or token.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

/// Acquiring.
impl<T: ?Sized> RecursiveSuxLock<T> {
    acquisitions! {
        /// Waits until nobody has the lock exclusively, or is about to.
        ///
        /// # Panics
        /// The calling thread has it exclusively. In a single-threaded build: the lock is held exclusively. There are 2^26
        /// shared holders (which were leaked). With the feature `deadlock-detection`: this would wait for ever.
        shared, try_shared, shared_timeout, shared_until -> Shared
    }

    acquisitions! {
        /// Waits until no other thread has the lock for update or exclusively. Shared holders stay, and come, unless this
        /// thread has it exclusively too.
        ///
        /// # Panics
        /// This thread has it 2^32 - 1 times. In a single-threaded build: the lock is held for update or exclusively by what was
        /// passed on or leaked. With the feature `deadlock-detection`: this would wait for ever.
        update, try_update, update_timeout, update_until -> Recursive<Update>
    }

    acquisitions! {
        /// Waits until no other thread has the lock. If this one has it for update, nobody writes in between.
        ///
        /// # Panics
        /// This thread has it 2^32 - 1 times. In a single-threaded build: the lock is held by somebody else, or shared. With the feature `deadlock-detection`: this would wait for ever.
        exclusive, try_exclusive, exclusive_timeout, exclusive_until -> Recursive<Exclusive>
    }
}

impl<T: ?Sized> Sealed for RecursiveSuxLock<T> {}

impl<T: ?Sized> Lock<Shared> for RecursiveSuxLock<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Shared;
    const MODE: Mode = Mode::Shared;

    #[inline]
    fn try_acquire(&self, _here: Attached<'_>) -> bool {
        self.state.try_shared()
    }

    #[track_caller]
    fn acquire_contended(&self, here: Attached<'_>, deadline: Option<Instant>) -> bool {
        assert!(
            deadline.is_some() || !self.is_owned(here) || count(&self.exclusives) == 0,
            "a lock is wanted shared that this thread has exclusively: it would wait for itself"
        );
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

impl<T: ?Sized> Lock<Recursive<Update>> for RecursiveSuxLock<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Update;
    const MODE: Mode = Mode::Update;

    #[inline]
    fn try_acquire(&self, here: Attached<'_>) -> bool {
        if self.is_owned(here) {
            return once_more(&self.updates);
        }
        self.state.try_update() && self.begin(here, &self.updates)
    }

    #[track_caller]
    fn acquire_contended(&self, here: Attached<'_>, deadline: Option<Instant>) -> bool {
        assert!(!self.is_owned(here), "a lock is held 2^32 - 1 times");
        self.state.update_contended(deadline) && self.begin(here, &self.updates)
    }

    #[inline]
    unsafe fn release(&self) {
        if once_less(&self.updates) && count(&self.exclusives) == 0 {
            self.disown();
            self.state.release_update();
        }
    }

    #[inline]
    unsafe fn pass(&self) -> bool {
        self.try_disown()
    }

    #[inline]
    unsafe fn receive(&self, here: Attached<'_>) {
        self.own(here);
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

impl<T: ?Sized> Lock<Recursive<Exclusive>> for RecursiveSuxLock<T> {
    type Value = T;
    const ACQUISITION: Event = Event::Exclusive;
    const MODE: Mode = Mode::Exclusive;

    #[inline]
    fn try_acquire(&self, here: Attached<'_>) -> bool {
        if self.is_owned(here) {
            let is_exclusive = count(&self.exclusives) > 0;
            return (is_exclusive || self.state.try_upgrade()) && once_more(&self.exclusives);
        }
        self.state.try_exclusive() && self.begin(here, &self.exclusives)
    }

    #[track_caller]
    fn acquire_contended(&self, here: Attached<'_>, deadline: Option<Instant>) -> bool {
        if self.is_owned(here) {
            assert!(count(&self.exclusives) == 0, "a lock is held 2^32 - 1 times");
            return (self.state.upgrade() || self.state.upgrade_contended(deadline))
                && once_more(&self.exclusives);
        }
        self.state.exclusive_contended(deadline) && self.begin(here, &self.exclusives)
    }

    #[inline]
    unsafe fn release(&self) {
        if !once_less(&self.exclusives) {
            return;
        }
        if count(&self.updates) > 0 {
            self.state.exclusive_to_update();
        } else {
            self.disown();
            self.state.release_exclusive();
        }
    }

    #[inline]
    unsafe fn pass(&self) -> bool {
        self.try_disown()
    }

    #[inline]
    unsafe fn receive(&self, here: Attached<'_>) {
        self.own(here);
    }

    fn is_upgrade(&self, here: Attached<'_>) -> bool {
        self.is_owned(here)
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

/// Who has it. Relaxed throughout: a thread finds its own number there only if it wrote it itself, and the counts are
/// its own then; what others wrote before is ordered by the lock, or by how the token came.
impl<T: ?Sized> RecursiveSuxLock<T> {
    #[inline]
    fn is_owned(&self, here: Attached<'_>) -> bool {
        self.owner.load(Ordering::Relaxed) == number(here)
    }

    #[inline]
    fn own(&self, here: Attached<'_>) {
        self.owner.store(number(here), Ordering::Relaxed);
    }

    #[inline]
    fn disown(&self) {
        self.owner.store(0, Ordering::Relaxed);
    }

    /// If there is one hold.
    fn try_disown(&self) -> bool {
        let is_only = u64::from(count(&self.updates)) + u64::from(count(&self.exclusives)) == 1;
        if is_only {
            self.disown();
        }
        is_only
    }

    /// The first hold.
    #[inline]
    fn begin(&self, here: Attached<'_>, holds: &AtomicU32) -> bool {
        self.own(here);
        once_more(holds)
    }
}

/// A registered thread's number, which is never used again (I10).
#[inline]
fn number(here: Attached<'_>) -> u64 {
    let _ = here;
    let Some(thread) = current::entry() else {
        unreachable!("a token exists only on a registered thread")
    };
    thread.id.0
}

#[inline]
fn count(holds: &AtomicU32) -> u32 {
    holds.load(Ordering::Relaxed)
}

/// False if that is too often.
#[inline]
fn once_more(holds: &AtomicU32) -> bool {
    let more = count(holds).checked_add(1);
    more.inspect(|more| holds.store(*more, Ordering::Relaxed)).is_some()
}

/// True if that was the last one.
#[inline]
fn once_less(holds: &AtomicU32) -> bool {
    let left = count(holds) - 1;
    holds.store(left, Ordering::Relaxed);
    left == 0
}

impl<T: ?Sized> RecursiveSuxLock<T> {
    /// The value, which nobody else can reach: without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for RecursiveSuxLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RecursiveSuxLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// Without the value, for which it would have to be locked.
impl<T: ?Sized> fmt::Debug for RecursiveSuxLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecursiveSuxLock").finish_non_exhaustive()
    }
}
