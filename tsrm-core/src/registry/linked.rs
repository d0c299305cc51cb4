//! The table of linked threads. It never allocates or frees by itself: it is used under the lock,
//! and a lock that waits for an allocator can deadlock with one that holds its own lock across a
//! fork.

#![deny(unsafe_code)]

use std::sync::Arc;

use crate::thread::entry::ThreadEntry;

/// A registered thread, as others see it.
pub(super) struct Linked {
    pub(super) entry: Arc<ThreadEntry>,
    /// How many readers are in the middle of one of its values.
    pub(super) pins: usize,
    /// Whether a reader may begin. False until the statics are in order, and from the drain on.
    pub(super) pinnable: bool,
}

/// Slots, some of them free. An entry knows its slot.
pub(super) struct Table {
    slots: Vec<Option<Linked>>,
    /// Has room for every slot.
    free: Vec<usize>,
}

impl Table {
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
    pub(super) fn insert(&mut self, entry: Arc<ThreadEntry>) {
        let slot = self.free.pop().unwrap_or(self.slots.len());
        entry.set_slot(slot);
        let linked = Some(Linked { entry, pins: 0, pinnable: false });
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

    /// What is returned is freed without the lock.
    pub(super) fn remove(&mut self, entry: &ThreadEntry) -> Option<Linked> {
        self.get_mut(entry)?;
        self.free.push(entry.slot());
        self.slots[entry.slot()].take()
    }

    /// In no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Linked> {
        self.slots.iter().flatten()
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
