//! The registered modules, and how each moves on: from starting to up, retiring, closing, stopping, down.
//!
//! Nothing here runs users' code or allocates under the lock: what is to be done outside it is handed
//! out, as a [`Step`].
//!
//! A module that is retired goes two ways at once. Each thread that has begun with it lets go of it at
//! its next depth 0; a thread that sleeps there is waited for as long as a caller of the retire has
//! patience. Then its shared values are taken out of reach, and one grace period later nobody can have
//! a reference to them: the module is stopped, by a caller or by the thread that came by last.

use std::cell::Cell;
use std::ptr;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Instant;

use super::linked::{Linked, Threads};
use super::{Life, Registry, State};
use crate::error::{AccessError, RegisterError, RetireError};
use crate::global::descriptor::GlobalDescriptor;
use crate::module::entry::{ModuleEntry, ModuleState};
use crate::module::{Module, ModuleDescriptor, linked_modules};
use crate::shared::SharedDescriptor;
use crate::thread::entry::ThreadEntry;

/// A registered module.
pub(super) struct Registered {
    pub(super) entry: Arc<ModuleEntry>,
    /// Counts registrations; the list is in this order.
    number: u64,
    /// The change by which it came up; 0 before that.
    up: u64,
    /// The change by which it came into its present state, from retiring on; 0 before that.
    mark: u64,
    /// How many callers of a retire wait for it.
    waiting: usize,
    /// Who starts or stops it.
    driver: Driver,
}

/// A thread in the middle of a start or a stop; means something only while it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Driver(usize);

thread_local! {
    static DRIVER: Cell<u8> = const { Cell::new(0) };
}

impl Driver {
    pub(super) const NOBODY: Self = Self(0);

    /// The calling thread.
    pub(super) fn this() -> Self {
        Self(DRIVER.with(|driver| ptr::from_ref(driver).addr()))
    }
}

/// What has to be done outside the lock next.
pub(crate) enum Step {
    /// Find out which threads are at depth 0.
    Look,
    /// Run `module_shutdown`, drop the shared values, and [say so](Registry::set_down).
    Stop(Arc<ModuleEntry>),
    /// Nobody has anything of it any more.
    Forget(Arc<ModuleEntry>),
}

/// The registered modules, in the order of their registration.
pub(super) struct Modules {
    list: Vec<Registered>,
    next_number: u64,
}

impl Modules {
    pub(super) const fn new() -> Self {
        Self { list: Vec::new(), next_number: 1 }
    }

    fn get_mut(&mut self, entry: &ModuleEntry) -> Option<&mut Registered> {
        self.list.iter_mut().find(|registered| ptr::eq(&*registered.entry, entry))
    }

    /// Those of one runtime that are not down.
    fn present(&self, generation: u32) -> impl DoubleEndedIterator<Item = &Registered> {
        self.list.iter().filter(move |registered| {
            registered.entry.generation == generation && registered.state() != ModuleState::Down
        })
    }

    /// In a fork's child: a module that nobody is left to start or stop. And nobody waits any more.
    pub(super) fn orphan(&mut self, survivor: Driver) -> Option<Arc<ModuleEntry>> {
        self.list.iter_mut().find_map(|registered| {
            registered.waiting = 0;
            if [Driver::NOBODY, survivor].contains(&registered.driver) {
                return None;
            }
            registered.driver = Driver::NOBODY;
            Some(Arc::clone(&registered.entry))
        })
    }
}

impl Registered {
    fn state(&self) -> ModuleState {
        self.entry.state()
    }

    /// Whether a thread's part in a retire is waited for: the end of the attach in which it may count on
    /// the module, and that it lets go of it, unless it sleeps and nobody has patience.
    fn waits_for(&self, linked: &Linked) -> bool {
        let has_part = linked.entry.holds(&self.entry) && linked.seen < self.mark;
        linked.quiet < self.mark || (has_part && (self.waiting > 0 || linked.is_busy))
    }

    fn is_held(&self, threads: &Threads) -> bool {
        threads.iter().any(|linked| linked.entry.holds(&self.entry))
    }
}

