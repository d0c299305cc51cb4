//! `fork`: the child has the forking thread only, and the registry in order.
//!
//! The thread that forks holds the registry's lock meanwhile, so that the child does not inherit it
//! from a thread that it does not have.

#![deny(unsafe_code)]

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::MutexGuard;

use crate::registry::{REGISTRY, State};
use crate::thread::current;

thread_local! {
    /// The lock, from before a fork until after it. Without a destructor, so that also a destructor
    /// may fork.
    static HELD: ManuallyDrop<RefCell<Option<MutexGuard<'static, State>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

pub(crate) fn before() {
    let guard = REGISTRY.lock_for_fork();
    HELD.with(|held| *held.borrow_mut() = Some(guard));
}

pub(crate) fn after_in_parent() {
    HELD.with(|held| held.borrow_mut().take());
}

pub(crate) fn after_in_child() {
    let survivor = current::entry().map(|entry| entry.id);
    HELD.with(|held| {
        if let Some(mut state) = held.borrow_mut().take() {
            state.mark_forked(survivor);
        }
    });
}
