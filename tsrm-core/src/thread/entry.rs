//! A thread's entry: everything the runtime knows of one registered thread.
//!
//! Allocated at the thread's first attach, shared with the registry and with handles, and never
//! moved. Per field: who writes it, who reads it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::gate::Gate;
use super::identity::{Straggler, ThreadId, ThreadLabel, ThreadState};
use super::interrupt::InterruptWord;
use super::values::{Header, Values};
use crate::global::descriptor::{GlobalDescriptor, Origin};
use crate::module::entry::ModuleEntry;

/// How far an entry has come on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    Active,
    Leaving,
    Draining,
}

/// Something that is built: a descriptor's address and 0, or a resource's place and generation.
pub(crate) type What = (usize, u32);

/// A module that a thread has begun with.
pub(crate) struct Begun {
    pub(crate) module: Arc<ModuleEntry>,
    pub(crate) stage: Stage,
    /// Its `request_startup` hook has succeeded in the running request.
    pub(crate) in_request: bool,
}

impl Begun {
    pub(crate) fn is_going(&self) -> bool {
        matches!(self.stage, Stage::Going { .. })
    }
}

/// How far a thread is with a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its `thread_startup` hook runs.
    Starting,
    /// That hook has failed.
    Failed,
    /// Its `thread_shutdown` hook is owed.
    Started,
    /// At depth 0: its hook is run if one is owed, and its values go.
    Going { owed: bool },
}

/// See the [module](self).
///
/// `repr(C)`: what an attach touches comes first, on one cache line.
#[repr(C, align(64))]
pub(crate) struct ThreadEntry {
    /// How deep the thread is, and whether it may come in without a question.
    pub(crate) gate: Gate,
    /// Written by the owner, reasons by anybody.
    pub(crate) interrupt: InterruptWord,
    /// The requests of this thread so far. Owner only.
    pub(crate) serial: Cell<u64>,

    /// A [`Phase`]. Written by the owner; read by anybody.
    phase: AtomicU8,
    /// The values on the heap. Built and dropped by the owner; looked at by whoever has pinned the
    /// entry.
    pub(crate) values: Values,
    /// What is being built. Owner only.
    pub(crate) building: RefCell<Vec<What>>,
    /// The modules that the thread has begun with, in order. Owner only; they go at depth 0 only. To
    /// others the modules' places in the table say the same.
    pub(crate) begun: RefCell<Vec<Begun>>,
    /// There may be modules that the thread has not begun with. Owner only.
    pub(crate) may_begin: Cell<bool>,
    /// What it counts is found by readers. Owner only.
    pub(crate) lists_shards: Cell<bool>,
    /// The thread is asked to come by at its next depth 0. Written under the registry's lock; read by
    /// the owner.
    called: AtomicBool,
    /// Every outermost attach of this thread runs a full fence. Written by the owner, once; read by
    /// others under the registry's lock.
    fenced: AtomicBool,

    // Immutable from here on.
    pub(crate) generation: u32,
    pub(crate) id: ThreadId,
    pub(crate) name: Option<Box<str>>,
    pub(crate) since: Instant,
    /// This thread's address of every static global that was linked at its registration, by the
    /// global's index; null while its value is not there. Written by the owner; read by whoever has
    /// pinned the entry.
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
    pub(crate) fn new(generation: u32, id: ThreadId, name: Option<Box<str>>) -> Self {
        Self {
            gate: Gate::new(),
            interrupt: InterruptWord::new(),
            serial: Cell::new(0),
            phase: AtomicU8::new(Phase::Active as u8),
            values: Values::new(),
            building: RefCell::new(Vec::new()),
            begun: RefCell::new(Vec::new()),
            may_begin: Cell::new(true),
            lists_shards: Cell::new(false),
            called: AtomicBool::new(false),
            fenced: AtomicBool::new(false),
            generation,
            id,
            name,
            since: Instant::now(),
            statics: OnceLock::new(),
            slot: AtomicUsize::new(usize::MAX),
        }
    }

    /// Whether the thread is asked to come by.
    pub(crate) fn is_called(&self) -> bool {
        // Relaxed: the owner looks after a fence, or at the latest when it attaches the next time.
        self.called.load(Ordering::Relaxed)
    }

    /// Under the registry's lock: asks the thread to come by, or not any more.
    pub(crate) fn set_called(&self, called: bool) {
        self.called.store(called, Ordering::Relaxed);
    }

    /// Whether its attaches run a full fence each.
    pub(crate) fn is_fenced(&self) -> bool {
        // Acquire: pairs with the Release in `set_fenced`; who sees it knows that the thread has not
        // been at a depth by a fast attach since.
        self.fenced.load(Ordering::Acquire)
    }

    /// Owner, at depth 0 and with a gate that will not open again.
    pub(crate) fn set_fenced(&self) {
        self.fenced.store(true, Ordering::Release);
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
        match (self.phase(), self.gate.depth()) {
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
            // Acquire: pairs with the Release in `put_static`.
            return NonNull::new(self.static_address(global)?.load(Ordering::Acquire));
        }
        let value = NonNull::new(self.values.table.get(global.index()?))?;
        // SAFETY: in the table, so built and, by the caller's pin, not dropped (I1).
        let header = unsafe { Header::of(value) };
        // The number may have become another's meanwhile.
        match header.kind.origin {
            Origin::Global(found) if ptr::eq(found, global) => Some(value),
            _ => None,
        }
    }

    /// Takes this thread's address of that global out of the table: whoever gets it drops the value.
    pub(crate) fn take_static(&self, global: &GlobalDescriptor) -> Option<NonNull<u8>> {
        NonNull::new(self.static_address(global)?.swap(ptr::null_mut(), Ordering::Relaxed))
    }

    /// Puts it back, renewed.
    pub(crate) fn put_static(&self, global: &GlobalDescriptor, value: NonNull<u8>) {
        if let Some(address) = self.static_address(global) {
            // Release: pairs with the Acquire in `value_of`; who sees the address sees the new value.
            address.store(value.as_ptr(), Ordering::Release);
        }
    }

    /// Fills the list, once, before anybody else looks.
    pub(crate) fn set_statics(&self, addresses: Box<[AtomicPtr<u8>]>) {
        let set = self.statics.set(addresses);
        debug_assert!(set.is_ok());
    }

    fn static_address(&self, global: &GlobalDescriptor) -> Option<&AtomicPtr<u8>> {
        self.statics.get()?.get(global.index()?)
    }

    /// Whether the thread has begun with that module, and not let go of it yet. For anybody, under the
    /// registry's lock; for the owner at any time.
    pub(crate) fn holds(&self, module: &ModuleEntry) -> bool {
        !self.values.table.get(module.place()).is_null()
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

impl ThreadEntry {
    /// What is said of it when it is waited for in vain.
    pub(crate) fn straggler(&self) -> Straggler {
        Straggler {
            thread: self.label(),
            depth: self.gate.depth(),
            state: self.state(),
            registered_for: self.since.elapsed(),
        }
    }
}

impl fmt::Debug for ThreadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadEntry")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("state", &self.state())
            .field("depth", &self.gate.depth())
            .finish_non_exhaustive()
    }
}
