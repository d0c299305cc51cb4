//! The way in and out: what every attach runs.
//!
//! The fast path is a TLS load, one comparison and two stores to the entry; everything else is
//! `#[cold]`.

use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use super::current;
use super::entry::{Phase, ThreadEntry};
use super::{exit, register, teardown};
use crate::error::{AttachError, DetachError, refuse};
use crate::hooks;
use crate::module::Hook;
use crate::registry::{REGISTRY, Wanted};
use crate::token::Attached;

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
        // Release: pairs with the Acquire in `ThreadEntry::depth`.
        entry.depth.store(depth, Ordering::Release);
        if depth == 0 && entry.admits.load(Ordering::Relaxed) == 0 {
            teardown::leave_closed();
        }
    }
}

/// The fast path: this thread is registered with that runtime, and nothing waits for it.
#[inline]
fn admitted(wanted: Wanted) -> Option<Inside> {
    let entry = current::entry()?;
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
        Err(error) => refuse(error),
    }
}

/// Not registered, closed, leaving, draining, or a handle of another generation.
#[cold]
#[inline(never)]
fn enter_slow(wanted: Wanted) -> Result<Inside, AttachError> {
    if let Some(entry) = current::entry() {
        if exit::has_exited() {
            return Err(AttachError::ThreadExiting);
        }
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
    start_modules(Inside::deepen(register::register(wanted)?))
}

/// Lets go of this thread's values now rather than at its exit, on behalf of a handle to that
/// runtime.
pub(crate) fn detach(generation: u32) -> Result<(), DetachError> {
    match current::entry() {
        None => Ok(()),
        Some(entry) if entry.generation > generation => Err(DetachError::Stale),
        Some(entry) if entry.phase() == Phase::Draining => Err(DetachError::Draining),
        Some(entry) if entry.depth() > 0 => Err(DetachError::Attached { depth: entry.depth() }),
        Some(_) => {
            teardown::leave();
            Ok(())
        }
    }
}

/// Runs the `thread_startup` hooks in order. When one fails, or the modules go down meanwhile, those
/// that began are ended and the thread leaves again.
fn start_modules(level: Inside) -> Result<Inside, AttachError> {
    let entry = level.entry();
    let leave = |level, error| {
        drop(level);
        teardown::leave();
        Err(error)
    };
    for module in entry.modules.iter() {
        if !REGISTRY.modules_are_up(entry.generation) {
            return leave(level, AttachError::ShuttingDown);
        }
        if let Some(hook) = module.descriptor().hooks.thread_startup {
            // SAFETY: `level` is a level of depth of this thread, and outlives the call (I4).
            let here = unsafe { Attached::assume() };
            if let Err(error) = hooks::run(*module, Hook::ThreadStartup, || hook(here)) {
                return leave(level, AttachError::Hook(error));
            }
        }
        entry.begun.set(entry.begun.get() + 1);
    }
    if !REGISTRY.modules_are_up(entry.generation) {
        return leave(level, AttachError::ShuttingDown);
    }
    Ok(level)
}
