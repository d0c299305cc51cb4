//! The shards of the linked threads: listed, added up and folded under the lock.
//!
//! A thread lists its shards when it registers, and folds them in the same critical section in which it is
//! unlinked. So whoever adds up under the lock finds each count once: in a shard or in the totals.

use std::ptr;
use std::sync::Arc;

use super::linked::Linked;
use super::modules::Registered;
use super::{Registry, State};
use crate::module::entry::ModuleState;
use crate::module::linked_statistics;
use crate::stats::set::Set;
use crate::stats::shard::Shard;
use crate::stats::sums::Sums;
use crate::thread::entry::ThreadEntry;
use crate::thread::identity::ThreadId;

/// Has all sets that are linked found, and the calling thread's shards of them made, so that they can be looked
/// at under the lock: what is met for the first time is allocated.
pub(super) fn meet_shards() {
    linked_statistics().for_each(|statistics| _ = Shard::own(statistics));
}

impl Registry {
    /// The calling thread, which is linked, has its shards found from now on.
    pub(crate) fn list_shards(&self, entry: &ThreadEntry) {
        let mut shards: Box<[Shard]> = linked_statistics().map(Shard::own).collect();
        let mut state = self.lock();
        if let Some(linked) = state.threads.get_mut(entry) {
            std::mem::swap(&mut linked.shards, &mut shards);
        }
        drop(state);
        drop(shards);
        entry.lists_shards.set(true);
    }

    /// The same when a library was loaded since, at depth 0.
    pub(crate) fn complete_shards(&self, entry: &ThreadEntry) {
        let count = linked_statistics().count();
        let is_complete = |linked: &Linked| !linked.pinnable || linked.shards.len() == count;
        if !self.lock().threads.get(entry).is_none_or(is_complete) {
            self.list_shards(entry);
        }
    }

    /// Adds up a set; says whether a module that declares it is up.
    pub(crate) fn sum(&self, set: &'static Set, sums: &mut Sums) -> bool {
        let state = self.lock();
        let shards = state.threads.iter().flat_map(|linked| linked.shards_of(set));
        // SAFETY: under the lock (I13).
        let shards = shards.map(|shard| (0, unsafe { shard.cells() }));
        Sums::add_up(std::slice::from_mut(sums), shards.chain([(0, &*set.totals)]));
        state.is_set_up(set)
    }

    /// Adds up a set thread by thread, and the rest, at one moment. Says whether a module that declares it is
    /// up.
    pub(crate) fn sum_per_thread(
        &self,
        set: &'static Set,
    ) -> (Vec<(Arc<ThreadEntry>, Sums)>, Sums, bool) {
        let (mut threads, mut sums) = (Vec::new(), Vec::new());
        let is_up = loop {
            let state = self.lock();
            let count = state.threads.len();
            if sums.len() == count + 1 && threads.capacity() >= count {
                threads.extend(state.threads.iter().map(|linked| Arc::clone(&linked.entry)));
                let shards = state.threads.iter().enumerate().flat_map(|(index, linked)| {
                    // SAFETY: under the lock (I13).
                    linked.shards_of(set).map(move |shard| (index, unsafe { shard.cells() }))
                });
                Sums::add_up(&mut sums, shards.chain([(count, &*set.totals)]));
                break state.is_set_up(set);
            }
            drop(state);
            threads.reserve(count);
            sums.resize_with(count + 1, || Sums::of(set.definition));
        };
        let Some(rest) = sums.pop() else { unreachable!("one more than there are threads") };
        let mut threads: Vec<_> = threads.into_iter().zip(sums).collect();
        threads.sort_unstable_by_key(|(entry, _)| entry.id);
        (threads, rest, is_up)
    }
}

impl Linked {
    /// More than one if a module is in the program twice.
    fn shards_of(&self, set: &'static Set) -> impl Iterator<Item = Shard> + Clone {
        self.shards.iter().copied().filter(move |shard| ptr::eq(shard.set, set))
    }
}

impl State {
    fn is_set_up(&self, set: &'static Set) -> bool {
        let declares = |registered: &Registered| {
            let mut own = registered.entry.descriptor().statistics();
            own.any(|own| own.found_set().is_some_and(|own| ptr::eq(own, set)))
        };
        let mut present = self.modules.present(self.generation);
        present.any(|found| found.state() == ModuleState::Up && declares(found))
    }

    /// A module came up: the threads that have not listed all shards come by to do so.
    pub(super) fn call_for_shards(&mut self) {
        let count = linked_statistics().count();
        for linked in self.threads.iter_mut().filter(|linked| linked.shards.len() != count) {
            linked.misses_shards = true;
            super::grace::call(&linked.entry);
        }
    }

    /// The calling thread, which has met its shards and is unlinked in the same critical section, has what it
    /// counted moved to the totals, whether it has listed them or not.
    pub(super) fn fold_own(&self) {
        // (Of a library that was loaded just now this thread has counted nothing.)
        for statistics in linked_statistics().filter(|own| own.found_set().is_some()) {
            // SAFETY: its own (I13).
            unsafe { Shard::own(statistics).fold() };
        }
    }

    /// In a fork's child, before anything else can run: what the other threads have counted goes to the
    /// totals. Their memory is there until the child makes threads of its own.
    pub(super) fn fold_others(&mut self, survivor: Option<ThreadId>) {
        let others = self.threads.iter_mut().filter(|linked| Some(linked.entry.id) != survivor);
        for linked in others {
            let shards = std::mem::take(&mut linked.shards);
            // SAFETY: they have no owner in this process, and their memory was not used again yet (I13).
            shards.iter().for_each(|shard| unsafe { shard.fold() });
            // Not freed in a fork handler; nor folded again, should this process fork in turn.
            std::mem::forget(shards);
        }
    }
}
