//! The slow paths: building a cached global's value on its first use.

use std::ptr;
use std::sync::atomic::Ordering;

use super::declaration::{CachedDeclaration, Declaration};
use super::descriptor::GlobalDescriptor;
use crate::error::{AccessError, refuse};
use crate::module::Module;
use crate::thread::current;
use crate::thread::entry::ThreadEntry;

/// The slow path of [`Global::get`](super::Global::get). Apart from it so that no error has to be
/// carried there.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn build_or_panic<D: Declaration>() -> *const D::Value {
    match D::build() {
        Ok(value) => value,
        Err(error) => refuse(error),
    }
}

/// The slow path of a cached global: builds this thread's value.
///
/// No lock is held while the user's initialiser runs (I3); it may use other globals, attach,
/// register, spawn, panic.
#[cold]
#[inline(never)]
pub fn build_cached<D: CachedDeclaration>() -> Result<*const D::Value, AccessError> {
    let global = D::descriptor();
    let Some(entry) = current::entry().filter(|entry| entry.depth() > 0) else {
        unreachable!("a token exists only on an attached thread")
    };
    let (module, name) = (global.module, global.name);
    let is_its_module = |m: &Module| m.descriptor().globals().any(|g| ptr::eq(g, global));
    if !entry.modules.iter().any(is_its_module) {
        return Err(AccessError::ModuleNotStarted { module, global: name });
    }
    if entry.initialising.borrow().iter().any(|running| ptr::eq(*running, global)) {
        return Err(AccessError::Initialising { module, global: name });
    }
    let running = Initialising::begin(entry, global);
    // SAFETY: this is the owner (I1).
    let value = unsafe { entry.values.push(global, D::initial) };
    drop(running);
    // Relaxed: only this thread writes it.
    entry.heap_bytes.fetch_add(global.size, Ordering::Relaxed);
    // SAFETY: the value just built, on its owner's thread (I1).
    unsafe { D::fill(value.as_ptr()) };
    Ok(value.as_ptr())
}

/// While a constructor runs; also when it panics.
struct Initialising<'e>(&'e ThreadEntry);

impl<'e> Initialising<'e> {
    fn begin(entry: &'e ThreadEntry, global: &'static GlobalDescriptor) -> Self {
        entry.initialising.borrow_mut().push(global);
        Self(entry)
    }
}

impl Drop for Initialising<'_> {
    fn drop(&mut self) {
        self.0.initialising.borrow_mut().pop();
    }
}

/// `build` of a static global, whose slot is never null.
#[cold]
pub fn build_static<T>() -> Result<*const T, AccessError> {
    unreachable!("static storage exists from the start")
}
