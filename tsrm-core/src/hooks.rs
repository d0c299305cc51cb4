//! Running hooks so that no panic gets out of one (I8).

use crate::error::{HookError, HookFailure};
use crate::fault::{self, Fault};
use crate::module::{Error, Hook, Module};
use crate::registry::REGISTRY;
use crate::thread::current;

/// Runs a hook that may refuse.
pub(crate) fn run(
    module: Module,
    hook: Hook,
    call: impl FnOnce() -> Result<(), Error>,
) -> Result<(), HookError> {
    let cause = match fault::catch(call) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => HookFailure::Returned(error),
        Err(message) => HookFailure::Panicked(message),
    };
    Err(HookError { module: module.name(), hook, cause })
}

/// Runs a hook that ends something: a panic is a fault, and the others still run.
pub(crate) fn run_to_end(module: Module, hook: Hook, call: impl FnOnce()) {
    if let Err(message) = fault::catch(call) {
        REGISTRY.report(&Fault {
            module: Some(module.name()),
            global: None,
            hook: Some(hook),
            thread: current::entry().map(|entry| entry.label()),
            message,
        });
    }
}
