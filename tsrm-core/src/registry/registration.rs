//! How a module comes up: from a place in the list to starting to up. What its start runs is not here.

use std::ptr;
use std::sync::Arc;

use super::modules::{Driver, Registered};
use super::{Life, Registry, State};
use crate::error::RegisterError;
use crate::module::entry::{ModuleEntry, ModuleState};
use crate::module::{Module, ModuleDescriptor};
use crate::stats::set::Set;

impl Registry {
    /// Takes a new module up in the list, as one that starts, driven by the calling thread.
    pub(crate) fn reserve(
        &self,
        module: Module,
        generation: u32,
    ) -> Result<Arc<ModuleEntry>, RegisterError> {
        let mut entry = Arc::new(ModuleEntry::new(module, generation));
        // Asked for once, without the lock.
        let descriptor = entry.descriptor();
        let places = entry.places.capacity();
        let mut larger: Vec<Registered> = Vec::new();
        loop {
            self.make_places(places)?;
            let mut state = self.lock();
            state.admit_module(descriptor, generation)?;
            let list = &mut state.modules.list;
            if list.len() == list.capacity() {
                if larger.capacity() > list.len() {
                    larger.append(list);
                    std::mem::swap(&mut larger, list);
                    drop(state);
                    larger = Vec::new();
                } else {
                    let wanted = (2 * list.len()).max(16);
                    drop(state);
                    larger = Vec::with_capacity(wanted);
                }
                continue;
            }
            if !state.places.has_room(places) {
                continue;
            }
            let Some(unique) = Arc::get_mut(&mut entry) else { unreachable!("nobody else has it") };
            for requires in descriptor.requires {
                let Some(found) = state.up_by_name(requires, generation) else {
                    return Err(RegisterError::Missing { module: descriptor.name, requires });
                };
                unique.requires.push(found);
            }
            for _ in 0..places {
                unique.places.push(state.places.take_for_module());
            }
            let (number, driver) = (state.modules.next_number, Driver::this());
            state.modules.next_number += 1;
            let new = Arc::clone(&entry);
            state.modules.list.push(Registered {
                entry: new,
                number,
                up: 0,
                retired: 0,
                waiting: 0,
                driver,
            });
            return Ok(entry);
        }
    }

    /// From starting to up. Answers false if the runtime does not run on.
    pub(crate) fn set_up(&self, entry: &ModuleEntry) -> bool {
        let mut state = self.lock();
        if state.admit_runtime(entry.generation).is_err() {
            return false;
        }
        for (global, place) in entry.descriptor().heap_globals().zip(&entry.places[1..]) {
            global.set_index(Some(*place as usize));
        }
        for value in entry.shared_values() {
            value.descriptor().publish(value.built());
        }
        entry.set_state(ModuleState::Up);
        entry.descriptor().statistics().filter_map(|own| own.found_set()).for_each(Set::note_up);
        entry.descriptor().note_retired_in(0);
        if entry.descriptor().statistics().next().is_some() {
            state.call_for_shards();
        }
        // Who has nothing to do at his next attach is not called.
        let change = if entry.concerns_all_threads() { state.change() } else { state.changes };
        if let Some(registered) = state.modules.get_mut(entry) {
            (registered.up, registered.driver) = (change, Driver::NOBODY);
        }
        true
    }

    /// A module whose start failed, or whose stop is done: nobody can reach anything of it.
    pub(crate) fn set_down(&self, entry: &ModuleEntry) {
        let mut state = self.lock();
        entry.set_state(ModuleState::Down);
        if let Some(registered) = state.modules.get_mut(entry) {
            registered.driver = Driver::NOBODY;
        }
        drop(state);
        self.changed.notify_all();
    }
}

impl State {
    /// Whether modules may come up in that runtime.
    pub(super) fn admit_runtime(&self, generation: u32) -> Result<(), RegisterError> {
        match self.life {
            _ if self.generation != generation => Err(RegisterError::NotRunning),
            Life::Running | Life::Starting => Ok(()),
            Life::ShuttingDown | Life::Stopping => Err(RegisterError::ShuttingDown),
            Life::Stopped => Err(RegisterError::NotRunning),
        }
    }

    fn admit_module(
        &self,
        module: &'static ModuleDescriptor,
        generation: u32,
    ) -> Result<(), RegisterError> {
        self.admit_runtime(generation)?;
        for other in self.modules.present(generation) {
            let is_up = other.state() <= ModuleState::Up;
            if is_up && other.entry.name() == module.name {
                return Err(RegisterError::AlreadyRegistered(module.name));
            }
            if ptr::eq(other.entry.descriptor(), module) {
                return Err(RegisterError::Retiring(module.name));
            }
        }
        Ok(())
    }
}
