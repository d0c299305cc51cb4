//! What a single-threaded program would write: a `static` array of numbers, and `+=`.

#![allow(unsafe_code, reason = "a static that one thread changes")]

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use super::COUNTERS;

/// A thread that may count: the first one that asked.
#[derive(Clone, Copy, Debug)]
pub struct Plain(PhantomData<*const ()>);

struct Counts([Cell<u64>; COUNTERS]);

// SAFETY: reached by a `Plain` only, which is one thread's.
unsafe impl Sync for Counts {}

static COUNTS: Counts = Counts([const { Cell::new(0) }; COUNTERS]);

impl Plain {
    /// For this thread, from now on.
    ///
    /// # Panics
    /// Another thread has asked before.
    pub fn claim() -> Self {
        static OWNER: OnceLock<ThreadId> = OnceLock::new();
        let this = thread::current().id();
        assert_eq!(*OWNER.get_or_init(|| this), this, "plain numbers are one thread's");
        Self(PhantomData)
    }

    /// Adds 1.
    #[inline(always)]
    pub fn inc(self, counter: usize) {
        let count = &COUNTS.0[counter];
        count.set(count.get().wrapping_add(1));
    }
}
