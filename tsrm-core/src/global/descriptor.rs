//! The runtime's view of a global and of a value on the heap: names, and what can be done to a value
//! without its type.

use std::alloc::Layout;
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the values of a global live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// In the native TLS block of each thread (thread-safe build) or in a plain `static`: no check,
    /// no indirection. Declared by a `const { … }` initialiser.
    Static,
    /// On the heap, built at the owner's first use; found by number in the thread's table, and its
    /// address is cached in a native TLS slot.
    Cached,
    /// As cached, without the slot: each access walks to the table. What resources are that are
    /// registered at run time.
    Table,
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Static => "static",
            Self::Cached => "cached",
            Self::Table => "table",
        })
    }
}

/// What the runtime knows of a global; a `static` that the macro writes.
#[derive(Debug)]
pub struct GlobalDescriptor {
    /// Its name, as declared.
    pub(crate) name: &'static str,
    /// The module that declares it.
    pub(crate) module: &'static str,
    pub(crate) type_name: fn() -> &'static str,
    /// The bytes of one value.
    pub(crate) size: usize,
    /// Static storage: where this global stands in every thread's list of addresses, from the first
    /// start that sees it on. On the heap: its place in every thread's table while its module is
    /// registered. Else [`UNNUMBERED`].
    index: AtomicUsize,
    operations: Operations,
}

/// A declared global, in a module's list.
///
/// Opaque, so that what a list leads to is always what a declaration wrote.
#[derive(Debug)]
pub struct GlobalRef(fn() -> &'static GlobalDescriptor);

impl GlobalRef {
    pub(super) const fn new(descriptor: fn() -> &'static GlobalDescriptor) -> Self {
        Self(descriptor)
    }

    pub(crate) fn descriptor(&self) -> &'static GlobalDescriptor {
        (self.0)()
    }
}

/// Of a global that no start has seen yet, or whose module is not registered.
const UNNUMBERED: usize = usize::MAX;

/// What can be done to a value without knowing its type; always on its owner's thread (I1).
#[derive(Debug)]
pub(super) enum Operations {
    Static {
        address: fn() -> *mut u8,
        /// `None` if there is nothing to drop.
        drop: Option<unsafe fn(NonNull<u8>)>,
        renew: unsafe fn(),
    },
    Heap {
        /// Clears the calling thread's slot, where there is one.
        clear: Option<fn()>,
        kind: fn() -> Kind,
    },
}

/// What a value is, as far as its end is concerned.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) layout: Layout,
    /// What runs when the value is dropped, on the owner's thread.
    pub(crate) drop: Option<DropValue>,
    /// Whose value it is.
    pub(crate) origin: Origin,
}

/// Drops a value in place.
#[derive(Clone, Copy)]
pub(crate) enum DropValue {
    Rust(unsafe fn(NonNull<u8>)),
    C(unsafe extern "C" fn(*mut c_void)),
}

/// Whose value it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    Global(&'static GlobalDescriptor),
    /// A resource of that name.
    Resource(&'static str),
}

impl GlobalDescriptor {
    pub(super) const fn new(
        module: &'static str,
        name: &'static str,
        type_name: fn() -> &'static str,
        size: usize,
        operations: Operations,
    ) -> Self {
        Self { name, module, type_name, size, index: AtomicUsize::new(UNNUMBERED), operations }
    }

    pub(crate) fn storage(&self) -> Storage {
        match self.operations {
            Operations::Static { .. } => Storage::Static,
            Operations::Heap { clear: Some(_), .. } => Storage::Cached,
            Operations::Heap { clear: None, .. } => Storage::Table,
        }
    }

    pub(crate) fn is_static(&self) -> bool {
        self.storage() == Storage::Static
    }

    /// Whether it is static and its values have something to drop.
    pub(crate) fn drops_in_place(&self) -> bool {
        matches!(self.operations, Operations::Static { drop: Some(_), .. })
    }

    /// The index, if there is one now.
    #[inline]
    pub(crate) fn index(&self) -> Option<usize> {
        // Relaxed: who reads it wants what it leads to on its own thread, which holds the module that it
        // belongs to, or checks what it found.
        let index = self.index.load(Ordering::Relaxed);
        (index != UNNUMBERED).then_some(index)
    }

    /// Under the registry's lock.
    pub(crate) fn set_index(&self, index: Option<usize>) {
        self.index.store(index.unwrap_or(UNNUMBERED), Ordering::Relaxed);
    }

    /// The calling thread's address of this global, if it is static.
    pub(crate) fn static_address(&self) -> Option<*mut u8> {
        match self.operations {
            Operations::Static { address, .. } => Some(address()),
            Operations::Heap { .. } => None,
        }
    }

    /// Gives the calling thread's slot its initial image, if this global is static.
    ///
    /// # Safety
    /// The caller owns the slot (I1, I9), at depth 0 (I4), and its value was dropped.
    pub(crate) unsafe fn renew_static(&self) {
        if let Operations::Static { renew, .. } = self.operations {
            // SAFETY: the caller's promise (I1, I4, I9).
            unsafe { renew() };
        }
    }

    /// Drops a value in place, if this global is static.
    ///
    /// # Safety
    /// `value` was taken from the owner's table, for this global; the caller is the owner (I1, I9), at
    /// depth 0 (I4), closed to pins; the value is renewed before it is used again.
    pub(crate) unsafe fn drop_static(&self, value: NonNull<u8>) {
        if let Operations::Static { drop: Some(drop), .. } = self.operations {
            // SAFETY: the caller's promise (I1, I4, I9).
            unsafe { drop(value) };
        }
    }

    /// What a value of it is, if its values are on the heap.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self.operations {
            Operations::Static { .. } => None,
            Operations::Heap { kind, .. } => Some(kind()),
        }
    }

    /// Clears the calling thread's slot, if it has one: before its value is dropped (I5).
    pub(crate) fn clear_slot(&self) {
        if let Operations::Heap { clear: Some(clear), .. } = self.operations {
            clear();
        }
    }
}
