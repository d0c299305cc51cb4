//! Guards: a lock that is held, for as long as the guard lives; and tokens: one that stays held.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::time::{Duration, Instant};

use super::deadline::deadline;
use super::held::{Exclusive, Lock, LockRef, Recursive, Shared, Update, ValueOf};
use super::watch::{self, Held, Wait};
use crate::token::Attached;

/// A guard of shared access.
pub type SharedGuard<'t, L> = Guard<'t, Shared, L>;
/// A guard of access for update.
pub type UpdateGuard<'t, L> = Guard<'t, Update, L>;
/// A guard of exclusive access: also a mutex's.
pub type ExclusiveGuard<'t, L> = Guard<'t, Exclusive, L>;

/// A lock that is held in the mode `M`, until this is dropped.
///
/// `L` is what refers to the lock: `&SuxLock<T>`, or an `Arc` of it if the guard is to own it. The guard
/// stays on its thread and within the attach; it can be [turned into a token](Self::into_token), which does not.
///
/// A panic that drops it releases the lock like anything else: there is no poisoning. If it is leaked, the lock stays
/// held.
#[must_use = "the lock is released when the guard is dropped"]
pub struct Guard<'t, M, L: LockRef<M>> {
    pub(super) lock: L,
    pub(super) here: Attached<'t>,
    _mode: PhantomData<M>,
}

// SAFETY: all that another thread gets from it is `&T` (I14).
unsafe impl<M, L: LockRef<M> + Sync> Sync for Guard<'_, M, L> where ValueOf<M, L>: Sync {}

/// A lock that is held in the mode `M` by nobody in particular.
///
/// It can go to another thread, and be [turned into a guard](Guard::from_token) there. If it is dropped the
/// lock stays held, for ever. `L` refers to the lock, so that this stays where it is.
#[must_use = "the lock stays held"]
pub struct Token<M, L: LockRef<M>> {
    lock: L,
    _mode: PhantomData<M>,
}

/// Acquiring. What the locks' own methods do, for any reference to one: so also for an [`Arc`](std::sync::Arc).
impl<'t, M, L: LockRef<M>> Guard<'t, M, L> {
    /// Waits until the lock is free.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tsrm::sync::{ExclusiveGuard, SuxLock};
    ///
    /// # #[tsrm::module]
    /// # mod pages {}
    /// # let tsrm = tsrm::Runtime::start([pages::MODULE]).unwrap();
    /// let page = Arc::new(SuxLock::new(vec![0; 4096]));
    /// tsrm.attach(|here| {
    ///     let mut latched = ExclusiveGuard::acquire(Arc::clone(&page), here); // keeps the page alive
    ///     latched[0] = 1;
    /// });
    /// # let page = Arc::into_inner(page).unwrap().into_inner();
    /// # assert_eq!(page[0], 1);
    /// ```
    ///
    /// # Panics
    /// In a single-threaded build: the lock is not free. There are 2^26 shared holders (which were leaked).
    /// With the feature `deadlock-detection`: this would wait for ever.
    #[inline]
    #[track_caller]
    pub fn acquire(lock: L, here: Attached<'t>) -> Self {
        if !lock.try_acquire(here) {
            wait::<M, L::Target>(&lock, here, None);
        }
        Self::acquired(lock, here)
    }

    /// If the lock is free.
    #[inline]
    #[track_caller]
    #[must_use = "the lock is released when the guard is dropped"]
    pub fn try_acquire(lock: L, here: Attached<'t>) -> Option<Self> {
        lock.try_acquire(here).then(|| Self::acquired(lock, here))
    }

    /// Waits until the lock is free, at most that long. In a single-threaded build there is nothing to wait for.
    #[inline]
    #[track_caller]
    #[must_use = "the lock is released when the guard is dropped"]
    pub fn acquire_timeout(lock: L, here: Attached<'t>, timeout: Duration) -> Option<Self> {
        let got =
            lock.try_acquire(here) || wait::<M, L::Target>(&lock, here, Some(deadline(timeout)));
        got.then(|| Self::acquired(lock, here))
    }

    /// Waits until the lock is free, at most until then. In a single-threaded build there is nothing to wait for.
    #[inline]
    #[track_caller]
    #[must_use = "the lock is released when the guard is dropped"]
    pub fn acquire_until(lock: L, here: Attached<'t>, deadline: Instant) -> Option<Self> {
        let got = lock.try_acquire(here) || wait::<M, L::Target>(&lock, here, Some(deadline));
        got.then(|| Self::acquired(lock, here))
    }

    #[inline]
    #[track_caller]
    fn acquired(lock: L, here: Attached<'t>) -> Self {
        watch::acquired(here, <L::Target as Lock<M>>::ACQUISITION);
        Self::received(lock, here)
    }

