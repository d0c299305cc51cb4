//! From stopped to running.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::{fmt, ptr};

use super::{Runtime, register, shutdown};
use crate::error::{RegisterError, StartError};
use crate::fault::{Fault, FaultHook};
use crate::fork;
use crate::module::{Module, Settings, linked_modules};
use crate::registry::{Life, REGISTRY};

/// A runtime to be: its modules, settings and fault hook. Made by [`Runtime::builder`].
///
/// ```
/// #[tsrm::module]
/// mod executor {
///     use std::sync::atomic::{AtomicU32, Ordering};
///
///     pub static STACK: AtomicU32 = AtomicU32::new(0);
///
///     #[module_startup]
///     fn startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
///         STACK.store(phase.setting("stack")?.unwrap_or(256), Ordering::Relaxed);
///         Ok(())
///     }
/// }
///
/// let tsrm = tsrm::Runtime::builder()
///     .module(executor::MODULE)
///     .set("executor.stack", 1024)
///     .on_fault(|fault| eprintln!("{fault}"))
///     .start()?;
/// assert_eq!(executor::STACK.load(std::sync::atomic::Ordering::Relaxed), 1024);
/// # Ok::<(), tsrm::StartError>(())
/// ```
#[must_use = "a builder starts nothing before `start`"]
pub struct Builder {
    modules: Vec<Module>,
    settings: Settings,
    on_fault: Option<Arc<FaultHook>>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { modules: Vec::new(), settings: Settings::new(), on_fault: None }
    }

    /// Adds a module. Modules start in the order in which they were added, but each behind those that it
    /// requires.
    pub fn module(self, module: Module) -> Self {
        self.modules([module])
    }

    /// Adds modules.
    pub fn modules(mut self, modules: impl IntoIterator<Item = Module>) -> Self {
        self.modules.extend(modules);
        self
    }

    /// Sets `module.setting` to a value, which that module's startup hook reads with
    /// [`Startup::setting`](crate::Startup::setting). The last value counts. One that nobody reads makes the start fail.
    pub fn set(mut self, key: impl Into<String>, value: impl fmt::Display) -> Self {
        self.settings.insert(key.into(), value.to_string());
        self
    }

    /// Calls `hook` for every [`Fault`], on the thread where it happened. Without a hook, faults go
    /// to standard error.
    pub fn on_fault(mut self, hook: impl Fn(&Fault) + Send + Sync + 'static) -> Self {
        self.on_fault = Some(Arc::new(hook));
        self
    }

    /// Starts the runtime.
    ///
    /// # Errors
    /// See [`StartError`]. Nothing is left behind by a failed start.
    pub fn start(self) -> Result<Runtime, StartError> {
        self.check()?;
        let modules = in_order(&self.modules)?;
        fork::install().map_err(StartError::System)?;
        REGISTRY.set_up_barrier();
        let generation = REGISTRY.begin_start(self.on_fault)?;
        let mut read = BTreeSet::new();
        for module in modules {
            match register::bring_up(module, generation, &self.settings, read, |_| Ok(())) {
                Ok(now_read) => read = now_read,
                Err(error) => {
                    shutdown::stop_started(generation);
                    return Err(refused(error));
                }
            }
        }
        if let Some(unread) = self.settings.keys().find(|key| !read.contains(*key)) {
            shutdown::stop_started(generation);
            return Err(StartError::UnknownSetting(unread.clone()));
        }
        let mut state = REGISTRY.lock();
        REGISTRY.set_life(&mut state, Life::Running);
        Ok(Runtime::of_generation(generation))
    }

    fn check(&self) -> Result<(), StartError> {
        let mut names = HashSet::new();
        if let Some(twice) = self.modules.iter().find(|module| !names.insert(module.name())) {
            return Err(StartError::DuplicateModule(twice.name()));
        }
        let is_linked = |m: &&Module| linked_modules().any(|l| ptr::eq(l, m.descriptor()));
        if let Some(unlinked) = self.modules.iter().find(|module| !is_linked(module)) {
            return Err(StartError::NotLinked(unlinked.name()));
        }
        let is_known = |key: &&String| key.split_once('.').is_some_and(|(m, _)| names.contains(m));
        match self.settings.keys().find(|key| !is_known(key)) {
            Some(key) => Err(StartError::UnknownSetting(key.clone())),
            None => Ok(()),
        }
    }
}

/// The modules in the order in which they were listed, but each behind those that it requires.
fn in_order(listed: &[Module]) -> Result<Vec<Module>, StartError> {
    fn add(
        module: Module,
        listed: &[Module],
        above: &mut Vec<Module>,
        ordered: &mut Vec<Module>,
    ) -> Result<(), StartError> {
        if ordered.contains(&module) {
            return Ok(());
        }
        if above.contains(&module) {
            return Err(StartError::Circular(module.name()));
        }
        above.push(module);
        for requires in module.descriptor().requires {
            let Some(required) = listed.iter().find(|other| other.name() == *requires) else {
                return Err(StartError::Missing { module: module.name(), requires });
            };
            add(*required, listed, above, ordered)?;
        }
        above.pop();
        ordered.push(module);
        Ok(())
    }
    let mut ordered = Vec::with_capacity(listed.len());
    for module in listed {
        add(*module, listed, &mut Vec::new(), &mut ordered)?;
    }
    Ok(ordered)
}

/// What a module's refusal is to the start.
fn refused(error: RegisterError) -> StartError {
    match error {
        RegisterError::Hook(error) => StartError::Hook(error),
        RegisterError::Exhausted => StartError::Exhausted,
        RegisterError::Missing { module, requires } => StartError::Missing { module, requires },
        RegisterError::NotLinked(name) => StartError::NotLinked(name),
        RegisterError::UnknownSetting(key) => StartError::UnknownSetting(key),
        // A hook of an earlier module has registered it.
        RegisterError::AlreadyRegistered(name) | RegisterError::Retiring(name) => {
            StartError::DuplicateModule(name)
        }
        RegisterError::OutOfMemory => StartError::System(std::io::ErrorKind::OutOfMemory.into()),
        RegisterError::NotRunning | RegisterError::ShuttingDown => StartError::AlreadyStarted,
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("modules", &self.modules)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
