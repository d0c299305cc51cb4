//! What a thread has to do with modules: it begins with those that came up.
//!
//! To begin is to mark the module's place in the thread's table and to run its `thread_startup` hook:
//! for all modules inside the first attach, for later ones inside the next outermost attach, or in the
//! middle of one at the first use of a global on the heap.
//! What it has begun with goes at depth 0 only.

use std::sync::Arc;

use super::entry::{Begun, Stage, ThreadEntry};
use super::values;
use crate::error::{AccessError, AttachError, HookError};
use crate::global::descriptor::GlobalDescriptor;
use crate::hooks;
use crate::module::Hook;
use crate::module::entry::ModuleEntry;
use crate::registry::REGISTRY;
use crate::token::Attached;

/// Inside an outermost attach: begins with every module that is up, in order.
pub(super) fn begin_all(entry: &ThreadEntry) -> Result<(), AttachError> {
    loop {
        if !REGISTRY.modules_are_up(entry.generation) {
            return Err(AttachError::ShuttingDown);
        }
        let Some(module) = REGISTRY.next_module(entry) else { return Ok(()) };
        match begin(entry, &module) {
            // Retired meanwhile: it is not met again.
            Ok(()) | Err(Refusal::Gone | Refusal::TooEarly) => {}
            Err(Refusal::Hook(error)) => return Err(AttachError::Hook(error)),
            Err(Refusal::OutOfMemory) => return Err(AttachError::OutOfMemory),
        }
    }
}

/// Why a thread did not begin with a module.
enum Refusal {
    Hook(HookError),
    OutOfMemory,
    /// It is not up any more.
    Gone,
    /// One that it requires has not started on this thread: its hook is what asks.
    TooEarly,
}

/// Begins with one module, and before with those that it requires; where that was done it does nothing.
/// The thread must be attached.
fn begin(entry: &ThreadEntry, module: &Arc<ModuleEntry>) -> Result<(), Refusal> {
    let stage = |at: usize| entry.begun.borrow()[at].stage;
    let at = match position(entry, module) {
        Some(at) if stage(at) != Stage::Failed => return Ok(()),
        Some(at) => {
            entry.begun.borrow_mut()[at].stage = Stage::Starting;
            at
        }
        None => {
            begin_required(entry, module)?;
            entry.values.table.reserve(module.place()).map_err(|_| Refusal::OutOfMemory)?;
            entry.begun.borrow_mut().try_reserve(1).map_err(|_| Refusal::OutOfMemory)?;
            if !REGISTRY.hold(entry, module, values::marker()) {
                return Err(Refusal::Gone);
            }
            let (module, stage) = (Arc::clone(module), Stage::Starting);
            let mut begun = entry.begun.borrow_mut();
            begun.push(Begun { module, stage, in_request: false });
            begun.len() - 1
        }
    };
    // SAFETY: the caller's level of depth outlives the hook (I4).
    let here = unsafe { Attached::assume() };
    let result = match module.descriptor().hooks.thread_startup {
        Some(hook) => hooks::run(module.module(), Hook::ThreadStartup, || hook(here)),
        None => Ok(()),
    };
    // Still there: what a thread has begun with goes at depth 0 only.
    entry.begun.borrow_mut()[at].stage =
        if result.is_ok() { Stage::Started } else { Stage::Failed };
    if result.is_err() {
        // What it has built goes at depth 0. Until then nobody finds it, but by another try.
        module.descriptor().heap_globals().for_each(GlobalDescriptor::clear_slot);
        REGISTRY.call(entry);
    }
    result.map_err(Refusal::Hook)
}

/// Begins with what a module requires; through what threads do not begin with of themselves, too.
fn begin_required(entry: &ThreadEntry, module: &ModuleEntry) -> Result<(), Refusal> {
    for required in &module.requires {
        if !required.concerns_all_threads() {
            begin_required(entry, required)?;
            continue;
        }
        begin(entry, required)?;
        let is_starting = |at: usize| entry.begun.borrow()[at].stage == Stage::Starting;
        if position(entry, required).is_some_and(is_starting) {
            return Err(Refusal::TooEarly);
        }
    }
    Ok(())
}

fn position(entry: &ThreadEntry, module: &Arc<ModuleEntry>) -> Option<usize> {
    entry.begun.borrow().iter().position(|begun| Arc::ptr_eq(&begun.module, module))
}

/// The place of a global in the registration that this thread uses it by; begins with its module if the
/// thread has not met it.
pub(crate) fn begun_with(
    entry: &ThreadEntry,
    global: &'static GlobalDescriptor,
) -> Result<u32, AccessError> {
    let (module, name) = (global.module, global.name);
    if let Some(place) = find_begun(entry, global) {
        return Ok(place);
    }
    let met = REGISTRY.module_of(entry, global)?;
    begin(entry, &met).map_err(|error| match error {
        Refusal::Hook(error) => AccessError::Hook(error),
        Refusal::OutOfMemory => AccessError::OutOfMemory { module, global: name },
        Refusal::Gone => AccessError::ModuleRetired { module, global: name },
        Refusal::TooEarly => AccessError::ModuleNotStarted { module, global: name },
    })?;
    find_begun(entry, global).ok_or(AccessError::ModuleRetired { module, global: name })
}

/// One whose startup has failed does not count: it is tried again.
fn find_begun(entry: &ThreadEntry, global: &'static GlobalDescriptor) -> Option<u32> {
    let begun = entry.begun.borrow();
    let mut begun = begun.iter().rev().filter(|begun| begun.stage != Stage::Failed);
    match global.index().and_then(|index| u32::try_from(index).ok()) {
        Some(place) if REGISTRY.is_running(entry.generation) => {
            let is_there = begun.any(|begun| begun.module.places[1..].contains(&place));
            is_there.then_some(place)
        }
        // A straggler uses it by a registration that is over for others.
        _ => begun.find_map(|begun| begun.module.place_of(global)),
    }
}

/// Marks the modules that the thread is going to let go of.
pub(super) fn choose(entry: &ThreadEntry, goes: impl Fn(&Begun) -> bool) {
    let mut begun = entry.begun.borrow_mut();
    for begun in begun.iter_mut().filter(|begun| !begun.is_going() && goes(begun)) {
        begun.stage = Stage::Going { owed: begun.stage == Stage::Started };
    }
}

/// The thread holds them no longer; its values of them are dropped.
pub(super) fn forget(entry: &ThreadEntry) {
    let mut begun = entry.begun.borrow_mut();
    for begun in begun.iter().filter(|begun| begun.is_going()) {
        entry.values.table.set(begun.module.place(), std::ptr::null_mut());
    }
    begun.retain(|begun| !begun.is_going());
}
