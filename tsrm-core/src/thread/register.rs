//! A thread's first attach: from unknown to registered.

use super::current::{self, Inside, Wanted};
use super::entry::ThreadEntry;
use super::{exit, teardown};
use crate::error::AttachError;
use crate::global::GlobalDescriptor;
use crate::mode;
use crate::module::{Hook, linked_globals};
use crate::registry::REGISTRY;
use crate::runtime::{Attached, hooks};

/// Registers the calling thread with the runtime `wanted`, or the one that runs, and runs the
/// `thread_startup` hooks inside the level of depth that it returns.
pub(super) fn register(wanted: Wanted) -> Result<Inside, AttachError> {
    exit::arm()?;
    let name = exit::thread_name();
    let statics = static_addresses();
    let entry = REGISTRY.link(wanted, |generation, id, modules| {
        ThreadEntry::new(generation, id, name, modules, statics)
    })?;
    // Only now is this thread the owner: in a single-threaded build the statics were another's.
    renew_statics();
    REGISTRY.open(entry.id);
    let level = Inside::deepen(&entry);
    current::remember(entry);
    start_modules(level)
}

/// This thread's address of every linked static global, in the order of their indices.
fn static_addresses() -> Box<[*mut u8]> {
    let mut addresses = Vec::with_capacity(REGISTRY.statics());
    addresses.extend(linked_globals().filter_map(GlobalDescriptor::static_address));
    addresses.into_boxed_slice()
}

/// Gives the statics of an earlier registration their initial image again.
fn renew_statics() {
    if !mode::mark_statics_stale(false) {
        return;
    }
    for global in linked_globals() {
        // SAFETY: this thread owns the statics (it is linked, I9), they were dropped when it left
        // (that is what stale says), and no reference exists at depth 0 (I4).
        unsafe { global.renew_static() };
    }
}

/// Runs the `thread_startup` hooks in order. When one fails, those that began are ended and the
/// thread leaves again.
fn start_modules(level: Inside) -> Result<Inside, AttachError> {
    let entry = level.entry();
    for module in entry.modules.iter() {
        let Some(hook) = module.descriptor().hooks.thread_startup else {
            entry.begun.set(entry.begun.get() + 1);
            continue;
        };
        // SAFETY: `level` is a level of depth of this thread, and outlives the call (I4).
        let here = unsafe { Attached::assume() };
        if let Err(error) = hooks::run(*module, Hook::ThreadStartup, || hook(here)) {
            drop(level);
            teardown::leave();
            return Err(AttachError::Hook(error));
        }
        entry.begun.set(entry.begun.get() + 1);
    }
    Ok(level)
}
