//! The runtime's view of a global: a name, and what can be done to a value without its type.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{CachedDeclaration, Declaration, StaticDeclaration, Storage};
use crate::registry::REGISTRY;
use crate::thread::current;
use crate::thread::entry::ThreadEntry;
use crate::thread::values::{self, Header};

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
    /// Static storage: where this global stands in every [`ThreadEntry::statics`]. Assigned before
    /// the first thread registers.
    pub(crate) index: AtomicUsize,
    operations: Operations,
}

/// What can be done to a value without knowing its type; always on its owner's thread (I1).
#[derive(Debug)]
enum Operations {
    Static {
        address: fn() -> *mut u8,
        /// `None` if there is nothing to drop.
        drop: Option<unsafe fn()>,
        renew: unsafe fn(),
    },
    Cached {
        clear: fn(),
        free: unsafe fn(NonNull<Header<&'static GlobalDescriptor>>),
        value: unsafe fn(NonNull<Header<&'static GlobalDescriptor>>) -> NonNull<u8>,
    },
}

impl GlobalDescriptor {
    /// Of a global in static storage.
    pub const fn of_static<D: StaticDeclaration>(module: &'static str, name: &'static str) -> Self {
        let drop: Option<unsafe fn()> =
            if std::mem::needs_drop::<D::Value>() { Some(drop_static::<D>) } else { None };
        Self::new::<D>(
            module,
            name,
            Operations::Static { address: || D::slot().cast_mut().cast(), drop, renew: renew::<D> },
        )
    }

    /// Of a global in cached storage.
    pub const fn of_cached<D: CachedDeclaration>(module: &'static str, name: &'static str) -> Self {
        Self::new::<D>(
            module,
            name,
            Operations::Cached {
                // SAFETY: null is always right; run on the owner's thread.
                clear: || unsafe { D::fill(ptr::null()) },
                free: values::free::<&'static Self, D::Value>,
                value: erased_value::<D>,
            },
        )
    }

    const fn new<D: Declaration>(
        module: &'static str,
        name: &'static str,
        operations: Operations,
    ) -> Self {
        Self {
            name,
            module,
            type_name: std::any::type_name::<D::Value>,
            size: size_of::<D::Value>(),
            index: AtomicUsize::new(0),
            operations,
        }
    }

    pub(crate) fn storage(&self) -> Storage {
        match self.operations {
            Operations::Static { .. } => Storage::Static,
            Operations::Cached { .. } => Storage::Cached,
        }
    }

    pub(crate) fn is_static(&self) -> bool {
        self.storage() == Storage::Static
    }

    /// The calling thread's address of this global, if it is static.
    pub(crate) fn static_address(&self) -> Option<*mut u8> {
        match self.operations {
            Operations::Static { address, .. } => Some(address()),
            Operations::Cached { .. } => None,
        }
    }

    /// Gives the calling thread's slot its initial image, if this global is static.
    ///
    /// # Safety
    /// The caller owns the slot (I1, I9), at depth 0 (I4), and its value was dropped.
    pub(crate) unsafe fn renew_static(&self) {
        if let Operations::Static { renew, .. } = self.operations {
            // SAFETY: the caller's promise.
            unsafe { renew() };
        }
    }

    /// Drops the calling thread's value in place, if this global is static.
    ///
    /// # Safety
    /// The caller owns the value (I1, I9), at depth 0 (I4), closed to pins, and renews it before it
    /// is used again.
    pub(crate) unsafe fn drop_static(&self) {
        if let Operations::Static { drop: Some(drop), .. } = self.operations {
            // SAFETY: the caller's promise.
            unsafe { drop() };
        }
    }

    /// Clears the calling thread's slot, then drops the value that it pointed to.
    ///
    /// # Safety
    /// `header` is a popped value of this global, the caller owns it (I1), at depth 0 (I4).
    pub(crate) unsafe fn free_value(&self, header: NonNull<Header<&'static Self>>) {
        if let Operations::Cached { clear, free, .. } = self.operations {
            clear();
            // SAFETY: the caller's promise; `free` is that of the value's own type.
            unsafe { free(header) };
        }
    }

    /// That thread's value, if it has one.
    ///
    /// # Safety
    /// The caller has pinned the entry, or is its owner and attached; for as long as the pointer is
    /// used.
    pub(super) unsafe fn value_on(&self, entry: &ThreadEntry) -> Option<NonNull<u8>> {
        match self.operations {
            // Relaxed: assigned before any thread was registered.
            Operations::Static { .. } => {
                NonNull::new(*entry.statics.get(self.index.load(Ordering::Relaxed))?)
            }
            Operations::Cached { value, .. } => {
                // SAFETY: the caller's pin (I1).
                let header = unsafe { entry.values.find(|global| ptr::eq(*global, self)) }?;
                // SAFETY: found under this descriptor, so it is a value of its type.
                Some(unsafe { value(header) })
            }
        }
    }

    /// Whether that thread has a value now; for reports.
    pub(crate) fn has_value(&self, entry: &ThreadEntry) -> bool {
        match self.operations {
            Operations::Static { .. } => true,
            Operations::Cached { .. } => {
                let own = current::entry().is_some_and(|own| ptr::eq(own, entry));
                let _pin = match REGISTRY.pin(entry) {
                    Some(pin) => Some(pin),
                    None if own => None,
                    None => return false,
                };
                // SAFETY: pinned, or this is the owner's own thread, which pops nothing meanwhile
                // (I1).
                unsafe { entry.values.find(|global| ptr::eq(*global, self)) }.is_some()
            }
        }
    }
}

/// # Safety
/// As [`GlobalDescriptor::drop_static`].
unsafe fn drop_static<D: StaticDeclaration>() {
    // SAFETY: the caller's promise.
    unsafe { ptr::drop_in_place(D::slot().cast_mut()) };
}

/// # Safety
/// As [`GlobalDescriptor::renew_static`].
unsafe fn renew<D: StaticDeclaration>() {
    // SAFETY: both are valid for one value; the old one was dropped. The bytes are those of a
    // constant, which may be instantiated any number of times.
    unsafe { ptr::copy_nonoverlapping(D::image().as_ptr(), D::slot().cast_mut(), 1) };
}

/// # Safety
/// `header` is a live value of `D`.
unsafe fn erased_value<D: CachedDeclaration>(
    header: NonNull<Header<&'static GlobalDescriptor>>,
) -> NonNull<u8> {
    // SAFETY: the caller's promise.
    unsafe { values::value_of::<_, D::Value>(header) }.cast()
}
