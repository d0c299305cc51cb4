//! What is done for retired modules outside the registry's lock.

use crate::fault::{self, Fault};
use crate::hooks;
use crate::module::entry::ModuleEntry;
use crate::module::{Hook, Shutdown};
use crate::registry::{REGISTRY, Step};
use crate::thread::current;
use crate::thread::identity::Straggler;

/// Moves all retired modules on as far as they can, and gives released places away. Called by a thread that
/// came by or left; the callers of a retire use [`settle_as_caller`].
pub(crate) fn settle() {
    run(false);
}

/// As [`settle`]; also stops the modules that callers wait for.
pub(crate) fn settle_as_caller() {
    run(true);
}

fn run(is_caller: bool) {
    while let Some(step) = REGISTRY.next_step(is_caller) {
        match step {
            Step::Stop(entry) => {
                stop(&entry, &[], true);
                REGISTRY.set_down(&entry);
            }
            Step::Forget(entry) => drop(entry),
        }
    }
}

/// Runs a module's `module_shutdown` hook, then drops its shared values in reverse; they leak if they may
/// be in use.
pub(crate) fn stop(entry: &ModuleEntry, stragglers: &[Straggler], is_out_of_use: bool) {
    if let Some(hook) = entry.descriptor().hooks.module_shutdown {
        let mut phase = Shutdown { entry, stragglers };
        hooks::run_to_end(entry.module(), Hook::ModuleShutdown, || hook(&mut phase));
    }
    if is_out_of_use {
        drop_shared(entry);
    }
}

/// Drops a module's shared values in reverse. Nobody can have a reference to one, or get one (I11).
pub(crate) fn drop_shared(entry: &ModuleEntry) {
    for value in entry.shared_values().iter().rev() {
        // SAFETY: the caller says so (I11), and each module is stopped once.
        if let Err(message) = fault::catch(|| unsafe { value.drop_value() }) {
            let shared = value.descriptor();
            REGISTRY.report(&Fault {
                module: Some(shared.module),
                global: Some(shared.name),
                hook: None,
                thread: current::entry().map(|entry| entry.label()),
                message,
            });
        }
    }
}
