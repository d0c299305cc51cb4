//! The registered modules, and what is asked of them.
//!
//! How they come up is in [`registration`](super::registration), how they go while threads run in
//! [`retirement`](super::retirement), how the end of a runtime takes them along in [`life`](super::life).
//! Nothing here runs users' code or allocates under the lock.

use std::ptr;
use std::sync::Arc;

use super::linked::{Linked, Threads};
use super::{Registry, State};
use crate::error::AccessError;
use crate::global::descriptor::GlobalDescriptor;
use crate::module::entry::{ModuleEntry, ModuleState};
use crate::module::{ModuleDescriptor, linked_modules};
use crate::shared::declaration::SharedDescriptor;
use crate::thread::entry::ThreadEntry;
use crate::thread::identity;

/// A registered module.
pub(super) struct Registered {
    pub(super) entry: Arc<ModuleEntry>,
    /// Counts registrations; the list is in this order.
    pub(super) number: u64,
    /// The change by which it came up; 0 before that.
    pub(super) up: u64,
    /// The change by which it was retired, and its shared values went out of reach; 0 before that.
    pub(super) retired: u64,
    /// How many callers of a retire wait for it.
    pub(super) waiting: usize,
    /// Who starts or stops it.
    pub(super) driver: Driver,
}

/// A thread in the middle of a start or a stop; means something only while it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Driver(usize);

impl Driver {
    pub(super) const NOBODY: Self = Self(0);

    /// The calling thread.
    pub(super) fn this() -> Self {
        Self(identity::token())
    }
}

/// The registered modules, in the order of their registration.
pub(super) struct Modules {
    pub(super) list: Vec<Registered>,
    pub(super) next_number: u64,
}

impl Modules {
    pub(super) const fn new() -> Self {
        Self { list: Vec::new(), next_number: 1 }
    }

    pub(super) fn get(&self, entry: &ModuleEntry) -> Option<&Registered> {
        self.list.iter().find(|registered| ptr::eq(&*registered.entry, entry))
    }

    pub(super) fn get_mut(&mut self, entry: &ModuleEntry) -> Option<&mut Registered> {
        self.list.iter_mut().find(|registered| ptr::eq(&*registered.entry, entry))
    }

    /// Those of one runtime that are not down.
    pub(super) fn present(&self, generation: u32) -> impl DoubleEndedIterator<Item = &Registered> {
        self.list.iter().filter(move |registered| {
            registered.entry.generation == generation && registered.state() != ModuleState::Down
        })
    }

    pub(super) fn first_present(&self, generation: u32) -> Option<Arc<ModuleEntry>> {
        self.present(generation).next().map(|registered| Arc::clone(&registered.entry))
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
    pub(super) fn state(&self) -> ModuleState {
        self.entry.state()
    }

    /// Whether a thread may still use the module, which is retiring: it is in the attach that it was in
    /// then, or runs its hooks for it.
    pub(super) fn may_use(&self, linked: &Linked) -> bool {
        linked.quiet < self.retired || (linked.is_busy && linked.entry.holds(&self.entry))
    }

    /// Whether a thread's part in a retire is waited for: all of its use, and that it lets go of the module,
    /// unless it sleeps and nobody has patience.
    pub(super) fn waits_for(&self, linked: &Linked) -> bool {
        let has_part = linked.entry.holds(&self.entry) && linked.seen < self.retired;
        let comes = linked.inside >= self.retired;
        self.may_use(linked) || (has_part && (self.waiting > 0 || comes))
    }

    pub(super) fn is_held(&self, threads: &Threads) -> bool {
        threads.iter().any(|linked| linked.entry.holds(&self.entry))
    }
}

/// What threads ask.
impl Registry {
    /// The next module that a thread has to begin with.
    pub(crate) fn next_module(&self, thread: &ThreadEntry) -> Option<Arc<ModuleEntry>> {
        let state = self.lock();
        let mut up = state.up(thread.generation);
        up.find(|entry| entry.concerns_all_threads() && !thread.holds(entry)).cloned()
    }

    /// The module that declares a global, if the thread may begin with it.
    pub(crate) fn module_of(
        &self,
        thread: &ThreadEntry,
        global: &'static GlobalDescriptor,
    ) -> Result<Arc<ModuleEntry>, AccessError> {
        let state = self.lock();
        let generation = thread.generation;
        let place = global.index().and_then(|index| u32::try_from(index).ok());
        let has = |found: &&Registered| {
            place.is_some_and(|place| found.entry.places[1..].contains(&place))
        };
        let found = state.modules.present(generation).find(has);
        let found = found.filter(|found| state.is_open_to(thread, found));
        let found = found.map(|found| Arc::clone(&found.entry));
        let declares = |module: &ModuleDescriptor| module.globals().any(|own| ptr::eq(own, global));
        found.ok_or_else(|| state.not_there((global.module, global.name), generation, declares))
    }

