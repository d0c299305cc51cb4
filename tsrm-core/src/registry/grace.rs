//! Grace periods: how it is known that no thread can have a reference left (I11).
//!
//! Whoever takes something away, takes its address out of where it is found, counts a *change*, and
//! waits until every linked thread was found at depth 0 behind that change. All threads are *called*:
//! their gates are closed, so that the next one to leave its outermost attach comes by and says so. Those
//! that sleep at depth 0 are found there by [`look_for_quiet`](Registry::look_for_quiet).

use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, MutexGuard};
use std::time::Instant;

use super::{Life, Registry, Released, State};
use crate::module::entry::ModuleEntry;
use crate::sys;
use crate::thread::current;
use crate::thread::entry::{Phase, ThreadEntry};

/// What a thread comes by for.
pub(crate) struct Visit {
    /// The last change that it has done its part of.
    pub(crate) seen: u64,
    /// The last change that it does its part of now.
    upto: u64,
    /// What was released, if the thread has values of it.
    pub(crate) released: Released,
    /// It has to list its shards anew.
    pub(crate) misses_shards: bool,
}

impl State {
    /// Counts a change and calls all threads.
    pub(super) fn change(&mut self) -> u64 {
        // 64 bits: does not run out.
        self.changes += 1;
        for linked in self.threads.iter() {
            call(&linked.entry);
        }
        self.changes
    }

    /// Whether every thread was found at depth 0 behind that change.
    pub(super) fn is_quiet_since(&self, change: u64) -> bool {
        self.threads.iter().all(|linked| linked.quiet >= change)
    }
}

/// Under the lock.
pub(super) fn call(entry: &ThreadEntry) {
    entry.set_called(true);
    entry.gate.close();
}

impl Registry {
    /// Whether the system has an asymmetric fence, so that attaches need none.
    pub(crate) fn has_barrier(&self) -> bool {
        // Acquire: pairs with the Release in `give_up_barrier`; who sees it sees its gate closed.
        self.barrier.load(Ordering::Acquire)
    }

    /// Asks the system for it, before the first runtime runs.
    pub(crate) fn set_up_barrier(&self) {
        let _state = self.lock();
        if !self.never_barrier.load(Ordering::Relaxed) {
            self.barrier.store(sys::register_barrier(), Ordering::Release);
        }
    }

    /// The system has taken it away again: from now on all attaches fence.
    fn give_up_barrier(&self) {
        let state = self.lock();
        for linked in state.threads.iter() {
            linked.entry.gate.close();
        }
        self.never_barrier.store(true, Ordering::Relaxed);
        self.barrier.store(false, Ordering::Release);
    }

    /// Asks the calling thread itself to come by at depth 0.
    pub(crate) fn call(&self, entry: &ThreadEntry) {
        let _state = self.lock();
        call(entry);
    }

    /// Whether the calling thread, at depth 0, has something to do that others may wait for.
    pub(crate) fn is_wanted(&self, entry: &ThreadEntry) -> bool {
        let is_at_rest = entry.phase() == Phase::Active && entry.gate.depth() == 0;
        is_at_rest && (entry.is_called() || !self.is_running(entry.generation))
    }

    /// As [`wait`](Self::wait), unless there `is_more` to do, or the calling thread itself is wanted. Answers
    /// false when the deadline has passed.
    pub(super) fn wait_at_rest(
        &self,
        state: MutexGuard<'_, State>,
        deadline: Option<Instant>,
        is_more: bool,
    ) -> bool {
        // Under the lock, so that nobody calls between this look and the wait.
        if is_more || current::entry().is_some_and(|entry| self.is_wanted(entry)) {
            return deadline.is_none_or(|deadline| Instant::now() < deadline);
        }
        !self.wait(state, deadline).1
    }

    /// Lets a thread attach without questions again, if it has answered all of them.
    pub(crate) fn open_gate(&self, entry: &ThreadEntry) {
        if !self.has_barrier() {
            return;
        }
        let _state = self.lock();
        if !entry.is_called() && self.has_barrier() && self.is_running(entry.generation) {
            entry.gate.open(entry.generation);
        }
    }

