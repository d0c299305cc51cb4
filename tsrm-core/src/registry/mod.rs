//! Who is registered: the one lock of the process, and everything that it guards.
//!
//! The runtime's life, the registered modules and resources, the linked thread entries with their pins.
//! No user code runs under the lock (I3), not even an allocator; and no path takes it that is taken more
//! than once per thread, reading or change. What the lock guards is in parts: the runtime's [`life`]; the
//! [`linked`] threads, the [`pins`] on them, what [`grace`] periods know of them, and where they count
//! [`statistics`]; the [`modules`], their [`registration`] and [`retirement`]; the [`places`] of threads' tables, and the [`resources`] that have some.
//!
//! One lock instead of several also is what makes `fork` tractable:
//! whoever forks holds it meanwhile, so the child finds all of this in order.

mod grace;
mod life;
mod linked;
mod modules;
mod pins;
mod places;
mod registration;
mod resources;
mod retirement;
mod statistics;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub(crate) use life::Life;
pub(crate) use linked::Released;
use linked::{Linked, Threads};
use modules::{Driver, Modules};
use places::Places;
pub(crate) use resources::{Construct, ResourceType};
pub(crate) use retirement::Step;

use crate::error::AttachError;
use crate::fault::{self, Fault, FaultHook};
use crate::mode;
use crate::module::entry::ModuleState;
use crate::module::linked_statics;
use crate::thread::entry::ThreadEntry;
use crate::thread::identity::ThreadId;

/// Which runtime to enter.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    /// The one with this generation.
    Generation(u32),
    /// Whichever runs.
    Any,
}

/// The registry of this process.
pub(crate) static REGISTRY: Registry = Registry::new();

/// See the [module](self).
pub(crate) struct Registry {
    state: Mutex<State>,
    /// An entry was unlinked, or its last pin went. Waited for with `state`.
    changed: Condvar,
    /// The generation of the running runtime, 0 while none runs. A copy of what `state` says, for
    /// readers without the lock.
    running: AtomicU32,
    /// The generation whose modules are up, 0 while none are: from the start until the first
    /// `module_shutdown`. Asked before every hook of a thread.
    up: AtomicU32,
    /// The number of the next thread to be registered.
    next_thread: AtomicU64,
    /// Faults so far in this process (I8).
    faults: AtomicU64,
    /// How many static globals are linked; assigned by the first start.
    statics: AtomicUsize,
    /// The system has an asymmetric fence for us. Written under the lock.
    barrier: AtomicBool,
    /// It had one, and has taken it away. Under the lock.
    never_barrier: AtomicBool,
}

/// What the lock guards.
pub(crate) struct State {
    pub(crate) life: Life,
    /// Of the present runtime, or the last one.
    pub(crate) generation: u32,
    modules: Modules,
    places: Places,
    pub(crate) on_fault: Option<Arc<FaultHook>>,
    threads: Threads,
    /// Counts what threads have to come by for: modules that came up or go, grace periods.
    changes: u64,
    /// Who starts the runtime or shuts it down.
    driver: Driver,
    /// The holder of the globals of a single-threaded build that ended without dropping them, or
    /// that a fork left behind. Nobody else may have them, ever (I9).
    lost_holder: Option<Arc<ThreadEntry>>,
    /// This process is a fork's child that has yet to forget the threads it did not inherit.
    forked: Option<Forked>,
}

/// Who called `fork`: the one thread that its child has.
struct Forked {
    /// If it was registered.
    survivor: Option<ThreadId>,
    /// What it may be in the middle of.
    driver: Driver,
}