    /// The module that declares a shared value, if the calling thread can reach it, which is attached.
    pub(crate) fn serving(
        &self,
        thread: &ThreadEntry,
        shared: &'static SharedDescriptor,
    ) -> Result<Arc<ModuleEntry>, AccessError> {
        let state = self.lock();
        let generation = state.generation;
        let mut present = state.modules.present(generation);
        let found = present.find(|found| found.entry.shared(shared).is_some());
        let found = found.filter(|found| state.is_open_to(thread, found));
        let found = found.map(|found| Arc::clone(&found.entry));
        drop(present);
        let declares = |module: &ModuleDescriptor| module.shared().any(|own| ptr::eq(own, shared));
        found.ok_or_else(|| state.not_there((shared.module, shared.name), generation, declares))
    }

    /// Publishes a lazy value that was built just now, if it can still be reached.
    pub(crate) fn publish(
        &self,
        entry: &ModuleEntry,
        shared: &SharedDescriptor,
        value: ptr::NonNull<u8>,
    ) {
        let _state = self.lock();
        if entry.state() == ModuleState::Up {
            shared.publish(Some(value));
        }
    }

    /// The first module behind number `after` that came up or went behind the change `seen`, and its
    /// number.
    pub(crate) fn changed_module(&self, seen: u64, after: u64) -> Option<(u64, Arc<ModuleEntry>)> {
        let state = self.lock();
        let mut changed = state.modules.list.iter().filter(|registered| {
            registered.number > after && (registered.up > seen || registered.retired > seen)
        });
        changed.next().map(|found| (found.number, Arc::clone(&found.entry)))
    }
}

impl State {
    fn up(&self, generation: u32) -> impl Iterator<Item = &Arc<ModuleEntry>> {
        let up = self.modules.present(generation).map(|registered| &registered.entry);
        up.filter(|entry| entry.state() == ModuleState::Up)
    }

    pub(super) fn up_by_name(&self, name: &str, generation: u32) -> Option<Arc<ModuleEntry>> {
        self.up(generation).find(|entry| entry.name() == name).cloned()
    }

    /// Whether a thread may use a module: it is up, or is retiring and the thread may go on.
    pub(super) fn is_open_to(&self, thread: &ThreadEntry, registered: &Registered) -> bool {
        match registered.state() {
            ModuleState::Up => true,
            ModuleState::Retiring => {
                self.threads.get(thread).is_some_and(|linked| registered.may_use(linked))
            }
            _ => false,
        }
    }

    /// The modules of that runtime that somebody else starts or stops.
    pub(super) fn moving_modules(&self, generation: u32) -> impl Iterator<Item = &Registered> {
        let others =
            |found: &&Registered| ![Driver::NOBODY, Driver::this()].contains(&found.driver);
        self.modules.present(generation).filter(others)
    }

    /// Takes the shared values of a module out of reach. Once, before the next registration of the same
    /// declarations publishes its own.
    pub(super) fn unpublish(&self, entry: &ModuleEntry) {
        for value in entry.shared_values() {
            value.descriptor().publish(None);
        }
    }

    /// Nobody uses the module any more: it is to be stopped.
    pub(super) fn set_stopping(&self, entry: &ModuleEntry) {
        entry.set_state(ModuleState::Stopping);
        entry.descriptor().heap_globals().for_each(|global| global.set_index(None));
    }

    /// Why a module that `declares` something is not there in that runtime.
    fn not_there(
        &self,
        (module, global): (&'static str, &'static str),
        generation: u32,
        declares: impl Fn(&ModuleDescriptor) -> bool,
    ) -> AccessError {
        let mut present = self.modules.present(generation);
        let is_starting = present.any(|found| {
            found.state() == ModuleState::Starting && declares(found.entry.descriptor())
        });
        let was_retired = |module: &ModuleDescriptor| module.was_retired_in(generation);
        if !is_starting && linked_modules().any(|module| was_retired(module) && declares(module)) {
            AccessError::ModuleRetired { module, global }
        } else {
            AccessError::ModuleNotStarted { module, global }
        }
    }

    /// Gives places away again in which no thread has anything.
    pub(super) fn reclaim(&mut self) {
        let Self { places, threads, .. } = self;
        places.reclaim(|place| threads.iter().any(|linked| linked.has_at(place)));
    }

    /// The same for one place.
    pub(super) fn reclaim_one(&mut self, place: u32) {
        let Self { places, threads, .. } = self;
        places.reclaim_one(place, |place| threads.iter().any(|linked| linked.has_at(place)));
    }
}
