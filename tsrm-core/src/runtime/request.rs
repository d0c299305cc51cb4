//! Requests: an attach with the request hooks around it.

use std::sync::Arc;

use super::Runtime;
use crate::error::{AttachError, RequestError, refuse};
use crate::hooks;
use crate::module::Hook;
use crate::module::entry::ModuleState;
use crate::registry::{REGISTRY, Wanted};
use crate::thread::attach::{self, Inside};
use crate::thread::entry::{Phase, Stage};
use crate::thread::handle::Interrupt;
use crate::token::Attached;

impl Runtime {
    /// Runs `f` as one request on this thread: attached, between the modules' `request_startup`
    /// hooks (in order) and `request_shutdown` hooks (in reverse, also if `f` panics).
    ///
    /// # Panics
    /// Where [`try_request`](Self::try_request) returns an error.
    #[track_caller]
    pub fn request<R>(self, f: impl for<'t> FnOnce(Attached<'t>) -> R) -> R {
        match self.try_request(f) {
            Ok(result) => result,
            Err(error) => refuse(error),
        }
    }

    /// As [`request`](Self::request), but returns the error.
    ///
    /// # Errors
    /// The thread cannot be attached, the runtime is shutting down (also inside an attach), the
    /// thread is in a request already, or a `request_startup` hook failed;
    /// then the modules whose request had begun have ended it again, and `f` did not run.
    pub fn try_request<R>(
        self,
        f: impl for<'t> FnOnce(Attached<'t>) -> R,
    ) -> Result<R, RequestError> {
        let level = attach::enter(Wanted::Generation(self.generation))?;
        if level.entry().interrupt.serial().is_some() {
            return Err(RequestError::Nested);
        }
        if level.entry().phase() != Phase::Active {
            return Err(RequestError::Leaving);
        }
        if !REGISTRY.is_running(level.entry().generation) {
            return Err(AttachError::ShuttingDown.into());
        }
        let request = Request::begin(&level);
        // SAFETY: `level` outlives the hooks and the call (I4).
        let here = unsafe { Attached::assume() };
        request.start_modules(here)?;
        Ok(f(here))
    }
}

/// A running request; dropping it ends it.
struct Request<'l> {
    level: &'l Inside,
}

impl<'l> Request<'l> {
    fn begin(level: &'l Inside) -> Self {
        let entry = level.entry();
        entry.serial.set(entry.serial.get() + 1);
        entry.interrupt.begin(entry.serial.get());
        if !REGISTRY.is_running(entry.generation) {
            // A shutdown that has not seen this request.
            entry.interrupt.set(entry.serial.get(), Interrupt::SHUTDOWN.code());
        }
        Self { level }
    }

    /// The modules that have started on this thread and are not retired, in order. One that is begun
    /// with meanwhile comes last; later ones are met by the next request.
    fn start_modules(&self, here: Attached<'_>) -> Result<(), RequestError> {
        let entry = self.level.entry();
        let begun = |at: usize| {
            let begun = entry.begun.borrow();
            begun.get(at).map(|begun| (Arc::clone(&begun.module), begun.stage))
        };
        let mut at = 0;
        while let Some((module, stage)) = begun(at) {
            if !REGISTRY.modules_are_up(entry.generation) {
                return Err(AttachError::ShuttingDown.into());
            }
            if stage == Stage::Started && module.state() == ModuleState::Up {
                if let Some(hook) = module.descriptor().hooks.request_startup {
                    hooks::run(module.module(), Hook::RequestStartup, || hook(here))
                        .map_err(RequestError::Hook)?;
                }
                entry.begun.borrow_mut()[at].in_request = true;
            }
            at += 1;
        }
        Ok(())
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        let entry = self.level.entry();
        let next = || {
            let mut begun = entry.begun.borrow_mut();
            let last = begun.iter_mut().rev().find(|begun| begun.in_request)?;
            last.in_request = false;
            Some(Arc::clone(&last.module))
        };
        while let Some(module) = next() {
            let Some(hook) = module.descriptor().hooks.request_shutdown else { continue };
            if REGISTRY.modules_are_up(entry.generation) && module.runs_hooks() {
                // SAFETY: the level outlives this request (I4).
                let here = unsafe { Attached::assume() };
                hooks::run_to_end(module.module(), Hook::RequestShutdown, || hook(here));
            }
        }
        entry.interrupt.end();
    }
}
