//! How a thread leaves, or lets go of a part: hooks, then draining, then drops in reverse (I5).

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use super::current;
use super::entry::{Phase, Stage, ThreadEntry};
use super::modules;
use super::values::Condemned;
use crate::fault::{self, Fault};
use crate::global::descriptor::{GlobalDescriptor, Origin};
use crate::hooks;
use crate::mode;
use crate::module::entry::ModuleEntry;
use crate::module::{Hook, linked_modules, linked_statics};
use crate::registry::REGISTRY;
use crate::retire;
use crate::token::Attached;

/// The calling thread lets go of everything. It must be at depth 0 and not draining.
///
/// Ends with users' code at depth 0, if this was the last thread that a retired module waited for; that may
/// have registered the thread again.
pub(super) fn leave() {
    let Some(entry) = current::entry() else { return };
    REGISTRY.begin_leave(entry);
    end_modules(entry, true);
    modules::choose(entry, |_| true);
    entry.set_phase(Phase::Draining);
    REGISTRY.close(entry);
    REGISTRY.wait_for_readers(entry);
    drop_values(entry, entry.values.take(|_| true));
    drop_statics(entry);
    modules::forget(entry);
    REGISTRY.unlink(entry, true);
    // Not before: others look into it while the thread is linked.
    entry.values.table.clear();
    current::forget();
    retire::settle();
}

/// The thread ends where its values must not be dropped: inside an attach, or in the middle of a
/// drain (`process::exit` called there runs TLS destructors). Its values leak (I4).
///
/// Nobody is waited for: readers may wait for what this thread holds, and its TLS block stays until
/// the process ends. Where that is not so, [`vanish`] follows.
pub(super) fn abandon(entry: &ThreadEntry) {
    entry.gate.close();
    REGISTRY.close(entry);
}

/// An abandoned thread ends indeed, and its TLS block is about to be reused: nobody may look at its
/// values any more.
pub(super) fn vanish(entry: &ThreadEntry) {
    REGISTRY.wait_for_readers(entry);
    REGISTRY.unlink(entry, false);
    current::forget();
}

/// Runs the `thread_shutdown` hooks of the modules that are going, or of all, in reverse and attached.
/// When one has gone down meanwhile, it is too late for its hook.
pub(super) fn end_modules(entry: &ThreadEntry, all: bool) {
    entry.set_phase(Phase::Leaving);
    // Not an `Inside`: its end would look for what this is in the middle of.
    entry.gate.enter();
    // As in an attach the slow way: for threads whose gate never opens.
    fence(Ordering::SeqCst);
    while let Some(module) = next_owed(entry, all) {
        let Some(hook) = module.descriptor().hooks.thread_shutdown else { continue };
        if REGISTRY.modules_are_up(entry.generation) && module.runs_hooks() {
            // SAFETY: the thread is at depth 1 until after the hooks (I4).
            let here = unsafe { Attached::assume() };
            hooks::run_to_end(module.module(), Hook::ThreadShutdown, || hook(here));
        }
    }
    let _ = entry.gate.leave();
    entry.set_phase(Phase::Active);
}

/// Asked again after each hook, which may have begun with another module.
fn next_owed(entry: &ThreadEntry, all: bool) -> Option<Arc<ModuleEntry>> {
    let mut begun = entry.begun.borrow_mut();
    let is_owed = |stage| stage == Stage::Going { owed: true } || (all && stage == Stage::Started);
    let last = begun.iter_mut().rev().find(|begun| is_owed(begun.stage))?;
    last.stage = Stage::Going { owed: false };
    Some(Arc::clone(&last.module))
}

/// Drops some of the thread's values, and the statics of some modules, which are renewed. The thread
/// stays registered; it cannot attach meanwhile (I5).
pub(super) fn drop_some(entry: &ThreadEntry, condemned: Condemned, changed: &[Arc<ModuleEntry>]) {
    let globals = changed.iter().rev().flat_map(|module| module.descriptor().globals().rev());
    let statics: Vec<_> = globals
        .filter(|global| global.is_static())
        .filter_map(|global| Some((global, entry.take_static(global)?)))
        .collect();
    if condemned.is_empty() && statics.is_empty() {
        return;
    }
    entry.set_phase(Phase::Draining);
    // New ones find none of this any more.
    REGISTRY.wait_for_present_readers(entry);
    drop_values(entry, condemned);
    for (global, value) in statics {
        drop_static(entry, global, value);
        // SAFETY: the owner at depth 0 (I1, I4, I9), and the value was dropped just now.
        unsafe { global.renew_static() };
        entry.put_static(global, value);
    }
    entry.set_phase(Phase::Active);
}

fn drop_values(entry: &ThreadEntry, mut condemned: Condemned) {
    while let Some(dying) = condemned.pop() {
        let origin = dying.kind().origin;
        if let Origin::Global(global) = origin {
            global.clear_slot();
        }
        // SAFETY: this is the owner, at depth 0, and whoever was looking has been waited for (I1, I4);
        // it was cleared from its slot before (I5).
        let dropped = fault::catch(|| unsafe { dying.drop_value() });
        report_panic(entry, origin, dropped);
    }
}

/// Drops all linked statics, of modules that are listed or not.
fn drop_statics(entry: &ThreadEntry) {
    mode::mark_statics_stale(true);
    // The thread's modules first, in reverse of their start; then whatever else is linked. What comes
    // twice is not in the list of addresses the second time.
    let begun = entry.begun.borrow();
    let begun = begun.iter().rev().map(|begun| begun.module.descriptor());
    let listed = begun.chain(linked_modules()).flat_map(|module| module.globals().rev());
    for global in listed.chain(linked_statics()).filter(|global| global.drops_in_place()) {
        if let Some(value) = entry.take_static(global) {
            drop_static(entry, global, value);
        }
    }
}

/// Its value is renewed before it is used again.
fn drop_static(entry: &ThreadEntry, global: &'static GlobalDescriptor, value: NonNull<u8>) {
    // SAFETY: this is the owner, at depth 0, and whoever was looking has been waited for (I1, I4); the
    // rest is the caller's promise.
    let dropped = fault::catch(|| unsafe { global.drop_static(value) });
    report_panic(entry, Origin::Global(global), dropped);
}

fn report_panic(entry: &ThreadEntry, origin: Origin, dropped: Result<(), String>) {
    if let Err(message) = dropped {
        let (module, name) = match origin {
            Origin::Global(global) => (Some(global.module), global.name),
            Origin::Resource(name) => (None, name),
        };
        REGISTRY.report(&Fault {
            module,
            global: Some(name),
            hook: None,
            thread: Some(entry.label()),
            message,
        });
    }
}
