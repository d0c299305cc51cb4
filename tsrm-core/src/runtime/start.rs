//! From stopped to running.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::{fmt, ptr};

use super::{Runtime, shutdown};
use crate::error::StartError;
use crate::fault::{Fault, FaultHook};
use crate::fork;
use crate::hooks;
use crate::module::{Hook, Module, Settings, Startup, linked_modules};
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

    /// Adds a module. Modules start in the order in which they were added.
    pub fn module(self, module: Module) -> Self {
        self.modules([module])
    }

    /// Adds modules.
    pub fn modules(mut self, modules: impl IntoIterator<Item = Module>) -> Self {
        self.modules.extend(modules);
        self
    }

    /// Sets `module.setting` to a value, which that module's startup hook reads with
    /// [`Startup::setting`]. The last value counts. One that nobody reads makes the start fail.
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
        fork::install().map_err(StartError::System)?;
        let modules: Arc<[Module]> = self.modules.into();
        let generation = REGISTRY.begin_start(Arc::clone(&modules), self.on_fault)?;
        let mut read = BTreeSet::new();
        for (index, module) in modules.iter().enumerate() {
            let Some(hook) = module.descriptor().hooks.module_startup else { continue };
            let settings = &self.settings;
            let mut phase = Startup { module: module.descriptor(), settings, read };
            if let Err(error) = hooks::run(*module, Hook::ModuleStartup, || hook(&mut phase)) {
                shutdown::stop_modules(&modules[..index], &[]);
                return Err(StartError::Hook(error));
            }
            read = phase.read;
        }
        if let Some(unread) = self.settings.keys().find(|key| !read.contains(*key)) {
            shutdown::stop_modules(&modules, &[]);
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

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("modules", &self.modules)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
