//! Who is registered: the one lock of the process, and everything that it guards.
//!
//! The runtime's life, the started modules, the linked thread entries with their pins. No user code
//! runs under the lock (I3), not even an allocator; and no path takes it that is taken more than
//! once per thread or reading. One lock instead of several also is what makes `fork` tractable:
//! whoever forks holds it meanwhile, so the child finds all of this in order.

mod linked;

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use linked::Table;

use crate::error::{AttachError, StartError};
use crate::fault::{self, Fault, FaultHook};
use crate::mode;
use crate::module::{Module, linked_globals};
use crate::thread::entry::ThreadEntry;
use crate::thread::handle::Interrupt;
use crate::thread::identity::{Straggler, ThreadId};

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
}

/// What the lock guards.
pub(crate) struct State {
    pub(crate) life: Life,
    /// Of the present runtime, or the last one.
    pub(crate) generation: u32,
    /// The present runtime's modules, in order of their start.
    pub(crate) modules: Option<Arc<[Module]>>,
    pub(crate) on_fault: Option<Arc<FaultHook>>,
    threads: Table,
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
    /// Whether it was in the middle of a start or a shutdown.
    drives_life: bool,
}

thread_local! {
    /// This thread is in the middle of a start or a shutdown.
    static DRIVES_LIFE: Cell<bool> = const { Cell::new(false) };
}

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
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                life: Life::Stopped,
                generation: 0,
                modules: None,
                on_fault: None,
                threads: Table::new(),
                lost_holder: None,
                forked: None,
            }),
            changed: Condvar::new(),
            running: AtomicU32::new(0),
            up: AtomicU32::new(0),
            next_thread: AtomicU64::new(1),
            faults: AtomicU64::new(0),
            statics: AtomicUsize::new(0),
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
        DRIVES_LIFE.set(!matches!(life, Life::Running | Life::Stopped));
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
        self.number_statics(&state);
        self.set_life(&mut state, Life::Starting);
        Ok(state.generation)
    }

    /// Gives every linked static global an index that has none yet.
    fn number_statics(&self, _state: &State) {
        // Relaxed: only written here, under the lock, and read by threads that have held it since.
        let mut count = self.statics.load(Ordering::Relaxed);
        for global in linked_globals() {
            if global.is_static() && global.index().is_none() {
                global.set_index(count);
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
        make: impl Fn(u32, ThreadId, Arc<[Module]>) -> ThreadEntry,
    ) -> Result<Arc<ThreadEntry>, AttachError> {
        // Made without the lock, as all that allocates.
        let mut larger = Table::new();
        let (mut generation, modules) = self.admitted(wanted)?;
        // Relaxed: a number.
        let id = ThreadId(self.next_thread.fetch_add(1, Ordering::Relaxed));
        let mut entry = Arc::new(make(generation, id, modules));
        loop {
            let mut state = self.lock();
            state.admit(wanted)?;
            let capacity = state.threads.capacity();
            if state.generation != generation {
                // Another runtime, which will do as well.
                drop(state);
                let (present, modules) = self.admitted(wanted)?;
                generation = present;
                entry = Arc::new(make(generation, id, modules));
            } else if !state.threads.is_full() {
                let holder = state.holder();
                if holder.is_none() {
                    self.number_statics(&state);
                    state.threads.insert(Arc::clone(&entry));
                }
                drop(state);
                return holder.map_or(Ok(entry), |holder| Err(single_threaded(&holder)));
            } else if larger.capacity() > capacity {
                let old = state.threads.grow(std::mem::replace(&mut larger, Table::new()));
                drop(state);
                drop(old);
            } else {
                drop(state);
                larger = Table::with_capacity((2 * capacity).max(16));
            }
        }
    }

    /// The runtime that a thread may register with, if it may.
    fn admitted(&self, wanted: Wanted) -> Result<(u32, Arc<[Module]>), AttachError> {
        let state = self.lock();
        state.admit(wanted)?;
        let Some(modules) = state.modules.clone() else { return Err(AttachError::NotStarted) };
        let (generation, holder) = (state.generation, state.holder());
        drop(state);
        holder.map_or(Ok((generation, modules)), |holder| Err(single_threaded(&holder)))
    }

    /// From now on others may look at this thread's values.
    pub(crate) fn open(&self, entry: &ThreadEntry) {
        if let Some(linked) = self.lock().threads.get_mut(entry) {
            linked.pinnable = true;
        }
    }

    /// From now on nobody begins to look at this thread's values.
    pub(crate) fn close(&self, entry: &ThreadEntry) {
        if let Some(linked) = self.lock().threads.get_mut(entry) {
            linked.pinnable = false;
        }
    }

    /// Waits until nobody looks at this thread's values, which is closed (I1).
    pub(crate) fn wait_for_readers(&self, entry: &ThreadEntry) {
        let mut state = self.lock();
        while state.threads.get_mut(entry).is_some_and(|linked| linked.pins > 0) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Forgets a closed thread. `drained` says that none of its values is left.
    pub(crate) fn unlink(&self, entry: &ThreadEntry, drained: bool) {
        let mut state = self.lock();
        let linked = state.threads.remove(entry);
        if mode::SINGLE_THREADED && !drained {
            state.lost_holder = linked.as_ref().map(|linked| Arc::clone(&linked.entry));
        }
        drop(state);
        drop(linked);
        self.changed.notify_all();
    }

    /// All registered threads, in the order of their registration.
    pub(crate) fn threads(&self) -> Vec<Arc<ThreadEntry>> {
        let mut threads = Vec::new();
        loop {
            let state = self.lock();
            let count = state.threads.len();
            if count <= threads.capacity() {
                threads.extend(state.threads.iter().map(|linked| Arc::clone(&linked.entry)));
                break;
            }
            drop(state);
            threads.reserve(count);
        }
        threads.sort_unstable_by_key(|entry| entry.id);
        threads
    }

    /// Holds back the drops of that thread's values until the pin is dropped; `None` if they are
    /// not there (yet, or any more).
    pub(crate) fn pin<'r>(&'r self, entry: &'r ThreadEntry) -> Option<Pin<'r>> {
        let mut state = self.lock();
        let linked = state.threads.get_mut(entry)?;
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
        for linked in state.threads.iter() {
            // Relaxed: who misses it in an attach sees it when it leaves.
            linked.entry.admits.store(0, Ordering::Relaxed);
        }
        // Pairs with the fence in `InterruptWord::begin`: either this sees the request that a thread
        // has just begun, or that thread sees the closed gate.
        fence(Ordering::SeqCst);
        for linked in state.threads.iter() {
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
            let mut threads = state.threads.iter();
            let have_left = !threads.any(|linked| linked.entry.generation == generation);
            drop(threads);
            if have_left {
                return Vec::new();
            }
            state = match left {
                Some(left) if left.is_zero() => break,
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        drop(state);
        let threads = self.threads();
        let stragglers = threads.iter().filter(|entry| entry.generation == generation);
        stragglers.map(|entry| straggler(entry)).collect()
    }

    /// Unlinks the threads that a fork's child did not inherit, and their pins (I6), and a start or
    /// shutdown that nobody is left to finish. What they held leaks, as the child's copy of all
    /// their memory does.
    fn forget_others(&self, state: &mut State, forked: &Forked) {
        let mut holder = None;
        state.threads.retain(
            |linked| {
                linked.pins = 0;
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
        if !forked.drives_life && !matches!(state.life, Life::Running | Life::Stopped) {
            self.set_life(state, Life::Stopped);
            std::mem::forget(state.modules.take());
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

    /// Notes that the other threads are gone. They are forgotten at the next lock: a fork handler
    /// may do little, and most children `exec` anyway.
    pub(crate) fn mark_forked(&mut self, survivor: Option<ThreadId>) {
        self.forked = Some(Forked { survivor, drives_life: DRIVES_LIFE.get() });
    }
}

fn single_threaded(holder: &ThreadEntry) -> AttachError {
    AttachError::SingleThreaded { holder: holder.label() }
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
        let Some(linked) = state.threads.get_mut(self.entry) else { return };
        // A fork's child has cleared the pins, and this may be one from before.
        linked.pins = linked.pins.saturating_sub(1);
        if linked.pins == 0 && !linked.pinnable {
            drop(state);
            self.registry.changed.notify_all();
        }
    }
}
