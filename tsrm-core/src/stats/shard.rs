//! One thread's cells of a set, as others know them.

use std::ptr::NonNull;

use super::cells;
use super::declaration::StatisticsDescriptor;
use super::set::Set;
use crate::primitive::AtomicU64;

/// A set and one thread's cells of it.
#[derive(Clone, Copy)]
pub(crate) struct Shard {
    pub(crate) set: &'static Set,
    cells: NonNull<[AtomicU64]>,
}

// SAFETY: the cells are atomics; whoever looks at them holds the registry's lock, without which their thread
// does not go (I13).
unsafe impl Send for Shard {}

impl Shard {
    /// The calling thread's. The first time memory is allocated for the set, and perhaps for the shard.
    pub(crate) fn own(descriptor: &StatisticsDescriptor) -> Self {
        Self { set: descriptor.set(), cells: descriptor.shard() }
    }

    /// # Safety
    /// Under the lock, of a linked thread; or by its owner.
    pub(crate) unsafe fn cells<'s>(self) -> &'s [AtomicU64] {
        // SAFETY: in static storage of its thread, which is there (I13).
        unsafe { self.cells.as_ref() }
    }

    /// Moves what was counted to the totals.
    ///
    /// # Safety
    /// Under the lock, by its owner or when there is none any more.
    pub(crate) unsafe fn fold(self) {
        // SAFETY: the caller's promise (I13).
        let shard = unsafe { self.cells() };
        cells::fold(shard, &self.set.totals, self.set.definition.parts.peaks);
    }
}
