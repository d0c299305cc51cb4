//! Who is registered: the one lock of the process, and everything that it guards.
//!
//! The runtime's life, the started modules, the linked thread entries with their pins. No user code
//! runs under the lock (I3), and no path that is taken more than once per thread, request or
//! reading takes it. One lock instead of several also is what makes `fork` tractable: whoever forks
//! holds it meanwhile, so the child finds all of this in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::error::{AttachError, StartError};
use crate::fault::{self, Fault, FaultHook};
use crate::mode;
use crate::module::{Module, linked_globals};
use crate::thread::entry::ThreadEntry;
use crate::thread::handle::Interrupt;
use crate::thread::identity::{Straggler, ThreadId, ThreadLabel};

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
    /// Faults so far in this process (I8).
    faults: AtomicU64,
    /// How many static globals are linked; assigned by the first start.
    statics: AtomicUsize,
}

/// What the lock guards.
pub(crate) struct State {
    pub(crate) life: Life,
    /// Of the present runtime, or the last one.
    pub(crate) generation: u32,
    /// The present runtime's modules, in order of their start.
    pub(crate) modules: Option<Arc<[Module]>>,
    pub(crate) on_fault: Option<Arc<FaultHook>>,
    threads: BTreeMap<ThreadId, Linked>,
    next_thread: u64,
    /// The holder of the globals of a single-threaded build that ended without dropping them, or
    /// that a fork left behind. Nobody else may have them, ever (I9).
    lost_holder: Option<ThreadLabel>,
    /// This process is a fork's child that has yet to forget the threads it did not inherit.
    forked: Option<Forked>,
}

/// Who called `fork`: the one thread that its child has, if it was registered.
struct Forked {
    survivor: Option<ThreadId>,
}

/// Where a runtime is between two stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Stopped,
    Starting,
    Running,
    ShuttingDown,
}

/// A registered thread, as others see it.
struct Linked {
    entry: Arc<ThreadEntry>,
    /// How many readers are in the middle of one of its values.
    pins: usize,
    /// Whether a reader may begin. False until the statics are in order, and from the drain on.
    pinnable: bool,
}

