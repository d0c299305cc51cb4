//! The life of a runtime: from stopped over starting, running and shutting down to stopped.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::Instant;

use super::modules::Registered;
use super::{Driver, Registry, State};
use crate::error::StartError;
use crate::fault::FaultHook;
use crate::module::Module;
use crate::module::entry::{ModuleEntry, ModuleState};
use crate::thread::handle::Interrupt;
use crate::thread::identity::Straggler;

/// Where a runtime is between two stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Stopped,
    Starting,
    Running,
    /// Waiting for threads to leave; modules are up.
    ShuttingDown,
    /// Modules go down.
    Stopping,
}

impl Registry {
    /// The generation of the running runtime.
    pub(crate) fn running(&self) -> Option<u32> {
        // Acquire: pairs with the Release in `set_life`; who sees a runtime sees what its start-up
        // hooks wrote.
        match self.running.load(Ordering::Acquire) {
            0 => None,
            generation => Some(generation),
        }
    }

    /// Whether hooks of that generation may run.
    pub(crate) fn modules_are_up(&self, generation: u32) -> bool {
        // Acquire: pairs with the Release in `set_life`.
        self.up.load(Ordering::Acquire) == generation
    }

    /// Moves the runtime on.
    pub(crate) fn set_life(&self, state: &mut State, life: Life) {
        state.life = life;
        let when = |is_so| if is_so { state.generation } else { 0 };
        // Release: pairs with the Acquire in `running` and `modules_are_up`.
        self.running.store(when(life == Life::Running), Ordering::Release);
        let is_up = matches!(life, Life::Running | Life::ShuttingDown);
        self.up.store(when(is_up), Ordering::Release);
        let is_moving = !matches!(life, Life::Running | Life::Stopped);
        state.driver = if is_moving { Driver::this() } else { Driver::NOBODY };
    }

    /// Stopped → Starting, with a new generation.
    pub(crate) fn begin_start(&self, on_fault: Option<Arc<FaultHook>>) -> Result<u32, StartError> {
        let mut state = self.lock();
        if state.life != Life::Stopped {
            return Err(StartError::AlreadyStarted);
        }
        state.generation = state.generation.checked_add(1).ok_or(StartError::Exhausted)?;
        state.on_fault = on_fault;
        self.number_statics(&state);
        self.set_life(&mut state, Life::Starting);
        Ok(state.generation)
    }

    /// Running → ShuttingDown: nobody attaches any more, running requests are told.
    ///
    /// Answers false if that runtime is not running.
    pub(crate) fn begin_shutdown(&self, generation: u32) -> bool {
        let mut state = self.lock();
        if state.life != Life::Running || state.generation != generation {
            return false;
        }
        self.set_life(&mut state, Life::ShuttingDown);
        for linked in state.threads.iter() {
            // Who misses it in an attach sees it when it leaves.
            linked.entry.gate.close();
        }
        // Pairs with the fence in `InterruptWord::begin`: either this sees the request that a thread
        // has just begun, or that thread sees the closed gate.
        fence(Ordering::SeqCst);
        for linked in state.threads.iter() {
            if let Some(serial) = linked.entry.interrupt.serial() {
                linked.entry.interrupt.set(serial, Interrupt::SHUTDOWN.code());
            }
        }
        drop(state);
        // Who waits for a module to go may be waited for itself now.
        self.changed.notify_all();
        true
    }

    /// Waits until all threads of that generation have left and nobody starts or stops one of its modules,
    /// or the deadline has passed; and puts all its modules out of reach, to be stopped by the calling thread.
    /// Answers the change behind which that is so.
    ///
    /// One critical section from the last look to the end: nobody can begin to stop a module in between.
    pub(crate) fn wait_and_begin_stop(&self, generation: u32, deadline: Option<Instant>) -> u64 {
        let mut state = self.lock();
        loop {
            let mut threads = state.threads.iter();
            let have_left = !threads.any(|linked| linked.entry.generation == generation);
            drop(threads);
            if have_left && state.moving_modules(generation).next().is_none() {
                break;
            }
            let is_over;
            (state, is_over) = self.wait(state, deadline);
            if is_over {
                break;
            }
        }
        self.stop(&mut state, generation)
    }

    /// As [`wait_and_begin_stop`](Self::wait_and_begin_stop), of a runtime that nobody has attached to.
    pub(crate) fn begin_stop(&self, generation: u32) -> u64 {
        self.stop(&mut self.lock(), generation)
    }

    /// The threads of that generation that have not left.
    pub(crate) fn stragglers(&self, generation: u32) -> Vec<Straggler> {
        let left = self.collect_threads(|linked| linked.entry.generation == generation);
        left.iter().map(|entry| entry.straggler()).collect()
    }
}

/// The end of a runtime.
impl Registry {
    /// A module that the calling thread starts or stops just now.
    pub(crate) fn driven_module(&self) -> Option<&'static str> {
        let (state, this) = (self.lock(), Driver::this());
        let mut list = state.modules.list.iter();
        list.find(|registered| registered.driver == this).map(|found| found.entry.name())
    }

    fn stop(&self, state: &mut State, generation: u32) -> u64 {
        self.set_life(state, Life::Stopping);
        let change = state.change();
        for index in 0..state.modules.list.len() {
            let registered = &mut state.modules.list[index];
            let is_up = matches!(registered.state(), ModuleState::Up | ModuleState::Retiring);
            if registered.entry.generation == generation && is_up {
                registered.driver = Driver::this();
                let entry = Arc::clone(&registered.entry);
                state.unpublish(&entry);
                state.set_stopping(&entry);
            }
        }
        state.places.release_resources();
        state.reclaim();
        change
    }

    /// The last module that the calling thread is to stop.
    pub(crate) fn next_to_stop(&self) -> Option<Arc<ModuleEntry>> {
        let (state, this) = (self.lock(), Driver::this());
        let mut list = state.modules.list.iter();
        let is_next = |registered: &&Registered| {
            registered.driver == this && registered.state() == ModuleState::Stopping
        };
        list.rfind(is_next).map(|found| Arc::clone(&found.entry))
    }

    /// Whether nobody can have a reference to what was out of reach behind that change: no thread, and
    /// no hook of a module that somebody else starts or stops.
    pub(crate) fn is_out_of_use(&self, generation: u32, change: u64) -> bool {
        let state = self.lock();
        state.is_quiet_since(change) && state.moving_modules(generation).next().is_none()
    }

    /// The names of the modules of a runtime that other threads start or stop.
    pub(crate) fn moving_modules(&self, generation: u32) -> Vec<&'static str> {
        self.collect_modules(|state, names| {
            names.extend(state.moving_modules(generation).map(|found| found.entry.name()));
        })
    }

    /// The modules of a runtime that are not down, in order, and how far each is.
    pub(crate) fn modules(&self, generation: u32) -> Vec<(Module, ModuleState)> {
        self.collect_modules(|state, modules| {
            let present = state.modules.present(generation);
            modules.extend(present.map(|found| (found.entry.module(), found.state())));
        })
    }

    /// At most one for each module.
    fn collect_modules<T>(&self, collect: impl Fn(&State, &mut Vec<T>)) -> Vec<T> {
        let mut modules = Vec::new();
        loop {
            let state = self.lock();
            let count = state.modules.list.len();
            if count <= modules.capacity() {
                collect(&state, &mut modules);
                return modules;
            }
            drop(state);
            modules.reserve(count);
        }
    }
}