    /// Of a lock that is held for this thread.
    #[inline]
    #[track_caller]
    fn received(lock: L, here: Attached<'t>) -> Self {
        watch::held(here, held::<M, L::Target>(&lock));
        Self { lock, here, _mode: PhantomData }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn wait<M, K: Lock<M> + ?Sized>(lock: &K, here: Attached<'_>, deadline: Option<Instant>) -> bool {
    let wait = Wait::begin(held::<M, K>(lock), deadline.is_some(), lock.is_upgrade(here));
    let got = lock.acquire_contended(here, deadline);
    wait.end(got);
    got
}

#[inline]
#[track_caller]
pub(super) fn held<M, K: Lock<M> + ?Sized>(lock: &K) -> Held {
    Held::new(lock.address(), K::MODE)
}

/// Passing a lock on.
impl<'t, M, L: LockRef<M>> Guard<'t, M, L> {
    /// Lets go of this thread, not of the lock: for what is locked here and released there. A token that does not arrive
    /// (the closure that owns it is never run, the channel is closed) leaves the lock locked.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tsrm::sync::{ExclusiveGuard, SuxLock};
    ///
    /// # #[tsrm::module]
    /// # mod pages {}
    /// # if tsrm::SINGLE_THREADED { return }
    /// # let tsrm = tsrm::Runtime::start([pages::MODULE]).unwrap();
    /// let page = Arc::new(SuxLock::new(vec![0; 4096]));
    /// let token = tsrm.attach(|here| {
    ///     // Latched here, for a read from the disk …
    ///     ExclusiveGuard::acquire(Arc::clone(&page), here).into_token()
    /// });
    /// let completion = std::thread::spawn(move || {
    ///     // … and released by its completion there.
    ///     tsrm.attach(|here| ExclusiveGuard::from_token(here, token)[0] = 1);
    /// });
    /// completion.join().unwrap();
    /// tsrm.attach(|here| assert_eq!(page.shared(here)[0], 1));
    /// ```
    #[inline]
    pub fn into_token(self) -> Token<M, L>
    where
        M: Passable,
    {
        match self.pass() {
            Ok(token) => token,
            Err(_) => unreachable!("only recursive holds may have to stay"),
        }
    }

    /// Goes on with what a token stands for.
    #[inline]
    #[track_caller]
    pub fn from_token(here: Attached<'t>, token: Token<M, L>) -> Self {
        // SAFETY: a token is made by `pass`, and is no more (I14).
        unsafe { token.lock.receive(here) };
        Self::received(token.lock, here)
    }

    fn pass(self) -> Result<Token<M, L>, Self> {
        // SAFETY: a guard is a hold of this thread's (I14).
        if !unsafe { self.lock.pass() } {
            return Err(self);
        }
        watch::let_go(self.here, held::<M, L::Target>(&self.lock));
        Ok(Token { lock: self.into_lock(), _mode: PhantomData })
    }

    /// Without releasing it.
    #[inline]
    fn into_lock(self) -> L {
        let guard = ManuallyDrop::new(self);
        // SAFETY: `guard` is not dropped, so this is the only one.
        unsafe { ptr::read(&raw const guard.lock) }
    }
}

impl<'t, M, L: LockRef<Recursive<M>>> Guard<'t, Recursive<M>, L> {
    /// As [`into_token`](Self::into_token), if this is the only hold that this thread has of the lock for update or
    /// exclusively.
    ///
    /// # Errors
    /// The guard, if there are others.
    #[inline]
    pub fn try_into_token(self) -> Result<Token<Recursive<M>, L>, Self> {
        self.pass()
    }
}

/// Modes in which a hold can always be passed on. Sealed.
#[diagnostic::on_unimplemented(
    message = "a recursive hold cannot always be passed on: its thread may have others of the same lock",
    label = "use `try_into_token` here"
)]
pub trait Passable: passable::Sealed {}
impl Passable for Shared {}
impl Passable for Update {}
impl Passable for Exclusive {}

mod passable {
    use super::{Exclusive, Shared, Update};

    pub trait Sealed {}
    impl Sealed for Shared {}
    impl Sealed for Update {}
    impl Sealed for Exclusive {}
}

impl<'t, M, L: LockRef<M>> Guard<'t, M, L> {
    /// The lock is held in the mode `N` now.
    #[inline]
    #[track_caller]
    pub(super) fn converted<N>(self) -> Guard<'t, N, L>
    where
        L: LockRef<N>,
    {
        let here = self.here;
        watch::let_go(here, held::<M, L::Target>(&self.lock));
        Guard::received(self.into_lock(), here)
    }
}

impl<M, L: LockRef<M>> Drop for Guard<'_, M, L> {
    #[inline]
    fn drop(&mut self) {
        watch::let_go(self.here, held::<M, L::Target>(&self.lock));
        // SAFETY: a guard is a hold of this thread's, which is attached (I14).
        unsafe { self.lock.release() };
    }
}

impl<M, L: LockRef<M>> Deref for Guard<'_, M, L> {
    type Target = ValueOf<M, L>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        // SAFETY: held, in whichever mode: nobody has a `&mut` but by this guard (I14).
        unsafe { &*self.lock.value() }
    }
}

impl<L: LockRef<Exclusive>> DerefMut for Guard<'_, Exclusive, L> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: held exclusively, and this guard is borrowed (I14).
        unsafe { &mut *self.lock.value() }
    }
}

impl<M, L: LockRef<M>> fmt::Debug for Guard<'_, M, L>
where
    ValueOf<M, L>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<M, L: LockRef<M>> fmt::Display for Guard<'_, M, L>
where
    ValueOf<M, L>: fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<M, L: LockRef<M>> fmt::Debug for Token<M, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").finish_non_exhaustive()
    }
}
