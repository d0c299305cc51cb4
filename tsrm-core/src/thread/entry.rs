//! A thread's entry: everything the runtime knows of one registered thread.
//!
//! Allocated at the thread's first attach, shared with the registry and with handles, and never
//! moved. Per field: who writes it, who reads it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::identity::{ThreadId, ThreadLabel, ThreadState};
use super::interrupt::InterruptWord;
use super::values::Values;
use crate::global::descriptor::GlobalDescriptor;
use crate::module::Module;

/// How far an entry has come on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    Active,
    Leaving,
    Draining,
}

/// See the [module](self).
///
/// `repr(C)`: what an attach touches comes first, on one cache line.
#[repr(C, align(64))]
pub(crate) struct ThreadEntry {
    /// How many attaches the thread is inside. Written by the owner; read by anybody.
    pub(crate) depth: AtomicU32,
    /// The generation whose handles may attach without a further question; 0 sends every attach to
    /// the slow path. Set once; cleared by the owner when it leaves and by a shutdown.
    pub(crate) admits: AtomicU32,
    /// Written by the owner, reasons by anybody.
    pub(crate) interrupt: InterruptWord,
    /// The requests of this thread so far. Owner only.
    pub(crate) serial: Cell<u64>,

    /// A [`Phase`]. Written by the owner; read by anybody.
    phase: AtomicU8,
    /// The values on the heap. Pushed and popped by the owner; walked by whoever has pinned the
    /// entry.
    pub(crate) values: Values<&'static GlobalDescriptor>,
    /// The bytes of those values. Written by the owner; read by anybody.
    pub(crate) heap_bytes: AtomicUsize,
    /// Cached globals whose constructor is running. Owner only.
    pub(crate) initialising: RefCell<Vec<&'static GlobalDescriptor>>,
    /// How many of `modules` have had their `thread_startup`. Owner only.
    pub(crate) begun: Cell<usize>,

    // Immutable from here on.
    pub(crate) generation: u32,
    pub(crate) id: ThreadId,
    pub(crate) name: Option<Box<str>>,
    pub(crate) since: Instant,
    /// The modules that were started, in order.
    pub(crate) modules: Arc<[Module]>,
    /// This thread's address of every static global that was linked at its registration, by the
    /// global's index; null once its value is dropped. Set and cleared by the owner, when nobody
    /// else reads.
    statics: OnceLock<Box<[AtomicPtr<u8>]>>,
    /// Where the registry has this entry. Written once, under its lock.
    slot: AtomicUsize,
}

// SAFETY: an entry travels as `Arc` between its owner, the registry and handles. It owns no value:
// `values` drops nothing, `statics` are addresses that only a pin or the owner may use (I1).
unsafe impl Send for ThreadEntry {}
// SAFETY: the `Cell`s and the `RefCell` are touched by the owner only (I1), everything else that is
// not atomic is immutable after construction.
unsafe impl Sync for ThreadEntry {}

impl ThreadEntry {
    pub(crate) fn new(
        generation: u32,
        id: ThreadId,
        name: Option<Box<str>>,
        modules: Arc<[Module]>,
    ) -> Self {
        Self {
            depth: AtomicU32::new(0),
            admits: AtomicU32::new(generation),
            interrupt: InterruptWord::new(),
            serial: Cell::new(0),
            phase: AtomicU8::new(Phase::Active as u8),
            values: Values::new(),
            heap_bytes: AtomicUsize::new(0),
            initialising: RefCell::new(Vec::new()),
            begun: Cell::new(0),
            generation,
            id,
            name,
            since: Instant::now(),
            modules,
            statics: OnceLock::new(),
            slot: AtomicUsize::new(usize::MAX),
        }
    }

    /// A moment ago, if another thread asks.
    pub(crate) fn depth(&self) -> u32 {
        // Acquire: pairs with the Release in `Inside::drop`; who sees the thread at a lower depth
        // sees what it did inside.
        self.depth.load(Ordering::Acquire)
    }

    /// Whether a shutdown has closed it, or its own leave.
    pub(crate) fn is_closed(&self) -> bool {
        // Relaxed: a request that must not miss a shutdown has fenced (`InterruptWord::begin`).
        self.admits.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn phase(&self) -> Phase {
        // Relaxed: the owner reads its own writes; for a report it may be a moment old.
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Active,
            1 => Phase::Leaving,
            _ => Phase::Draining,
        }
    }

    pub(crate) fn set_phase(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    pub(crate) fn state(&self) -> ThreadState {
        match (self.phase(), self.depth()) {
            (Phase::Active, 0) => ThreadState::Idle,
            (Phase::Active, _) => ThreadState::Attached,
            (Phase::Leaving, _) => ThreadState::Leaving,
            (Phase::Draining, _) => ThreadState::Draining,
        }
    }

    /// This thread's value of that global, if it has one.
    ///
    /// # Safety
    /// The caller has pinned the entry, or is its owner and attached; for as long as the pointer is
    /// used (I1, I4).
    pub(crate) unsafe fn value_of(&self, global: &GlobalDescriptor) -> Option<NonNull<u8>> {
        if global.is_static() {
            return NonNull::new(self.static_address(global)?.load(Ordering::Relaxed));
        }
        // SAFETY: the caller's pin (I1).
        let header = unsafe { self.values.find(|built| ptr::eq(*built, global)) }?;
        // SAFETY: found under this descriptor, so it is a value of its type, and stays (I2).
        unsafe { global.erased_value(header) }
    }

    /// Takes this thread's address of that global out of the table: whoever gets it drops the value.
    pub(crate) fn take_static(&self, global: &GlobalDescriptor) -> Option<NonNull<u8>> {
        NonNull::new(self.static_address(global)?.swap(ptr::null_mut(), Ordering::Relaxed))
    }

    /// Fills the table, once, before anybody else looks.
    pub(crate) fn set_statics(&self, addresses: Box<[AtomicPtr<u8>]>) {
        let set = self.statics.set(addresses);
        debug_assert!(set.is_ok());
    }

    fn static_address(&self, global: &GlobalDescriptor) -> Option<&AtomicPtr<u8>> {
        // Relaxed accesses: written before the registration, and again when nobody else reads.
        self.statics.get()?.get(global.index()?)
    }

    pub(crate) fn slot(&self) -> usize {
        // Relaxed, as below: under the registry's lock.
        self.slot.load(Ordering::Relaxed)
    }

    pub(crate) fn set_slot(&self, slot: usize) {
        self.slot.store(slot, Ordering::Relaxed);
    }

    pub(crate) fn label(&self) -> ThreadLabel {
        ThreadLabel { id: self.id, name: self.name.as_deref().map(str::to_owned) }
    }
}

impl fmt::Debug for ThreadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadEntry")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("state", &self.state())
            .field("depth", &self.depth())
            .finish_non_exhaustive()
    }
}
