//! How a module goes while threads run: from up to retiring, stopping, down.
//!
//! Its shared values are taken out of reach at once; a thread in an attach from before still reaches them,
//! by the slow path. Each thread that has begun with the module lets go of it at its next depth 0; one that
//! sleeps there is waited for as long as a caller of the retire has patience. When nobody can use the module
//! any more it is stopped, by a caller or by the thread that came by last. What is to be done outside the
//! lock is handed out, as a [`Step`].

use std::ptr;
use std::sync::Arc;
use std::time::Instant;

use super::modules::{Driver, Registered};
use super::{Life, Registry, State};
use crate::error::RetireError;
use crate::module::ModuleDescriptor;
use crate::module::entry::{ModuleEntry, ModuleState};
use crate::thread::entry::ThreadEntry;

/// What has to be done outside the lock next.
pub(crate) enum Step {
    /// Run `module_shutdown`, drop the shared values, and [say so](Registry::set_down).
    Stop(Arc<ModuleEntry>),
    /// Nobody has anything of it any more.
    Forget(Arc<ModuleEntry>),
}

impl Registry {
    /// From up to retiring; or joins a retire that is under way; `None` if it is over. `waits` counts the
    /// caller among those who have patience, until [`end_wait`](Self::end_wait).
    pub(crate) fn begin_retire(
        &self,
        descriptor: &'static ModuleDescriptor,
        generation: u32,
        waits: bool,
    ) -> Result<Option<Arc<ModuleEntry>>, RetireError> {
        let mut state = self.lock();
        if state.generation != generation || state.life != Life::Running {
            return Err(RetireError::NotRunning);
        }
        let is_it = |registered: &&Registered| {
            ptr::eq(registered.entry.descriptor(), descriptor)
                && registered.entry.generation == generation
        };
        let Some(found) = state.modules.list.iter().rfind(is_it) else {
            let is_over = descriptor.was_retired_in(generation);
            return if is_over {
                Ok(None)
            } else {
                Err(RetireError::NotRegistered(descriptor.name))
            };
        };
        let entry = Arc::clone(&found.entry);
        let is_driven_here = found.driver == Driver::this();
        match found.state() {
            ModuleState::Starting => return Err(RetireError::Starting(descriptor.name)),
            ModuleState::Stopping if is_driven_here => {
                return Err(RetireError::Stopping(descriptor.name));
            }
            ModuleState::Up => {
                let needs = |other: &&Registered| {
                    other.entry.requires.iter().any(|required| Arc::ptr_eq(required, &entry))
                };
                if let Some(other) = state.modules.present(generation).find(needs) {
                    return Err(RetireError::NeededBy {
                        module: descriptor.name,
                        by: other.entry.name(),
                    });
                }
                entry.set_state(ModuleState::Retiring);
                state.unpublish(&entry);
                descriptor.note_retired_in(generation);
                let change = state.change();
                if let Some(registered) = state.modules.get_mut(&entry) {
                    registered.retired = change;
                }
            }
            _ => {}
        }
        if waits {
            state.modules.get_mut(&entry).into_iter().for_each(|found| found.waiting += 1);
        }
        drop(state);
        // Who waits for another module may have to let go of this one.
        self.changed.notify_all();
        Ok(Some(entry))
    }

    /// The caller of a retire has lost its patience, or has what it wanted.
    pub(crate) fn end_wait(&self, entry: &ModuleEntry) {
        if let Some(registered) = self.lock().modules.get_mut(entry) {
            // A fork's child has reset it.
            registered.waiting = registered.waiting.saturating_sub(1);
        }
    }

    /// Waits for something to change, if there is nothing to be done. Answers false when nothing is left of
    /// the module, or the deadline has passed.
    pub(crate) fn wait_for_module(&self, entry: &ModuleEntry, deadline: Option<Instant>) -> bool {
        let state = self.lock();
        let registered = state.modules.get(entry);
        let is_left = registered.is_some_and(|registered| {
            registered.state() != ModuleState::Down || registered.is_held(&state.threads)
        });
        let is_more = state.step(true).is_some();
        is_left && self.wait_at_rest(state, deadline, is_more)
    }

    /// Whether a retired module is down, and the threads that hold it or hold it up.
    pub(crate) fn retired(&self, entry: &ModuleEntry) -> (bool, Vec<Arc<ThreadEntry>>) {
        let mark = match self.lock().modules.get_mut(entry) {
            Some(registered) => registered.retired,
            // Forgotten; its place may be another's.
            None => return (true, Vec::new()),
        };
        let is_down = entry.state() == ModuleState::Down;
        let holders = self.collect_threads(|linked| {
            linked.entry.holds(entry) || (!is_down && linked.quiet < mark)
        });
        if self.lock().modules.get_mut(entry).is_none() {
            return (true, Vec::new());
        }
        (is_down, holders)
    }

    /// Does what can be done under the lock for modules that are retired and places that were released,
    /// and says what comes next outside it.
    pub(crate) fn next_step(&self, is_caller: bool) -> Option<Step> {
        let mut state = self.lock();
        let index = state.step(is_caller)?;
        let entry = Arc::clone(&state.modules.list[index].entry);
        match entry.state() {
            ModuleState::Retiring => {
                state.set_stopping(&entry);
                state.modules.list[index].driver = Driver::this();
                Some(Step::Stop(entry))
            }
            _ => {
                let gone = state.modules.list.remove(index);
                // Not before: a straggler that holds the module may yet build values of it.
                for place in &entry.places {
                    state.places.release(*place);
                }
                state.reclaim();
                drop(state);
                drop(gone);
                Some(Step::Forget(entry))
            }
        }
    }
}

impl State {
    /// The first module that can move on.
    fn step(&self, is_caller: bool) -> Option<usize> {
        self.modules.list.iter().position(|registered| match registered.state() {
            ModuleState::Retiring => {
                (is_caller || registered.waiting == 0)
                    && !self.threads.iter().any(|linked| registered.waits_for(linked))
            }
            ModuleState::Down => registered.waiting == 0 && !registered.is_held(&self.threads),
            ModuleState::Starting | ModuleState::Up | ModuleState::Stopping => false,
        })
    }
}
