//! What the locks have in common: how each is taken and given back in each mode in which it can be held.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use super::watch::{Event, Mode};
use crate::token::Attached;

/// Held shared, with others.
#[derive(Debug)]
pub enum Shared {}

/// Held for update: by one, and with shared holders beside it.
#[derive(Debug)]
pub enum Update {}

/// Held exclusively.
#[derive(Debug)]
pub enum Exclusive {}

/// Held as often as its thread likes, for update or exclusively: see [`RecursiveSuxLock`](super::RecursiveSuxLock).
#[derive(Debug)]
pub struct Recursive<M>(M);

/// A kind of lock that can be held in the mode `M`. Sealed.
///
/// What is acquired in a mode is released once in that mode, by the thread that acquired it or, where the hold
/// was [passed](Self::pass) on, by the one that received it (I14).
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no lock that can be held in the mode `{M}`",
    note = "what is given to a guard is the `Arc` itself (`Arc::clone(&lock)`), or a reference to the lock (`&*lock`)",
    note = "a mutex has `Exclusive` only, a recursive lock `Shared`, `Recursive<Update>` and `Recursive<Exclusive>`"
)]
pub trait Lock<M>: sealed::Sealed {
    /// What it guards.
    type Value: ?Sized;
    /// As what an acquisition is counted.
    const ACQUISITION: Event;
    /// As what it is recorded for the detection of deadlocks.
    const MODE: Mode;

    /// Takes the lock if it is free.
    fn try_acquire(&self, here: Attached<'_>) -> bool;

    /// Waits for the lock. False if the deadline passed first.
    fn acquire_contended(&self, here: Attached<'_>, deadline: Option<Instant>) -> bool;

    /// Gives it back.
    ///
    /// # Safety
    /// The calling thread is attached, and this is for a hold in this mode that it has acquired or received (I14).
    unsafe fn release(&self);

    /// The hold leaves this thread. False if that cannot be.
    ///
    /// # Safety
    /// As for [`release`](Self::release).
    unsafe fn pass(&self) -> bool {
        true
    }

    /// The hold comes to this thread.
    ///
    /// # Safety
    /// It was passed on, and nobody else receives it (I14).
    unsafe fn receive(&self, here: Attached<'_>) {
        let _ = here;
    }

    /// Whether it would be acquired by upgrading what the thread has already.
    fn is_upgrade(&self, here: Attached<'_>) -> bool {
        let _ = here;
        false
    }

    /// By which it is known to those that watch.
    fn address(&self) -> usize;

    /// What it guards.
    fn value(&self) -> *mut Self::Value;
}

/// What refers to a lock that can be held in the mode `M`: a reference or an [`Arc`]. Sealed.
pub trait LockRef<M>: Deref<Target: Lock<M>> + sealed::Sealed {}

impl<M, K: Lock<M> + ?Sized> LockRef<M> for &K {}
impl<M, K: Lock<M> + ?Sized> LockRef<M> for Arc<K> {}

/// What a guard of `L` in the mode `M` derefs to.
pub(super) type ValueOf<M, L> = <<L as Deref>::Target as Lock<M>>::Value;

pub(super) mod sealed {
    use std::sync::Arc;

    pub trait Sealed {}
    impl<K: ?Sized> Sealed for &K {}
    impl<K: ?Sized> Sealed for Arc<K> {}
}
