//! Registration: how a module comes up, at the start of a runtime or later.

use std::collections::BTreeSet;
use std::fmt;
use std::ptr;

use super::Runtime;
use crate::error::{HookError, HookFailure, RegisterError};
use crate::fault;
use crate::hooks;
use crate::module::entry::ModuleEntry;
use crate::module::{Hook, Module, Settings, Startup, linked_modules};
use crate::registry::REGISTRY;
use crate::retire;

impl Runtime {
    /// Registers a module while the runtime runs: its shared values are built and its `module_startup`
    /// hook runs, on this thread. May be called from anywhere, also from hooks.
    ///
    /// Every thread meets the module by itself: inside its next outermost attach, where its
    /// `thread_startup` runs; or, in the attach that it is in now, at the first use of one of the module's
    /// cached globals. (A static global of a linked module can be used at any time; a thread gives it its
    /// initial value at its first depth 0 behind the registration.) No thread waits for another. If the
    /// `thread_startup` fails on a thread, its attach fails with that error, and the next one tries
    /// again; the thread stays registered, with its other values.
    ///
    /// # Errors
    /// See [`RegisterError`]. Then nothing is left behind.
    ///
    /// ```
    /// #[tsrm::module]
    /// mod late {
    ///     #[shared]
    ///     pub static ANSWER: u32 = 42;
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tsrm = tsrm::Runtime::start([])?;
    /// tsrm.register(late::MODULE)?;
    /// tsrm.attach(|here| assert_eq!(*late::ANSWER.get(here), 42));
    /// # Ok(()) }
    /// ```
    pub fn register(self, module: Module) -> Result<(), RegisterError> {
        self.register_with(module, [("", ""); 0])
    }

    /// As [`register`](Self::register), with settings as [`Builder::set`](crate::Builder::set) takes them.
    ///
    /// # Errors
    /// See [`RegisterError`]. One is a setting that the module does not ask for.
    pub fn register_with<K, V>(
        self,
        module: Module,
        settings: impl IntoIterator<Item = (K, V)>,
    ) -> Result<(), RegisterError>
    where
        K: Into<String>,
        V: fmt::Display,
    {
        let pairs = settings.into_iter().map(|(key, value)| (key.into(), value.to_string()));
        let settings: Settings = pairs.collect();
        if !linked_modules().any(|linked| ptr::eq(linked, module.descriptor())) {
            return Err(RegisterError::NotLinked(module.name()));
        }
        bring_up(module, self.generation, &settings, BTreeSet::new(), |read| {
            match settings.keys().find(|key| !read.contains(*key)) {
                Some(unread) => Err(RegisterError::UnknownSetting(unread.clone())),
                None => Ok(()),
            }
        })
        .map(drop)
    }
}

impl Startup<'_> {
    /// The runtime that the module is registered with, for instance to register further modules. While the
    /// runtime itself is starting, nobody can attach to it.
    pub fn runtime(&self) -> Runtime {
        Runtime::of_generation(self.entry.generation)
    }
}

/// Brings a module up, unless `check` objects to the settings that it has read.
pub(super) fn bring_up(
    module: Module,
    generation: u32,
    settings: &Settings,
    read: BTreeSet<String>,
    check: impl FnOnce(&BTreeSet<String>) -> Result<(), RegisterError>,
) -> Result<BTreeSet<String>, RegisterError> {
    let entry = REGISTRY.reserve(module, generation)?;
    let started = start(&entry, settings, read).and_then(|read| {
        check(&read)?;
        Ok(read)
    });
    let result = match started {
        Ok(read) if REGISTRY.set_up(&entry) => return Ok(read),
        Ok(_) => {
            // Its startup has succeeded, so its shutdown is owed.
            retire::stop(&entry, &[], true);
            Err(RegisterError::ShuttingDown)
        }
        Err(Failure { error, owes_shutdown }) => {
            if owes_shutdown {
                retire::stop(&entry, &[], true);
            } else {
                retire::drop_shared(&entry);
            }
            Err(error)
        }
    };
    REGISTRY.set_down(&entry);
    retire::settle();
    result
}

struct Failure {
    error: RegisterError,
    /// Its startup hook has succeeded.
    owes_shutdown: bool,
}

impl From<RegisterError> for Failure {
    fn from(error: RegisterError) -> Self {
        Self { error, owes_shutdown: true }
    }
}

fn start(
    entry: &ModuleEntry,
    settings: &Settings,
    read: BTreeSet<String>,
) -> Result<BTreeSet<String>, Failure> {
    let failed = |error| Failure { error: RegisterError::Hook(error), owes_shutdown: false };
    for value in entry.shared_values().iter().filter(|value| !value.descriptor().is_lazy) {
        // Not asked for by itself: nobody can reach it yet.
        fault::catch(|| drop(value.build())).map_err(|message| {
            let name = value.descriptor().name;
            let cause = HookFailure::Panicked(format!("shared value `{name}`: {message}"));
            failed(HookError { module: entry.name(), hook: Hook::ModuleStartup, cause })
        })?;
    }
    let mut phase = Startup { entry, settings, read };
    if let Some(hook) = entry.descriptor().hooks.module_startup {
        hooks::run(entry.module(), Hook::ModuleStartup, || hook(&mut phase)).map_err(failed)?;
    }
    Ok(phase.read)
}