impl Registry {
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                life: Life::Stopped,
                generation: 0,
                modules: Modules::new(),
                places: Places::new(),
                on_fault: None,
                threads: Threads::new(),
                changes: 0,
                driver: Driver::NOBODY,
                lost_holder: None,
                forked: None,
            }),
            changed: Condvar::new(),
            running: AtomicU32::new(0),
            up: AtomicU32::new(0),
            next_thread: AtomicU64::new(1),
            faults: AtomicU64::new(0),
            statics: AtomicUsize::new(0),
            barrier: AtomicBool::new(false),
            never_barrier: AtomicBool::new(false),
        }
    }

    /// The lock. Nothing panics while it is held, so a poisoned one is in order.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock_for_fork();
        if let Some(forked) = state.forked.take() {
            self.forget_others(&mut state, &forked);
        }
        state
    }

    /// The lock as `fork` takes it: the child has just this guard to let go.
    pub(crate) fn lock_for_fork(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, until the deadline; says whether that has passed.
    fn wait<'r>(
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

    /// How many static globals are linked.
    pub(crate) fn statics(&self) -> usize {
        // Relaxed: written before the first runtime runs, whose Release publishes it.
        self.statics.load(Ordering::Relaxed)
    }

    /// Gives every linked static global an index that has none yet.
    fn number_statics(&self, _state: &State) {
        // Relaxed: only written here, under the lock, and read by threads that have held it since.
        let mut count = self.statics.load(Ordering::Relaxed);
        for global in linked_statics() {
            if global.index().is_none() {
                global.set_index(Some(count));
                count += 1;
                self.statics.store(count, Ordering::Relaxed);
            }
        }
    }

    /// Links the calling thread, which is not registered, into that runtime. The entry cannot be
    /// pinned before [`open`](Self::open). In a single-threaded build this is where the globals change
    /// hands.
    pub(crate) fn link(
        &self,
        wanted: Wanted,
        make: impl Fn(u32, ThreadId) -> ThreadEntry,
    ) -> Result<Arc<ThreadEntry>, AttachError> {
        // Made without the lock, as all that allocates.
        let mut larger = Threads::new();
        let mut generation = self.admitted(wanted)?;
        // Relaxed: a number.
        let id = ThreadId(self.next_thread.fetch_add(1, Ordering::Relaxed));
        let mut entry = Arc::new(make(generation, id));
        loop {
            let mut state = self.lock();
            state.admit(wanted)?;
            let capacity = state.threads.capacity();
            if state.generation != generation {
                // Another runtime, which will do as well.
                drop(state);
                generation = self.admitted(wanted)?;
                entry = Arc::new(make(generation, id));
            } else if !state.threads.is_full() {
                let holder = state.holder();
                if holder.is_none() {
                    self.number_statics(&state);
                    let changes = state.changes;
                    state.threads.insert(Arc::clone(&entry), changes);
                }
                drop(state);
                return holder.map_or(Ok(entry), |holder| Err(single_threaded(&holder)));
            } else if larger.capacity() > capacity {
                let old = state.threads.grow(std::mem::replace(&mut larger, Threads::new()));
                drop(state);
                drop(old);
            } else {
                drop(state);
                larger = Threads::with_capacity((2 * capacity).max(16));
            }
        }
    }

    /// The runtime that a thread may register with, if it may.
    fn admitted(&self, wanted: Wanted) -> Result<u32, AttachError> {
        let state = self.lock();
        state.admit(wanted)?;
        let (generation, holder) = (state.generation, state.holder());
        drop(state);
        holder.map_or(Ok(generation), |holder| Err(single_threaded(&holder)))
    }

    /// Forgets a closed thread, the calling one; what it has counted stays. `drained` says that none of its values
    /// is left.
    pub(crate) fn unlink(&self, entry: &ThreadEntry, drained: bool) {
        statistics::meet_shards();
        let mut state = self.lock();
        state.fold_own();
        let linked = state.threads.remove(entry);
        state.reclaim();
        if mode::SINGLE_THREADED && !drained {
            state.lost_holder = linked.as_ref().map(|linked| Arc::clone(&linked.entry));
        }
        drop(state);
        drop(linked);
        self.changed.notify_all();
    }

    /// All registered threads, in the order of their registration.
    pub(crate) fn threads(&self) -> Vec<Arc<ThreadEntry>> {
        self.collect_threads(|_| true)
    }

    /// Some registered threads, in the order of their registration.
    fn collect_threads(&self, which: impl Fn(&Linked) -> bool) -> Vec<Arc<ThreadEntry>> {
        let mut threads = Vec::new();
        loop {
            let state = self.lock();
            let count = state.threads.len();
            if count <= threads.capacity() {
                let found = state.threads.iter().filter(|linked| which(linked));
                threads.extend(found.map(|linked| Arc::clone(&linked.entry)));
                break;
            }
            drop(state);
            threads.reserve(count);
        }
        threads.sort_unstable_by_key(|entry| entry.id);
        threads
    }

    /// Counts a fault and tells the program's hook; without one, standard error.
    pub(crate) fn report(&self, fault: &Fault) {
        // Relaxed: a statistic.
        self.faults.fetch_add(1, Ordering::Relaxed);
        let hook = self.lock().on_fault.clone();
        let told = match &hook {
            Some(hook) => fault::catch(|| hook(fault)),
            None => fault::catch(|| eprintln!("tsrm: {fault}")),
        };
        // A hook that panics has nobody left to tell.
        drop(told);
        // Its last owner may drop what it captured.
        drop(fault::catch(|| drop(hook)));
    }

    /// Faults so far in this process.
    pub(crate) fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    /// Unlinks the threads that a fork's child did not inherit, and their pins (I6), and a start or
    /// shutdown that nobody is left to finish. What they held leaks, as the child's copy of all
    /// their memory does.
    fn forget_others(&self, state: &mut State, forked: &Forked) {
        let mut holder = None;
        state.threads.retain(
            |linked| {
                linked.pins = [0; 2];
                linked.is_busy = linked.is_busy && forked.survivor == Some(linked.entry.id);
                let stays = forked.survivor == Some(linked.entry.id);
                if mode::SINGLE_THREADED && !stays {
                    holder = Some(Arc::clone(&linked.entry));
                }
                stays
            },
            std::mem::forget,
        );
        if holder.is_some() {
            std::mem::forget(std::mem::replace(&mut state.lost_holder, holder));
        }
        state.reclaim();
        while let Some(entry) = state.modules.orphan(forked.driver) {
            entry.set_state(ModuleState::Down);
            // Not dropped under the lock.
            std::mem::forget(entry);
        }
        let is_moving = !matches!(state.life, Life::Running | Life::Stopped);
        if is_moving && state.driver != forked.driver {
            self.set_life(state, Life::Stopped);
            // Nobody is left to stop them. Their shared values leak.
            while let Some(entry) = state.modules.first_present(state.generation) {
                state.unpublish(&entry);
                state.set_stopping(&entry);
                entry.set_state(ModuleState::Down);
                std::mem::forget(entry);
            }
            state.places.release_resources();
            state.reclaim();
            std::mem::forget(state.on_fault.take());
        }
    }
}