    /// A thread at depth 0 begins to do its part, if it was called.
    pub(crate) fn begin_visit(&self, entry: &ThreadEntry) -> Option<Visit> {
        let mut state = self.lock();
        if !entry.is_called() {
            return None;
        }
        let upto = state.changes;
        let linked = state.threads.get_mut(entry)?;
        linked.is_busy = true;
        // What is asked from now on, asks again.
        entry.set_called(false);
        entry.may_begin.set(true);
        let released = std::mem::take(&mut linked.released);
        let misses_shards = std::mem::take(&mut linked.misses_shards);
        Some(Visit { seen: linked.seen, upto, released, misses_shards })
    }

    /// The thread has done its part.
    pub(crate) fn end_visit(&self, entry: &ThreadEntry, visit: &Visit) {
        let mut state = self.lock();
        if let Some(linked) = state.threads.get_mut(entry) {
            (linked.seen, linked.quiet, linked.is_busy) = (visit.upto, visit.upto, false);
        }
        match visit.released {
            Released::Nothing => {}
            Released::One(place) => state.reclaim_one(place),
            Released::Many => state.reclaim(),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A thread leaves for good: its hooks run from now on, until it is unlinked.
    pub(crate) fn begin_leave(&self, entry: &ThreadEntry) {
        let mut state = self.lock();
        entry.gate.close();
        if let Some(linked) = state.threads.get_mut(entry) {
            linked.is_busy = true;
        }
    }

    /// Finds the threads that are at depth 0 now.
    pub(crate) fn look_for_quiet(&self) {
        let upto = self.lock().changes;
        // The far half: every thread either has its depth written for this to see, or will find the slot
        // empty and its gate closed. A full fence is that for the threads that fence themselves.
        fence(Ordering::SeqCst);
        let is_far = self.has_barrier() && sys::barrier();
        if !is_far && self.has_barrier() {
            self.give_up_barrier();
        }
        fence(Ordering::SeqCst);
        let mut state = self.lock();
        for linked in state.threads.iter_mut() {
            let is_seen = is_far || linked.entry.is_fenced();
            if linked.entry.gate.depth() > 0 {
                linked.inside = upto;
            } else if is_seen {
                linked.quiet = linked.quiet.max(upto);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A grace period begins: the change behind which threads have to be found at depth 0. `None` if that
    /// runtime does not run.
    pub(crate) fn begin_grace(&self, generation: u32) -> Option<u64> {
        let mut state = self.lock();
        let is_running = state.life == Life::Running && state.generation == generation;
        is_running.then(|| state.change())
    }

    /// Whether it is over.
    pub(crate) fn is_quiet_since(&self, change: u64) -> bool {
        self.lock().is_quiet_since(change)
    }

    /// Waits for something to change, unless it is over. Answers false when the deadline has passed.
    pub(crate) fn wait_for_quiet(&self, change: u64, deadline: Option<Instant>) -> bool {
        let state = self.lock();
        state.is_quiet_since(change) || self.wait_at_rest(state, deadline, false)
    }

    /// The threads that were not found at depth 0 behind that change.
    pub(crate) fn busy_since(&self, change: u64) -> Vec<Arc<ThreadEntry>> {
        self.collect_threads(|linked| linked.quiet < change)
    }

    /// Marks that a thread holds a module, if it may use it.
    pub(crate) fn hold(&self, entry: &ThreadEntry, module: &ModuleEntry, marker: *mut u8) -> bool {
        let state = self.lock();
        let registered = state.modules.get(module);
        let may = registered.is_some_and(|registered| state.is_open_to(entry, registered));
        if may {
            entry.values.table.set(module.place(), marker);
        }
        may
    }

    /// Whether that runtime is running.
    pub(crate) fn is_running(&self, generation: u32) -> bool {
        self.running() == Some(generation)
    }
}