impl Registry {
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                life: Life::Stopped,
                generation: 0,
                modules: None,
                on_fault: None,
                threads: BTreeMap::new(),
                next_thread: 1,
                lost_holder: None,
                forked: None,
            }),
            changed: Condvar::new(),
            running: AtomicU32::new(0),
            faults: AtomicU64::new(0),
            statics: AtomicUsize::new(0),
        }
    }

    /// The lock. Nothing panics while it is held, so a poisoned one is in order.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock_for_fork();
        if let Some(forked) = state.forked.take() {
            state.forget_others(forked.survivor);
        }
        state
    }

    /// The lock as `fork` takes it: the child has just this guard to let go.
    pub(crate) fn lock_for_fork(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The generation of the running runtime.
    pub(crate) fn running(&self) -> Option<u32> {
        // Acquire: pairs with the Release in `set_life`; who sees a runtime sees what its start-up
        // hooks wrote.
        match self.running.load(Ordering::Acquire) {
            0 => None,
            generation => Some(generation),
        }
    }

    /// How many static globals are linked.
    pub(crate) fn statics(&self) -> usize {
        // Relaxed: written before the first runtime runs, whose Release publishes it.
        self.statics.load(Ordering::Relaxed)
    }

    /// Moves the runtime on.
    pub(crate) fn set_life(&self, state: &mut State, life: Life) {
        state.life = life;
        let running = if life == Life::Running { state.generation } else { 0 };
        // Release: pairs with the Acquire in `running`.
        self.running.store(running, Ordering::Release);
    }

    /// Stopped → Starting, with a new generation.
    pub(crate) fn begin_start(
        &self,
        modules: Arc<[Module]>,
        on_fault: Option<Arc<FaultHook>>,
    ) -> Result<u32, StartError> {
        let mut state = self.lock();
        if state.life != Life::Stopped {
            return Err(StartError::AlreadyStarted);
        }
        state.generation = state.generation.checked_add(1).ok_or(StartError::Exhausted)?;
        state.modules = Some(modules);
        state.on_fault = on_fault;
        self.number_statics();
        self.set_life(&mut state, Life::Starting);
        Ok(state.generation)
    }

    /// Gives every linked static global its index. Only the first call changes anything.
    fn number_statics(&self) {
        let mut count = 0;
        for global in linked_globals() {
            if global.is_static() {
                global.set_index(count);
                count += 1;
            }
        }
        // Relaxed: published with the generation.
        self.statics.store(count, Ordering::Relaxed);
    }

    /// Links the calling thread, which is not registered, into that runtime. The entry cannot be
    /// pinned before [`open`](Self::open).
    ///
    /// In a single-threaded build this is where the globals change hands: an empty list, seen under
    /// the lock, means that the last holder's drain is complete (I9).
    pub(crate) fn link(
        &self,
        wanted: Wanted,
        make: impl FnOnce(u32, ThreadId, Arc<[Module]>) -> ThreadEntry,
    ) -> Result<Arc<ThreadEntry>, AttachError> {
        let mut state = self.lock();
        state.admit(wanted)?;
        if mode::SINGLE_THREADED
            && let Some(holder) = state.holder()
        {
            return Err(AttachError::SingleThreaded { holder });
        }
        let Some(modules) = state.modules.clone() else { return Err(AttachError::NotStarted) };
        let id = ThreadId(state.next_thread);
        state.next_thread += 1;
        let entry = Arc::new(make(state.generation, id, modules));
        state.threads.insert(id, Linked { entry: Arc::clone(&entry), pins: 0, pinnable: false });
        Ok(entry)
    }

    /// From now on others may look at this thread's values.
    pub(crate) fn open(&self, id: ThreadId) {
        if let Some(linked) = self.lock().threads.get_mut(&id) {
            linked.pinnable = true;
        }
    }

    /// From now on nobody looks at this thread's values: no new pin, and the old ones are waited
    /// for (I1).
    pub(crate) fn close(&self, id: ThreadId) {
        let mut state = self.lock();
        while let Some(linked) = state.threads.get_mut(&id) {
            linked.pinnable = false;
            if linked.pins == 0 {
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Forgets a closed thread. `drained` says that none of its values is left.
    pub(crate) fn unlink(&self, entry: &ThreadEntry, drained: bool) {
        let mut state = self.lock();
        state.threads.remove(&entry.id);
        if mode::SINGLE_THREADED && !drained {
            state.lost_holder = Some(entry.label());
        }
        drop(state);
        self.changed.notify_all();
    }

    /// All registered threads, in the order of their registration.
    pub(crate) fn threads(&self) -> Vec<Arc<ThreadEntry>> {
        self.lock().threads.values().map(|linked| Arc::clone(&linked.entry)).collect()
    }

    /// Holds back the drops of that thread's values until the pin is dropped; `None` if they are
    /// not there (yet, or any more).
    pub(crate) fn pin<'r>(&'r self, entry: &'r ThreadEntry) -> Option<Pin<'r>> {
        let mut state = self.lock();
        let linked = state.threads.get_mut(&entry.id)?;
        if !linked.pinnable {
            return None;
        }
        linked.pins += 1;
        Some(Pin { registry: self, entry })
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
        for linked in state.threads.values() {
            // Relaxed: who misses it in an attach sees it when it leaves.
            linked.entry.admits.store(0, Ordering::Relaxed);
        }
        // Pairs with the fence in `InterruptWord::begin`: either this sees the request that a thread
        // has just begun, or that thread sees the closed gate.
        fence(Ordering::SeqCst);
        for linked in state.threads.values() {
            if let Some(serial) = linked.entry.interrupt.serial() {
                linked.entry.interrupt.set(serial, Interrupt::SHUTDOWN.code());
            }
        }
        true
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

    /// Waits until all threads of that generation have left, or the deadline has passed; names
    /// those that have not.
    pub(crate) fn wait_for_threads(
        &self,
        generation: u32,
        deadline: Option<Instant>,
    ) -> Vec<Straggler> {
        let mut state = self.lock();
        loop {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if state.of(generation).next().is_none() || left.is_some_and(|left| left.is_zero()) {
                return state.of(generation).map(straggler).collect();
            }
            state = match left {
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
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
            Life::ShuttingDown => Err(AttachError::ShuttingDown),
            Life::Starting | Life::Stopped => Err(AttachError::NotStarted),
        }
    }

    /// Whether the modules of that generation are up.
    pub(crate) fn is_up(&self, generation: u32) -> bool {
        self.generation == generation && matches!(self.life, Life::Running | Life::ShuttingDown)
    }

    /// Whoever has the globals of a single-threaded build.
    fn holder(&self) -> Option<ThreadLabel> {
        let linked = self.threads.values().next().map(|linked| linked.entry.label());
        self.lost_holder.clone().or(linked)
    }

    /// Notes that the other threads are gone. They are forgotten at the next lock: a fork handler
    /// may do little, and most children `exec` anyway.
    pub(crate) fn mark_forked(&mut self, survivor: Option<ThreadId>) {
        self.forked = Some(Forked { survivor });
    }

    /// Unlinks the threads that a fork's child did not inherit, and their pins (I6). What they held
    /// leaks, as the child's copy of all their memory does.
    fn forget_others(&mut self, survivor: Option<ThreadId>) {
        let mut others = std::mem::take(&mut self.threads);
        if let Some(mut linked) = survivor.and_then(|id| others.remove(&id)) {
            linked.pins = 0;
            self.threads.insert(linked.entry.id, linked);
        }
        if mode::SINGLE_THREADED
            && let Some(holder) = others.into_values().next()
        {
            self.lost_holder = Some(holder.entry.label());
        }
    }

    /// The threads of that generation.
    fn of(&self, generation: u32) -> impl Iterator<Item = &ThreadEntry> {
        let entries = self.threads.values().map(|linked| &*linked.entry);
        entries.filter(move |entry| entry.generation == generation)
    }
}

fn straggler(entry: &ThreadEntry) -> Straggler {
    Straggler {
        thread: entry.label(),
        depth: entry.depth(),
        state: entry.state(),
        registered_for: entry.since.elapsed(),
    }
}

/// Keeps one thread's values alive for a reader on another one.
pub(crate) struct Pin<'r> {
    registry: &'r Registry,
    entry: &'r ThreadEntry,
}

impl Drop for Pin<'_> {
    fn drop(&mut self) {
        let mut state = self.registry.lock();
        let Some(linked) = state.threads.get_mut(&self.entry.id) else { return };
        // A fork's child has cleared the pins, and this may be one from before.
        linked.pins = linked.pins.saturating_sub(1);
        if linked.pins == 0 && !linked.pinnable {
            drop(state);
            self.registry.changed.notify_all();
        }
    }
}
