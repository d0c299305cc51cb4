//! How a thread leaves: hooks, then draining, then drops in reverse (I5).

use std::sync::atomic::Ordering;

use super::current;
use super::entry::{Phase, ThreadEntry};
use crate::fault::{self, Fault};
use crate::global::descriptor::GlobalDescriptor;
use crate::hooks;
use crate::mode;
use crate::module::{Hook, linked_modules};
use crate::registry::REGISTRY;
use crate::token::Attached;

/// The calling thread, at depth 0, meets a closed gate: a shutdown waits for it, or its runtime is
/// gone.
#[cold]
#[inline(never)]
pub(super) fn leave_closed() {
    let idle = |entry: &&ThreadEntry| entry.phase() == Phase::Active && entry.depth() == 0;
    if current::entry().filter(idle).is_some() {
        leave();
    }
}

/// The calling thread lets go of everything. It must be at depth 0 and not draining.
pub(super) fn leave() {
    let Some(entry) = current::entry() else { return };
    entry.admits.store(0, Ordering::Relaxed);
    end_modules(entry);
    entry.set_phase(Phase::Draining);
    REGISTRY.close(entry);
    REGISTRY.wait_for_readers(entry);
    drop_values(entry);
    drop_statics(entry);
    REGISTRY.unlink(entry, true);
    current::forget();
}

/// The thread ends where its values must not be dropped: inside an attach, or in the middle of a
/// drain (`process::exit` called there runs TLS destructors). Its values leak (I4).
///
/// Nobody is waited for: readers may wait for what this thread holds, and its TLS block stays until
/// the process ends. Where that is not so, [`vanish`] follows.
pub(super) fn abandon(entry: &ThreadEntry) {
    entry.admits.store(0, Ordering::Relaxed);
    REGISTRY.close(entry);
}

/// An abandoned thread ends indeed, and its TLS block is about to be reused: nobody may look at its
/// values any more.
pub(super) fn vanish(entry: &ThreadEntry) {
    REGISTRY.wait_for_readers(entry);
    REGISTRY.unlink(entry, false);
    current::forget();
}

/// Runs the `thread_shutdown` hooks of the modules that have begun here, in reverse and attached.
/// When the modules go down meanwhile, it is too late for hooks.
fn end_modules(entry: &ThreadEntry) {
    entry.set_phase(Phase::Leaving);
    // Not an `Inside`: its end would look for a leave that waits, and this is that leave.
    entry.depth.store(1, Ordering::Relaxed);
    while let Some(last) = entry.begun.get().checked_sub(1) {
        entry.begun.set(last);
        let module = entry.modules[last];
        if !REGISTRY.modules_are_up(entry.generation) {
            break;
        }
        if let Some(hook) = module.descriptor().hooks.thread_shutdown {
            // SAFETY: the thread is at depth 1 until after the hooks (I4).
            let here = unsafe { Attached::assume() };
            hooks::run_to_end(module, Hook::ThreadShutdown, || hook(here));
        }
    }
    entry.depth.store(0, Ordering::Release);
}

fn drop_values(entry: &ThreadEntry) {
    // SAFETY: this is the owner, at depth 0, and the entry is closed to pins (I1, I4).
    while let Some(header) = unsafe { entry.values.pop() } {
        // SAFETY: a popped node is this thread's alone until it is freed, below (I1).
        let global = unsafe { header.as_ref() }.key;
        entry.heap_bytes.fetch_sub(global.size, Ordering::Relaxed);
        // SAFETY: the node was pushed for this global, is popped once and no reference to its value
        // exists at depth 0 (I4); it is cleared from its slot before it is dropped (I5).
        let dropped = fault::catch(|| unsafe { global.free_value(header) });
        report_panic(entry, global, dropped);
    }
}

/// Drops the statics of all linked modules, listed or not, in reverse of their order.
fn drop_statics(entry: &ThreadEntry) {
    mode::mark_statics_stale(true);
    // The started modules first, in reverse of their start; then whatever else is linked. What comes
    // twice is not in the table the second time.
    let started = entry.modules.iter().rev().map(|module| module.descriptor());
    let globals = started.chain(linked_modules()).flat_map(|module| module.globals().rev());
    for global in globals.filter(|global| global.drops_in_place()) {
        let Some(value) = entry.take_static(global) else { continue };
        // SAFETY: this is the owner, at depth 0, and the entry is closed to pins (I1, I4); marked
        // stale above, the value is not used again before it is renewed.
        let dropped = fault::catch(|| unsafe { global.drop_static(value) });
        report_panic(entry, global, dropped);
    }
}

fn report_panic(entry: &ThreadEntry, global: &GlobalDescriptor, dropped: Result<(), String>) {
    if let Err(message) = dropped {
        REGISTRY.report(&Fault {
            module: global.module,
            global: Some(global.name),
            hook: None,
            thread: Some(entry.label()),
            message,
        });
    }
}
