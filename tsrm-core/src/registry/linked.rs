//! The linked threads. It never allocates or frees by itself: it is used under the lock,
//! and a lock that waits for an allocator can deadlock with one that holds its own lock across a
//! fork.

#![deny(unsafe_code)]

use std::sync::Arc;

use crate::stats::shard::Shard;
use crate::thread::entry::ThreadEntry;

/// A registered thread, as others see it.
pub(super) struct Linked {
    pub(super) entry: Arc<ThreadEntry>,
    /// How many readers are in the middle of one of its values: those that came while
    /// [`present`](Self::present) was 0, and those that came while it was 1.
    pub(super) pins: [usize; 2],
    /// Which of the two a new reader is counted in.
    pub(super) present: usize,
    /// Whether a reader may begin. False until the statics are in order, and from the drain on.
    pub(super) pinnable: bool,
    /// The last change that the thread has done its part of.
    pub(super) seen: u64,
    /// The last change behind which the thread was found at depth 0.
    pub(super) quiet: u64,
    /// The last change behind which the thread was found in an attach: it comes by at the end of that.
    pub(super) inside: u64,
    /// The thread is doing its part just now, or is leaving: hooks may run on it.
    pub(super) is_busy: bool,
    /// The resources that it has values of and that were released.
    pub(super) released: Released,
    /// Where it counts; empty until it has said so.
    pub(super) shards: Box<[Shard]>,
    /// It has to list them anew: a library was loaded.
    pub(super) misses_shards: bool,
}

impl Linked {
    /// Whether the thread has something at that place of its table.
    pub(super) fn has_at(&self, place: u32) -> bool {
        !self.entry.values.table.get(place as usize).is_null()
    }
}

/// What a thread has to let go of, of what was released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Released {
    #[default]
    Nothing,
    /// At that place.
    One(u32),
    /// It has to look for them.
    Many,
}

impl Released {
    pub(super) fn add(&mut self, place: u32) {
        *self = if *self == Self::Nothing { Self::One(place) } else { Self::Many };
    }
}

/// Slots, some of them free. An entry knows its slot.
pub(super) struct Threads {
    slots: Vec<Option<Linked>>,
    /// Has room for every slot.
    free: Vec<usize>,
}

impl Threads {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    /// Allocates: not under the lock.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { slots: Vec::with_capacity(capacity), free: Vec::with_capacity(capacity) }
    }

    pub(super) fn capacity(&self) -> usize {
        // The smaller one: nothing promises that both got just what was asked for.
        self.slots.capacity().min(self.free.capacity())
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether an insertion would have to allocate.
    pub(super) fn is_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() == self.capacity()
    }

    /// Moves everything into `larger` and returns the old, empty table, to be freed without the lock.
    pub(super) fn grow(&mut self, mut larger: Self) -> Self {
        larger.slots.append(&mut self.slots);
        larger.free.append(&mut self.free);
        std::mem::replace(self, larger)
    }

    /// Must not be full.
    pub(super) fn insert(&mut self, entry: Arc<ThreadEntry>, change: u64) {
        let slot = self.free.pop().unwrap_or(self.slots.len());
        entry.set_slot(slot);
        let linked = Some(Linked {
            entry,
            pins: [0; 2],
            present: 0,
            pinnable: false,
            seen: change,
            quiet: change,
            inside: 0,
            is_busy: false,
            released: Released::Nothing,
            shards: Box::default(),
            misses_shards: false,
        });
        match self.slots.get_mut(slot) {
            Some(free) => *free = linked,
            None => self.slots.push(linked),
        }
    }

    pub(super) fn get_mut(&mut self, entry: &ThreadEntry) -> Option<&mut Linked> {
        let linked = self.slots.get_mut(entry.slot())?.as_mut()?;
        // A slot may have another thread by now.
        (linked.entry.id == entry.id).then_some(linked)
    }

    pub(super) fn get(&self, entry: &ThreadEntry) -> Option<&Linked> {
        let linked = self.slots.get(entry.slot())?.as_ref()?;
        (linked.entry.id == entry.id).then_some(linked)
    }

    /// What is returned is freed without the lock.
    pub(super) fn remove(&mut self, entry: &ThreadEntry) -> Option<Linked> {
        self.get_mut(entry)?;
        self.free.push(entry.slot());
        self.slots[entry.slot()].take()
    }

    /// In no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Linked> + Clone {
        self.slots.iter().flatten()
    }

    /// In no particular order.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Linked> {
        self.slots.iter_mut().flatten()
    }

    /// Removes what does not stay.
    pub(super) fn retain(
        &mut self,
        mut stays: impl FnMut(&mut Linked) -> bool,
        gone: impl Fn(Linked),
    ) {
        for (slot, place) in self.slots.iter_mut().enumerate() {
            let Some(linked) = place else { continue };
            if !stays(linked) {
                self.free.push(slot);
                place.take().into_iter().for_each(&gone);
            }
        }
    }
}
