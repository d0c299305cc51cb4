//! What the module macro writes for each global, and the descriptor that is made of it: where types
//! end.

use std::alloc::Layout;
use std::ptr::{self, NonNull};

use super::descriptor::{DropValue, GlobalDescriptor, GlobalRef, Kind, Operations, Origin};
use crate::error::AccessError;
use crate::mode::Image;
use crate::module::Link;

/// What the module macro knows of a global at compile time.
///
/// # Safety
/// Written by this crate's `__tsrm_declare_…` macros only. `slot` returns the address of the calling
/// thread's value, which stays valid while the thread is attached; or null if `build` can be called to
/// make one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared global",
    label = "globals are declared with `#[global]` in a `#[tsrm::module]`"
)]
pub unsafe trait Declaration: Sized + 'static {
    /// The type of the values.
    type Value: 'static;

    /// What the runtime works with; always the same, and of this declaration only.
    fn descriptor() -> &'static GlobalDescriptor;

    /// This thread's value, or null.
    ///
    /// # Safety
    /// On a registered thread: in a single-threaded build it reads a plain `static` (I9).
    unsafe fn slot() -> *const Self::Value;

    /// Builds this thread's value and fills the slot.
    ///
    /// # Safety
    /// On an attached thread (I4): a module's `thread_startup` may run.
    unsafe fn build() -> Result<*const Self::Value, AccessError>;
}

/// The part of a declaration that only static storage has.
///
/// # Safety
/// Written by the macro only. `image` holds the constant that the slot was initialised with.
pub unsafe trait StaticDeclaration: Declaration {
    /// The initial value.
    fn image() -> &'static Image<Self::Value>;
}

/// The part of a declaration whose values are on the heap.
///
/// # Safety
/// Written by this crate's `__tsrm_declare_…` macros only.
pub unsafe trait HeapDeclaration: Declaration {
    /// The user's initialiser.
    fn initial() -> Self::Value;
}

/// The part of a declaration that only cached storage has.
///
/// # Safety
/// Written by `__tsrm_declare_cached` only. `slot` returns what `fill` was told last on this thread.
pub unsafe trait CachedDeclaration: HeapDeclaration {
    /// Sets or clears this thread's slot.
    ///
    /// # Safety
    /// `value` is null or this thread's live value of this global (I1).
    unsafe fn fill(value: *const Self::Value);
}

impl Link {
    /// Of a static global. Adding it twice does no harm.
    pub const fn of_static<D: StaticDeclaration>() -> Self {
        Self::new_static(D::descriptor)
    }
}

impl GlobalRef {
    /// That declaration's.
    pub const fn of<D: Declaration>() -> Self {
        Self::new(D::descriptor)
    }
}

impl GlobalDescriptor {
    /// Of a global in static storage.
    ///
    /// # Safety
    /// Called once for each declaration, for its `descriptor`: two would share an address.
    pub const unsafe fn of_static<D: StaticDeclaration>(
        module: &'static str,
        name: &'static str,
    ) -> Self {
        let drop: Option<unsafe fn(NonNull<u8>)> =
            if std::mem::needs_drop::<D::Value>() { Some(drop_in_place::<D::Value>) } else { None };
        Self::new(
            module,
            name,
            std::any::type_name::<D::Value>,
            size_of::<D::Value>(),
            Operations::Static {
                // SAFETY: only the address of a static, nothing of what is there (I9).
                address: || unsafe { D::slot() }.cast_mut().cast(),
                drop,
                renew: renew::<D>,
            },
        )
    }

    /// Of a global in cached storage.
    ///
    /// # Safety
    /// Called once for each declaration, for its `descriptor`.
    pub const unsafe fn of_cached<D: CachedDeclaration>(
        module: &'static str,
        name: &'static str,
    ) -> Self {
        // SAFETY: null is always right; run on the owner's thread (I1).
        Self::of_heap::<D>(module, name, Some(|| unsafe { D::fill(ptr::null()) }))
    }

    /// Of a global in table storage.
    ///
    /// # Safety
    /// Called once for each declaration, for its `descriptor`.
    pub const unsafe fn of_table<D: HeapDeclaration>(
        module: &'static str,
        name: &'static str,
    ) -> Self {
        Self::of_heap::<D>(module, name, None)
    }

    const fn of_heap<D: HeapDeclaration>(
        module: &'static str,
        name: &'static str,
        clear: Option<fn()>,
    ) -> Self {
        Self::new(
            module,
            name,
            std::any::type_name::<D::Value>,
            size_of::<D::Value>(),
            Operations::Heap { clear, kind: kind::<D> },
        )
    }
}

fn kind<D: HeapDeclaration>() -> Kind {
    Kind {
        layout: Layout::new::<D::Value>(),
        drop: if std::mem::needs_drop::<D::Value>() {
            Some(DropValue::Rust(drop_in_place::<D::Value>))
        } else {
            None
        },
        origin: Origin::Global(D::descriptor()),
    }
}

/// # Safety
/// `value` is a live `T` that nobody looks at, and is not used again.
pub(crate) unsafe fn drop_in_place<T>(value: NonNull<u8>) {
    // SAFETY: the caller's promise (I4).
    unsafe { ptr::drop_in_place(value.cast::<T>().as_ptr()) };
}

/// # Safety
/// As [`GlobalDescriptor::renew_static`].
unsafe fn renew<D: StaticDeclaration>() {
    // SAFETY: the caller's promise (I9).
    let value = unsafe { D::slot() }.cast_mut();
    // SAFETY: both are valid for one value; the old one was dropped, and nobody looks (I4). The bytes are those of a
    // constant, which may be instantiated any number of times.
    unsafe { ptr::copy_nonoverlapping(D::image().as_ptr(), value, 1) };
}
