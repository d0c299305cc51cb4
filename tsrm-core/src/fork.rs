//! `fork`: the child has the forking thread only, and the registry in order.
//!
//! The thread that forks holds the registry's lock meanwhile, so that the child does not inherit it
//! from a thread that it does not have. The handlers are installed when the executable is loaded:
//! handlers that others install later then run while the lock is free.

use std::cell::RefCell;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::MutexGuard;

use crate::registry::{REGISTRY, State};
use crate::sync::watch;
use crate::sys;
use crate::thread::{current, exit};

thread_local! {
    /// The lock, from before a fork until after it. Without a destructor, so that also a destructor
    /// may fork.
    static HELD: ManuallyDrop<RefCell<Option<MutexGuard<'static, State>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

const HANDLERS: sys::Handlers = sys::Handlers {
    thread_exit: exit::backstop,
    before_fork: before,
    after_fork_in_parent: after_in_parent,
    after_fork_in_child: after_in_child,
};

sys::at_load!({
    // What fails is tried again by the first start, which says so.
    let _ = install();
});

/// Gives the operating system what it calls back; only the first success counts.
pub(crate) fn install() -> io::Result<()> {
    sys::install(HANDLERS)
}

fn before() {
    let guard = REGISTRY.lock_for_fork();
    watch::before_fork();
    sys::futex::before_fork();
    HELD.with(|held| *held.borrow_mut() = Some(guard));
}

fn after_in_parent() {
    sys::futex::after_fork_in_parent();
    watch::after_fork();
    HELD.with(|held| held.borrow_mut().take());
}

fn after_in_child() {
    sys::futex::after_fork_in_child();
    watch::after_fork();
    let survivor = current::entry().map(|entry| entry.id);
    HELD.with(|held| {
        if let Some(mut state) = held.borrow_mut().take() {
            state.mark_forked(survivor);
        }
    });
}
