//! What the module macro writes for each shared value, and the descriptor that is made of it: where types
//! end.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

/// What the module macro knows of a shared value at compile time.
///
/// # Safety
/// Written by `__tsrm_declare_shared` only. All of it is always the same, and of this declaration only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared shared value",
    label = "shared values are declared with `#[shared]` in a `#[tsrm::module]`"
)]
pub unsafe trait SharedDeclaration: Sized + 'static {
    /// The type of the value, which is reached from all threads and dropped on any.
    type Value: Send + Sync + 'static;

    /// What the runtime works with.
    fn descriptor() -> &'static SharedDescriptor;

    /// Where its address is published.
    fn slot() -> &'static SharedSlot<Self::Value>;

    /// The user's initialiser.
    fn initial() -> Self::Value;
}

/// Where the address of a shared value is published; null while nothing is.
pub struct SharedSlot<T>(AtomicPtr<T>);

impl<T> SharedSlot<T> {
    /// With nothing in it.
    #[allow(clippy::new_without_default, reason = "const, and not public")]
    pub const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    #[inline(always)]
    pub(super) fn load(&self) -> *const T {
        // Acquire: pairs with the Release in `publish`; who sees the address sees the value.
        self.0.load(Ordering::Acquire)
    }
}

/// The runtime's view of a shared value; a `static` that the macro writes.
#[derive(Debug)]
pub struct SharedDescriptor {
    /// The module that declares it.
    pub(crate) module: &'static str,
    /// Its name, as declared.
    pub(crate) name: &'static str,
    pub(crate) type_name: fn() -> &'static str,
    /// The bytes of the value.
    pub(crate) size: usize,
    /// Whether it is built by the first use instead of by the module's start.
    pub(crate) is_lazy: bool,
    pub(super) build: fn() -> NonNull<u8>,
    pub(super) drop: unsafe fn(NonNull<u8>),
    publish: fn(*mut u8),
}

impl SharedDescriptor {
    /// Of that declaration.
    pub const fn of<D: SharedDeclaration>(
        module: &'static str,
        name: &'static str,
        is_lazy: bool,
    ) -> Self {
        Self {
            module,
            name,
            type_name: std::any::type_name::<D::Value>,
            size: size_of::<D::Value>(),
            is_lazy,
            build: || NonNull::from(Box::leak(Box::new(D::initial()))).cast(),
            drop: drop_shared::<D>,
            // Release: pairs with the Acquire in `SharedSlot::load`.
            publish: |value| D::slot().0.store(value.cast(), Ordering::Release),
        }
    }

    /// Publishes the address, or nothing, under the registry's lock.
    pub(crate) fn publish(&self, value: Option<NonNull<u8>>) {
        (self.publish)(value.map_or(ptr::null_mut(), NonNull::as_ptr));
    }
}

/// # Safety
/// `value` is what `build` returned, and nobody has a reference to it (I11).
unsafe fn drop_shared<D: SharedDeclaration>(value: NonNull<u8>) {
    // SAFETY: `build` leaked this box; the rest is the caller's promise (I11).
    drop(unsafe { Box::from_raw(value.cast::<D::Value>().as_ptr()) });
}

/// A declared shared value, in a module's list. Opaque, as [`GlobalRef`](crate::private::GlobalRef).
#[derive(Debug)]
pub struct SharedRef(fn() -> &'static SharedDescriptor);

impl SharedRef {
    /// That declaration's.
    pub const fn of<D: SharedDeclaration>() -> Self {
        Self(D::descriptor)
    }

    pub(crate) fn descriptor(&self) -> &'static SharedDescriptor {
        (self.0)()
    }
}
