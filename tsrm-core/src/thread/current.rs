//! The calling thread's way in and out: what every attach runs.
//!
//! [`CURRENT`] holds the address of the thread's entry, in TLS without a destructor (I6, I7). The
//! fast path is that load, one comparison and two stores to the entry; everything else is `#[cold]`.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::entry::{Phase, ThreadEntry};
use super::{register, teardown};
use crate::error::{AttachError, DetachError};
use crate::runtime::refuse;

thread_local! {
    /// This thread's entry while it is registered. Owns one count of the `Arc`.
    static CURRENT: Cell<Option<NonNull<ThreadEntry>>> = const { Cell::new(None) };
}

/// The calling thread's entry.
///
/// The reference is good until this thread's next [`forget`], which only a teardown at depth 0
/// calls: do not keep it across a leave.
#[inline]
pub(crate) fn entry<'e>() -> Option<&'e ThreadEntry> {
    let entry = CURRENT.get()?;
    // SAFETY: `remember` stored a counted pointer, which only `forget` gives up (I6).
    Some(unsafe { entry.as_ref() })
}

/// Makes this the calling thread's entry.
pub(crate) fn remember(entry: Arc<ThreadEntry>) {
    let entry = NonNull::new(Arc::into_raw(entry).cast_mut());
    debug_assert!(CURRENT.get().is_none());
    CURRENT.set(entry);
}

/// The calling thread has no entry any more.
pub(crate) fn forget() {
    if let Some(entry) = CURRENT.take() {
        // SAFETY: `remember` leaked this count, and nothing but `CURRENT` held it (I6).
        drop(unsafe { Arc::from_raw(entry.as_ptr()) });
    }
}

/// The entry with a count of its own.
pub(crate) fn share(entry: &ThreadEntry) -> Arc<ThreadEntry> {
    let entry: *const ThreadEntry = entry;
    // SAFETY: every entry lives in an `Arc` (`Registry::link` is the only maker), and a reference to
    // it shows that a count is left.
    unsafe { Arc::increment_strong_count(entry) };
    // SAFETY: the count just added is this one's.
    unsafe { Arc::from_raw(entry) }
}

/// Proof of one level of depth; dropping it leaves.
pub(crate) struct Inside(NonNull<ThreadEntry>);

impl Inside {
    /// One level deeper. The thread must be registered and not draining.
    #[inline]
    pub(crate) fn deepen(entry: &ThreadEntry) -> Self {
        let depth = entry.depth.load(Ordering::Relaxed);
        // Relaxed: only this thread writes it, and nobody waits for it to rise.
        entry.depth.store(depth + 1, Ordering::Relaxed);
        Self(NonNull::from(entry))
    }

    /// The entry, which stays for as long as the thread is inside.
    #[inline]
    pub(crate) fn entry(&self) -> &ThreadEntry {
        // SAFETY: values and entries go at depth 0 only (I4), and `self` is a level.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        let entry = self.entry();
        let depth = entry.depth.load(Ordering::Relaxed) - 1;
        // Release: what was done inside is done for whoever sees this thread at a lower depth.
        entry.depth.store(depth, Ordering::Release);
        if depth == 0 && entry.admits.load(Ordering::Relaxed) == 0 {
            teardown::leave_closed();
        }
    }
}

/// Which runtime to enter.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    /// The one with this generation.
    Generation(u32),
    /// Whichever runs.
    Any,
}

/// The fast path: this thread is registered with that runtime, and nothing waits for it.
#[inline]
fn admitted(wanted: Wanted) -> Option<Inside> {
    let entry = entry()?;
    // Relaxed: a shutdown that this misses is seen when the thread leaves.
    let admits = entry.admits.load(Ordering::Relaxed);
    let is_admitted = match wanted {
        Wanted::Generation(generation) => admits == generation,
        Wanted::Any => admits != 0,
    };
    is_admitted.then(|| Inside::deepen(entry))
}

/// One level deeper in that runtime.
#[inline]
pub(crate) fn enter(wanted: Wanted) -> Result<Inside, AttachError> {
    match admitted(wanted) {
        Some(level) => Ok(level),
        None => enter_slow(wanted),
    }
}

/// As [`enter`], or panics. Apart from it so that no error has to be carried on the hot path.
#[inline]
#[track_caller]
pub(crate) fn enter_or_panic(wanted: Wanted) -> Inside {
    match admitted(wanted) {
        Some(level) => level,
        None => enter_or_panic_slow(wanted),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn enter_or_panic_slow(wanted: Wanted) -> Inside {
    match enter_slow(wanted) {
        Ok(level) => level,
        Err(error) => refuse(&error),
    }
}

/// Not registered, closed, leaving, draining, or a handle of another generation.
#[cold]
#[inline(never)]
fn enter_slow(wanted: Wanted) -> Result<Inside, AttachError> {
    if let Some(entry) = entry() {
        if entry.phase() == Phase::Draining {
            return Err(AttachError::Draining);
        }
        if entry.depth() > 0 {
            // Nested: the outer token is proof enough, also while a shutdown waits for this thread.
            return match wanted {
                Wanted::Generation(wanted) if wanted != entry.generation => Err(AttachError::Stale),
                _ => Ok(Inside::deepen(entry)),
            };
        }
        if entry.admits.load(Ordering::Relaxed) != 0 {
            return Err(AttachError::Stale);
        }
        teardown::leave_closed();
    }
    register::register(wanted)
}

/// Lets go of this thread's values now rather than at its exit.
pub(crate) fn detach() -> Result<(), DetachError> {
    match entry() {
        None => Ok(()),
        Some(entry) if entry.phase() == Phase::Draining => Err(DetachError::Draining),
        Some(entry) if entry.depth() > 0 => Err(DetachError::Attached { depth: entry.depth() }),
        Some(_) => {
            teardown::leave();
            Ok(())
        }
    }
}
