//! A shared value in its module's entry.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use once_cell::sync::OnceCell;

use super::declaration::SharedDescriptor;
use crate::thread::identity;

/// A shared value in its module's entry: built or not. Dropping this drops no value; that is
/// [`drop_value`](Self::drop_value)'s to do.
#[derive(Debug)]
pub(crate) struct SharedValue {
    descriptor: &'static SharedDescriptor,
    value: OnceCell<Erased>,
    /// The thread that is building it, or 0.
    builder: AtomicUsize,
}

/// The value was asked for by its own initialiser.
pub(crate) struct Reentrant;

/// While the initialiser runs; also when it panics.
struct Building<'v>(&'v AtomicUsize);

impl Drop for Building<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The address of a value that is `Send` and `Sync`, without its type.
#[derive(Debug)]
struct Erased(NonNull<u8>);

// SAFETY: what it points to is `Send` and `Sync`, by the bound on declarations (I11).
unsafe impl Send for Erased {}
// SAFETY: as above (I11).
unsafe impl Sync for Erased {}

impl SharedValue {
    pub(crate) fn new(descriptor: &'static SharedDescriptor) -> Self {
        Self { descriptor, value: OnceCell::new(), builder: AtomicUsize::new(0) }
    }

    pub(crate) fn descriptor(&self) -> &'static SharedDescriptor {
        self.descriptor
    }

    /// The value, which is built if it is not there. If the initialiser panics it is as before.
    pub(crate) fn build(&self) -> Result<NonNull<u8>, Reentrant> {
        let this = identity::token();
        // Relaxed, as below: only what this thread wrote itself is of interest.
        if self.builder.load(Ordering::Relaxed) == this {
            return Err(Reentrant);
        }
        let build = || {
            self.builder.store(this, Ordering::Relaxed);
            let _building = Building(&self.builder);
            Erased((self.descriptor.build)())
        };
        Ok(self.value.get_or_init(build).0)
    }

    /// The value, if it is there.
    pub(crate) fn built(&self) -> Option<NonNull<u8>> {
        self.value.get().map(|erased| erased.0)
    }

    /// Drops the value, if it is there.
    ///
    /// # Safety
    /// Called once; nobody has a reference, or can get one (I11).
    pub(crate) unsafe fn drop_value(&self) {
        if let Some(value) = self.built() {
            // SAFETY: the caller's promise, on what `build` returned (I11).
            unsafe { (self.descriptor.drop)(value) };
        }
    }
}