impl State {
    /// Whether a thread may register with that runtime.
    fn admit(&self, wanted: Wanted) -> Result<(), AttachError> {
        let is_stale = match wanted {
            Wanted::Generation(wanted) => wanted != self.generation || self.life == Life::Stopped,
            Wanted::Any => false,
        };
        match self.life {
            _ if is_stale => Err(AttachError::Stale),
            Life::Running => Ok(()),
            Life::ShuttingDown | Life::Stopping => Err(AttachError::ShuttingDown),
            Life::Starting | Life::Stopped => Err(AttachError::NotStarted),
        }
    }

    /// Whoever has the globals of a single-threaded build. In the other mode nobody has them for
    /// himself.
    ///
    /// Seen under the lock, that there is nobody means that the last one's drain is complete (I9).
    fn holder(&self) -> Option<Arc<ThreadEntry>> {
        if !mode::SINGLE_THREADED {
            return None;
        }
        let linked = || self.threads.iter().next().map(|linked| &linked.entry);
        self.lost_holder.as_ref().or_else(linked).cloned()
    }

    /// Notes that the other threads are gone. What they have counted is kept at once; they are forgotten at
    /// the next lock: a fork handler may do little, and most children `exec` anyway.
    pub(crate) fn mark_forked(&mut self, survivor: Option<ThreadId>) {
        self.fold_others(survivor);
        self.forked = Some(Forked { survivor, driver: Driver::this() });
    }
}

fn single_threaded(holder: &ThreadEntry) -> AttachError {
    AttachError::SingleThreaded { holder: holder.label() }
}
