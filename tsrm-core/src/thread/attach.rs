//! The way in and out: what every attach runs.
//!
//! The fast path is a TLS load, one comparison and two stores to the entry; everything else is
//! `#[cold]`.

use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use super::current;
use super::entry::{Phase, ThreadEntry};
use super::{exit, modules, register, teardown, visit};
use crate::error::{AttachError, DetachError, refuse};
use crate::registry::{REGISTRY, Wanted};
use crate::retire;

/// Proof of one level of depth; dropping it leaves.
pub(crate) struct Inside(NonNull<ThreadEntry>);

impl Inside {
    /// One level deeper. The thread must be registered and not draining.
    #[inline]
    pub(crate) fn deepen(entry: &ThreadEntry) -> Self {
        entry.gate.enter();
        Self(NonNull::from(entry))
    }

    /// One level back, with nothing done in between that would have to be followed by anything.
    #[cold]
    fn take_back(self) -> Option<Self> {
        let _ = self.entry().gate.leave();
        std::mem::forget(self);
        None
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
        if self.entry().gate.leave() {
            at_rest();
        }
    }
}

/// The fast path: this thread is registered with that runtime, and nothing waits for it.
#[inline]
fn admitted(wanted: Wanted) -> Option<Inside> {
    let entry = current::entry()?;
    // First the depth, then the look at the gate: who closes it and finds the thread at depth 0 behind the
    // far half of the fence knows that it does not come in by this way.
    let level = Inside::deepen(entry);
    let admits = entry.gate.admits();
    let is_admitted = match wanted {
        Wanted::Generation(generation) => admits == generation,
        Wanted::Any => admits != 0,
    };
    if is_admitted { Some(level) } else { level.take_back() }
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

/// Not registered, called, leaving, draining, or a handle of another generation.
#[cold]
#[inline(never)]
fn enter_slow(wanted: Wanted) -> Result<Inside, AttachError> {
    let mut is_new = false;
    // Again after whatever may have run users' code at depth 0, which may have detached this thread, or
    // registered it.
    loop {
        let Some(entry) = current::entry() else {
            register::register(wanted)?;
            is_new = true;
            continue;
        };
        if exit::has_exited() {
            return Err(AttachError::ThreadExiting);
        }
        if entry.phase() == Phase::Draining {
            return Err(AttachError::Draining);
        }
        let is_other = matches!(wanted, Wanted::Generation(wanted) if wanted != entry.generation);
        if entry.gate.depth() > 0 {
            // Nested: the outer token is proof enough, also while a shutdown waits for this thread.
            return if is_other { Err(AttachError::Stale) } else { Ok(Inside::deepen(entry)) };
        }
        if !REGISTRY.is_running(entry.generation) {
            teardown::leave();
        } else if entry.is_called() {
            // Also if it is refused: it was at a depth for a moment, in which a waiter may have found it.
            visit::come_by(entry);
            retire::settle();
        } else if is_other {
            return Err(AttachError::Stale);
        } else if let Some(level) = deepen_unless_called(entry) {
            let begun = begin(level);
            if begun.is_err() && is_new {
                teardown::leave();
            }
            return begun;
        }
    }
}

/// From depth 0 to depth 1, where the gate is closed.
fn deepen_unless_called(entry: &ThreadEntry) -> Option<Inside> {
    if !REGISTRY.has_barrier() {
        entry.set_fenced();
    }
    let level = Inside::deepen(entry);
    // Pairs with the fence in `Registry::look_for_quiet`: that sees this depth, or this is seen to be called.
    fence(Ordering::SeqCst);
    if entry.is_called() { level.take_back() } else { Some(level) }
}

/// Begins with all modules that the thread has not met.
fn begin(level: Inside) -> Result<Inside, AttachError> {
    let entry = level.entry();
    if entry.may_begin.get() {
        modules::begin_all(entry)?;
        entry.may_begin.set(false);
    }
    REGISTRY.open_gate(entry);
    Ok(level)
}

/// The calling thread has left its outermost attach and found the gate closed: it is called, its runtime
/// shuts down, or its gate never opens.
#[cold]
#[inline(never)]
fn at_rest() {
    let is_at_rest =
        |entry: &&ThreadEntry| entry.phase() == Phase::Active && entry.gate.depth() == 0;
    // Again after what may have run users' code at depth 0: see `enter_slow`.
    while let Some(entry) = current::entry().filter(is_at_rest) {
        // Pairs with the fence in `Registry::look_for_quiet`: either that sees this thread at depth 0, or
        // this thread sees that it is called.
        fence(Ordering::SeqCst);
        if !REGISTRY.is_running(entry.generation) {
            return teardown::leave();
        }
        if !entry.is_called() {
            if !entry.may_begin.get() {
                REGISTRY.open_gate(entry);
            }
            return;
        }
        visit::come_by(entry);
        retire::settle();
    }
}

/// What the next attach would do first, if the thread is at depth 0. Users' code may run.
pub(crate) fn come_by_now() {
    let is_due =
        |entry: &&ThreadEntry| REGISTRY.is_wanted(entry) && REGISTRY.is_running(entry.generation);
    if let Some(entry) = current::entry().filter(is_due) {
        visit::come_by(entry);
    }
}

/// The same for a thread that is going to wait for others, who may wait for it; if its runtime does not run any
/// more, it leaves.
pub(crate) fn come_by_or_leave() {
    come_by_now();
    let is_over =
        |entry: &&ThreadEntry| REGISTRY.is_wanted(entry) && !REGISTRY.is_running(entry.generation);
    if current::entry().filter(is_over).is_some() {
        teardown::leave();
    }
}

/// Lets go of this thread's values now rather than at its exit, on behalf of a handle to that
/// runtime.
pub(crate) fn detach(generation: u32) -> Result<(), DetachError> {
    // Again, since what a leave ends with may attach.
    while let Some(entry) = current::entry() {
        may_detach(entry, generation)?;
        teardown::leave();
    }
    Ok(())
}

fn may_detach(entry: &ThreadEntry, generation: u32) -> Result<(), DetachError> {
    match entry.gate.depth() {
        _ if entry.generation > generation => Err(DetachError::Stale),
        _ if entry.phase() == Phase::Draining => Err(DetachError::Draining),
        0 => Ok(()),
        depth => Err(DetachError::Attached { depth }),
    }
}
