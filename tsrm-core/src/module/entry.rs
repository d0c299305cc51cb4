//! A registered module: one entry per registration, with the shared values of that registration.

use std::fmt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::{Hooks, Module, ModuleDescriptor};
use crate::global::descriptor::GlobalDescriptor;
use crate::shared::declaration::SharedDescriptor;
use crate::shared::value::SharedValue;

/// How far a registered module has come. It only ever moves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum ModuleState {
    /// Its shared values are built, its `module_startup` runs.
    Starting,
    Up,
    /// No thread begins with it any more, and its shared values are refused to attaches that began since;
    /// those from before may use it to their end, and let go of it.
    Retiring,
    /// `module_shutdown`, and the drop of its shared values.
    Stopping,
    /// Threads may still have values of it, which they drop without hooks.
    Down,
}

/// See the [module](self).
pub(crate) struct ModuleEntry {
    module: Module,
    /// Asked for once: a forged module may have another one the next time.
    descriptor: &'static ModuleDescriptor,
    /// Of the runtime that it is registered with.
    pub(crate) generation: u32,
    /// A [`ModuleState`]. Written under the registry's lock; read by anybody.
    state: AtomicU8,
    /// What it requires, in the order in which it says so.
    pub(crate) requires: Vec<Arc<ModuleEntry>>,
    /// Its places in every thread's table: first its own, which says that a thread has begun with it,
    /// then those of its globals on the heap, in order.
    pub(crate) places: Vec<u32>,
    /// In order of declaration. Built by its start.
    shared: Box<[SharedValue]>,
}

impl ModuleEntry {
    /// With room for its places and requirements, which are filled before anybody else knows it.
    pub(crate) fn new(module: Module, generation: u32) -> Self {
        let descriptor = module.descriptor();
        // Made now, as that allocates.
        descriptor.statistics().for_each(|statistics| _ = statistics.set());
        Self {
            module,
            descriptor,
            generation,
            state: AtomicU8::new(ModuleState::Starting as u8),
            requires: Vec::with_capacity(descriptor.requires.len()),
            places: Vec::with_capacity(1 + descriptor.heap_globals().count()),
            shared: descriptor.shared().map(SharedValue::new).collect(),
        }
    }

    pub(crate) fn module(&self) -> Module {
        self.module
    }

    pub(crate) fn name(&self) -> &'static str {
        self.descriptor.name
    }

    pub(crate) fn descriptor(&self) -> &'static ModuleDescriptor {
        self.descriptor
    }

    pub(crate) fn state(&self) -> ModuleState {
        // Acquire: pairs with the Release in `set_state`; who sees a module up sees what its startup
        // wrote.
        match self.state.load(Ordering::Acquire) {
            0 => ModuleState::Starting,
            1 => ModuleState::Up,
            2 => ModuleState::Retiring,
            3 => ModuleState::Stopping,
            _ => ModuleState::Down,
        }
    }

    /// Under the registry's lock.
    pub(crate) fn set_state(&self, state: ModuleState) {
        self.state.store(state as u8, Ordering::Release);
    }

    /// Whether every thread begins with it at its next attach: it has hooks of threads, or static globals. With
    /// any other a thread begins when it uses a global of it, and before that has nothing of it to hold.
    pub(crate) fn concerns_all_threads(&self) -> bool {
        let Hooks { thread_startup, thread_shutdown, request_startup, request_shutdown, .. } =
            self.descriptor().hooks;
        let has_hooks = thread_startup.is_some()
            || thread_shutdown.is_some()
            || request_startup.is_some()
            || request_shutdown.is_some();
        has_hooks || self.descriptor().globals().any(GlobalDescriptor::is_static)
    }

    /// Whether hooks of its threads may run.
    pub(crate) fn runs_hooks(&self) -> bool {
        matches!(self.state(), ModuleState::Up | ModuleState::Retiring)
    }

    /// Its own place in every thread's table.
    pub(crate) fn place(&self) -> usize {
        self.places[0] as usize
    }

    /// The place of one of its globals on the heap.
    pub(crate) fn place_of(&self, global: &GlobalDescriptor) -> Option<u32> {
        let position = self.descriptor().heap_globals().position(|own| ptr::eq(own, global))?;
        Some(self.places[1 + position])
    }

    /// One of its shared values.
    pub(crate) fn shared(&self, descriptor: &SharedDescriptor) -> Option<&SharedValue> {
        self.shared.iter().find(|value| ptr::eq(value.descriptor(), descriptor))
    }

    /// All its shared values, in order of declaration.
    pub(crate) fn shared_values(&self) -> &[SharedValue] {
        &self.shared
    }
}

impl fmt::Debug for ModuleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleEntry")
            .field("name", &self.name())
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}
