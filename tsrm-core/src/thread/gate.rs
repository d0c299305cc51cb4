//! The two words that every attach touches: how deep the thread is, and whether it may come in
//! without a question.
//!
//! The owner writes its depth and then looks for whoever waits; a waiter writes what it wants and then
//! looks at the depth. One of them must see the other. The owner's half of the fence between is free
//! ([`near_fence`]), the waiter pays for both; where the system cannot do that, the gate stays closed,
//! so that every outermost attach takes the slow way, which has a full fence. Checked exhaustively by
//! the model package, which compiles this file.

use crate::primitive::{AtomicU32, Ordering, near_fence};

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Gate {
    /// How many attaches the thread is inside. Written by the owner; read by anybody.
    depth: AtomicU32,
    /// The generation whose handles may attach without a further question; 0 sends every outermost
    /// attach and leave the slow way. Written under the registry's lock, and by the owner when it
    /// leaves for good.
    admits: AtomicU32,
}

impl Gate {
    /// Closed, at depth 0.
    pub(crate) fn new() -> Self {
        Self { depth: AtomicU32::new(0), admits: AtomicU32::new(0) }
    }

    /// Owner: one level deeper.
    #[inline]
    pub(crate) fn enter(&self) {
        // Relaxed: only this thread writes it.
        let depth = self.depth.load(Ordering::Relaxed);
        self.depth.store(depth + 1, Ordering::Relaxed);
        // Before anything that the attach is for: pairs with the far half between a waiter's
        // clearing of a slot and its look at the depth.
        near_fence();
    }

    /// Owner: one level back. Says whether that was the last one and somebody may want something.
    #[inline]
    pub(crate) fn leave(&self) -> bool {
        let depth = self.depth.load(Ordering::Relaxed) - 1;
        // Release: pairs with the Acquire in `depth`.
        self.depth.store(depth, Ordering::Release);
        if depth != 0 {
            return false;
        }
        // Pairs with the far half between a waiter's closing of the gate and its look at the depth.
        near_fence();
        self.admits() == 0
    }

    /// How deep the thread is; a moment ago, if another thread asks.
    pub(crate) fn depth(&self) -> u32 {
        // Acquire: pairs with the Release in `leave`; who sees the thread at a lower depth sees what it
        // did inside.
        self.depth.load(Ordering::Acquire)
    }

    /// The generation whose handles may attach, or 0.
    #[inline]
    pub(crate) fn admits(&self) -> u32 {
        // Relaxed: a change that an attach misses is seen when it ends.
        self.admits.load(Ordering::Relaxed)
    }

    pub(crate) fn open(&self, generation: u32) {
        self.admits.store(generation, Ordering::Relaxed);
    }

    pub(crate) fn close(&self) {
        self.admits.store(0, Ordering::Relaxed);
    }
}