/// Registration.
impl Registry {
    /// Takes a new module up in the list, as one that starts, driven by the calling thread.
    pub(crate) fn reserve(
        &self,
        module: Module,
        generation: u32,
    ) -> Result<Arc<ModuleEntry>, RegisterError> {
        let mut entry = Arc::new(ModuleEntry::new(module, generation));
        let places = entry.places.capacity();
        let mut larger: Vec<Registered> = Vec::new();
        loop {
            self.make_places(places)?;
            let mut state = self.lock();
            state.admit_module(module, generation)?;
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
            for requires in module.descriptor().requires {
                let Some(found) = state.up_by_name(requires, generation) else {
                    return Err(RegisterError::Missing { module: module.name(), requires });
                };
                unique.requires.push(found);
            }
            for _ in 0..places {
                unique.places.push(state.places.take_for_module());
            }
            module.descriptor().note_retired_in(0);
            let (number, driver) = (state.modules.next_number, Driver::this());
            state.modules.next_number += 1;
            let new = Arc::clone(&entry);
            state.modules.list.push(Registered {
                entry: new,
                number,
                up: 0,
                mark: 0,
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
        let change = state.change();
        if let Some(registered) = state.modules.get_mut(entry) {
            (registered.up, registered.driver) = (change, Driver::NOBODY);
        }
        true
    }

    /// A module whose start failed, or whose stop is done: nobody can reach anything of it.
    pub(crate) fn set_down(&self, entry: &ModuleEntry) {
        let mut state = self.lock();
        state.down(entry);
        if let Some(registered) = state.modules.get_mut(entry) {
            registered.driver = Driver::NOBODY;
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// What threads ask.
impl Registry {
    /// The next module that a thread has not begun with.
    pub(crate) fn next_module(&self, thread: &ThreadEntry) -> Option<Arc<ModuleEntry>> {
        let state = self.lock();
        let mut up = state.up(thread.generation);
        up.find(|entry| entry.concerns_threads() && !thread.holds(entry)).cloned()
    }

    /// The module that declares a global, if a thread of that runtime may begin with it.
    pub(crate) fn module_of(
        &self,
        global: &'static GlobalDescriptor,
        generation: u32,
    ) -> Result<Arc<ModuleEntry>, AccessError> {
        let state = self.lock();
        let found = state.up(generation).find(|entry| entry.declares(global)).cloned();
        let declares = |module: &ModuleDescriptor| module.globals().any(|own| ptr::eq(own, global));
        drop(state);
        found.ok_or_else(|| not_there(global.module, global.name, generation, declares))
    }

    /// The module that declares a shared value, if it can be reached.
    pub(crate) fn serving(
        &self,
        shared: &'static SharedDescriptor,
    ) -> Result<Arc<ModuleEntry>, AccessError> {
        let state = self.lock();
        let generation = state.generation;
        let is_open = |entry: &&Arc<ModuleEntry>| {
            matches!(entry.state(), ModuleState::Up | ModuleState::Retiring)
        };
        let mut open =
            state.modules.list.iter().map(|registered| &registered.entry).filter(is_open);
        let found = open.find(|entry| entry.shared(shared).is_some()).cloned();
        drop(open);
        drop(state);
        let declares = |module: &ModuleDescriptor| module.shared().any(|own| ptr::eq(own, shared));
        found.ok_or_else(|| not_there(shared.module, shared.name, generation, declares))
    }

    /// Publishes a lazy value that was built just now, if it can still be reached.
    pub(crate) fn publish(
        &self,
        entry: &ModuleEntry,
        shared: &SharedDescriptor,
        value: ptr::NonNull<u8>,
    ) {
        let _state = self.lock();
        if matches!(entry.state(), ModuleState::Up | ModuleState::Retiring) {
            shared.publish(Some(value));
        }
    }

    /// The first module behind number `after` that came up or went behind the change `seen`, and its
    /// number.
    pub(crate) fn changed_module(&self, seen: u64, after: u64) -> Option<(u64, Arc<ModuleEntry>)> {
        let state = self.lock();
        let mut changed = state.modules.list.iter().filter(|registered| {
            registered.number > after && (registered.up > seen || registered.mark > seen)
        });
        changed.next().map(|found| (found.number, Arc::clone(&found.entry)))
    }
}

/// Retirement.
impl Registry {
    /// From up to retiring; or joins a retire that is under way; `None` if it is over. `waits` counts the caller among those who
    /// have patience, until [`end_wait`](Self::end_wait).
    pub(crate) fn begin_retire(
        &self,
        module: Module,
        generation: u32,
        waits: bool,
    ) -> Result<Option<Arc<ModuleEntry>>, RetireError> {
        let mut state = self.lock();
        if state.generation != generation || state.life != Life::Running {
            return Err(RetireError::NotRunning);
        }
        let is_it = |registered: &&Registered| {
            registered.entry.module() == module && registered.entry.generation == generation
        };
        let Some(found) = state.modules.list.iter().rfind(is_it) else {
            let is_over = module.descriptor().was_retired_in(generation);
            return if is_over { Ok(None) } else { Err(RetireError::NotRegistered(module.name())) };
        };
        let entry = Arc::clone(&found.entry);
        let is_driven_here = found.driver == Driver::this();
        match found.state() {
            ModuleState::Starting => return Err(RetireError::Starting(module.name())),
            ModuleState::Stopping if is_driven_here => {
                return Err(RetireError::Stopping(module.name()));
            }
            ModuleState::Up => {
                let needs = |other: &&Registered| {
                    other.entry.requires.iter().any(|required| Arc::ptr_eq(required, &entry))
                };
                if let Some(other) = state.modules.present(generation).find(needs) {
                    return Err(RetireError::NeededBy {
                        module: module.name(),
                        by: other.entry.name(),
                    });
                }
                entry.set_state(ModuleState::Retiring);
                entry.descriptor().note_retired_in(generation);
                let change = state.change();
                if let Some(registered) = state.modules.get_mut(&entry) {
                    registered.mark = change;
                }
            }
            _ => {}
        }
        if waits && let Some(registered) = state.modules.get_mut(&entry) {
            registered.waiting += 1;
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

    /// Waits for something to change, unless the module is down and nobody holds it. Answers false when
    /// that is so, or the deadline has passed.
    pub(crate) fn wait_for_module(&self, entry: &ModuleEntry, deadline: Option<Instant>) -> bool {
        let mut state = self.lock();
        let Some(registered) = state.modules.get_mut(entry) else { return false };
        let is_down = registered.state() == ModuleState::Down;
        let state_now = &*state;
        if is_down && !state_now.threads.iter().any(|linked| linked.entry.holds(entry)) {
            return false;
        }
        // What is to be done has been done by the caller; under this lock nothing has changed since but
        // what is noticed at the next wake.
        if state.has_step(true) {
            return true;
        }
        !self.wait(state, deadline).1
    }

    /// Waits for a change, until the deadline; says whether that has passed.
    pub(super) fn wait<'r>(
        &'r self,
        state: MutexGuard<'r, State>,
        deadline: Option<Instant>,
    ) -> (MutexGuard<'r, State>, bool) {
        let Some(deadline) = deadline else {
            return (self.changed.wait(state).unwrap_or_else(PoisonError::into_inner), false);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return (state, true);
        }
        let waited = self.changed.wait_timeout(state, left);
        (waited.unwrap_or_else(PoisonError::into_inner).0, false)
    }

    /// Whether nothing is left of a retired module, and the threads that hold it or hold it up.
    pub(crate) fn retired(&self, entry: &ModuleEntry) -> (bool, Vec<Arc<ThreadEntry>>) {
        let mark = self.lock().modules.get_mut(entry).map_or(0, |registered| registered.mark);
        let is_down = entry.state() == ModuleState::Down;
        let holders = self.collect_threads(|linked| {
            linked.entry.holds(entry) || (!is_down && linked.quiet < mark)
        });
        (is_down && holders.is_empty(), holders)
    }

    /// Does what can be done under the lock for modules that are retired and places that were released,
    /// and says what comes next outside it.
    pub(crate) fn next_step(&self, is_caller: bool) -> Option<Step> {
        let mut state = self.lock();
        state.reclaim();
        let index = state.step(is_caller)?;
        let entry = Arc::clone(&state.modules.list[index].entry);
        match entry.state() {
            ModuleState::Retiring => {
                entry.set_state(ModuleState::Closing);
                state.unpublish(&entry);
                state.modules.list[index].mark = state.change();
                Some(Step::Look)
            }
            ModuleState::Closing => {
                entry.set_state(ModuleState::Stopping);
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

/// The end of a runtime.
impl Registry {
    /// A module that the calling thread starts or stops just now.
    pub(crate) fn driven_module(&self) -> Option<&'static str> {
        let (state, this) = (self.lock(), Driver::this());
        let mut list = state.modules.list.iter();
        list.find(|registered| registered.driver == this).map(|found| found.entry.name())
    }

    /// Puts all modules of a runtime out of reach, to be stopped by the calling thread. Answers the change
    /// behind which that is so.
    pub(crate) fn begin_stop(&self, generation: u32) -> u64 {
        let mut state = self.lock();
        self.set_life(&mut state, Life::Stopping);
        let change = state.change();
        for index in 0..state.modules.list.len() {
            let registered = &mut state.modules.list[index];
            let is_up = (ModuleState::Up..=ModuleState::Closing).contains(&registered.state());
            if registered.entry.generation == generation && is_up {
                registered.mark = change;
                registered.driver = Driver::this();
                let entry = Arc::clone(&registered.entry);
                entry.set_state(ModuleState::Stopping);
                state.unpublish(&entry);
            }
        }
        state.places.release_resources();
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
        state.is_quiet_since(change) && !state.has_moving_modules(generation)
    }

    /// The modules of a runtime that are not down, in order, and whether each is up.
    pub(crate) fn modules(&self, generation: u32) -> Vec<(Module, ModuleState)> {
        let mut modules = Vec::new();
        loop {
            let state = self.lock();
            let present = state.modules.present(generation);
            let count = state.modules.list.len();
            if count <= modules.capacity() {
                modules.extend(present.map(|found| (found.entry.module(), found.state())));
                return modules;
            }
            drop(present);
            drop(state);
            modules.reserve(count);
        }
    }
}

impl State {
    /// Whether modules may come up in that runtime.
    fn admit_runtime(&self, generation: u32) -> Result<(), RegisterError> {
        match self.life {
            _ if self.generation != generation => Err(RegisterError::NotRunning),
            Life::Running | Life::Starting => Ok(()),
            Life::ShuttingDown | Life::Stopping => Err(RegisterError::ShuttingDown),
            Life::Stopped => Err(RegisterError::NotRunning),
        }
    }

    fn admit_module(&self, module: Module, generation: u32) -> Result<(), RegisterError> {
        self.admit_runtime(generation)?;
        for other in self.modules.present(generation) {
            let is_up = other.state() <= ModuleState::Up;
            if is_up && other.entry.name() == module.name() {
                return Err(RegisterError::AlreadyRegistered(module.name()));
            }
            if other.entry.module() == module {
                return Err(RegisterError::Retiring(module.name()));
            }
        }
        Ok(())
    }

    fn up(&self, generation: u32) -> impl Iterator<Item = &Arc<ModuleEntry>> {
        let up = self.modules.present(generation).map(|registered| &registered.entry);
        up.filter(|entry| entry.state() == ModuleState::Up)
    }

    fn up_by_name(&self, name: &str, generation: u32) -> Option<Arc<ModuleEntry>> {
        self.up(generation).find(|entry| entry.name() == name).cloned()
    }

    /// Whether that module is up.
    pub(super) fn is_up(&self, entry: &ModuleEntry) -> bool {
        self.generation == entry.generation && entry.state() == ModuleState::Up
    }

    /// Whether somebody else starts or stops a module of that runtime.
    pub(super) fn has_moving_modules(&self, generation: u32) -> bool {
        let this = Driver::this();
        let is_moved = |found: &Registered| found.driver != Driver::NOBODY && found.driver != this;
        self.modules.present(generation).any(is_moved)
    }

    /// The first module that can move on.
    fn step(&self, is_caller: bool) -> Option<usize> {
        self.modules.list.iter().position(|registered| match registered.state() {
            ModuleState::Retiring => {
                !self.threads.iter().any(|linked| registered.waits_for(linked))
            }
            ModuleState::Closing => {
                (is_caller || registered.waiting == 0) && self.is_quiet_since(registered.mark)
            }
            ModuleState::Down => registered.waiting == 0 && !registered.is_held(&self.threads),
            ModuleState::Starting | ModuleState::Up | ModuleState::Stopping => false,
        })
    }

    fn has_step(&self, is_caller: bool) -> bool {
        self.step(is_caller).is_some()
    }

    /// Takes the shared values of a module out of reach.
    fn unpublish(&self, entry: &ModuleEntry) {
        for value in entry.shared_values() {
            value.descriptor().publish(None);
        }
    }

    /// See [`Registry::set_down`].
    pub(super) fn down(&mut self, entry: &ModuleEntry) {
        if entry.state() == ModuleState::Down {
            return;
        }
        // What has never been up has published nothing, and numbered nothing.
        if entry.state() > ModuleState::Starting {
            self.unpublish(entry);
            entry.descriptor().heap_globals().for_each(|global| global.set_index(None));
        }
        entry.set_state(ModuleState::Down);
    }

    /// Gives places away again in which no thread has anything.
    pub(super) fn reclaim(&mut self) {
        let Self { places, threads, .. } = self;
        places.reclaim(|place| {
            let has = |linked: &Linked| !linked.entry.values.table.get(place as usize).is_null();
            threads.iter().any(has)
        });
    }
}

fn not_there(
    module: &'static str,
    global: &'static str,
    generation: u32,
    declares: impl Fn(&ModuleDescriptor) -> bool,
) -> AccessError {
    let was_retired = linked_modules().any(|m| m.was_retired_in(generation) && declares(m));
    if was_retired {
        AccessError::ModuleRetired { module, global }
    } else {
        AccessError::ModuleNotStarted { module, global }
    }
}
