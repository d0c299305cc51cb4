//! The slow paths: building a value on its first use.

use std::ptr;

use super::declaration::{CachedDeclaration, Declaration, HeapDeclaration};
use super::descriptor::GlobalDescriptor;
use crate::error::{AccessError, refuse};
use crate::thread::{building, current, modules};
use crate::token::Attached;

/// The slow path of [`Global::get`](super::Global::get). Apart from it so that no error has to be
/// carried there.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn build_or_panic<D: Declaration>(here: Attached<'_>) -> *const D::Value {
    let _ = here;
    // SAFETY: `here` proves that this thread is attached (I4).
    match unsafe { D::build() } {
        Ok(value) => value,
        Err(error) => refuse(error),
    }
}

/// The slow path of a cached global: builds this thread's value and fills its slot.
///
/// # Safety
/// On an attached thread (I4).
#[cold]
#[inline(never)]
pub unsafe fn build_cached<D: CachedDeclaration>() -> Result<*const D::Value, AccessError> {
    // SAFETY: the caller's promise (I4).
    let value = unsafe { build_table::<D>() }?;
    // SAFETY: the value just built, on its owner's thread (I1).
    unsafe { D::fill(value) };
    Ok(value)
}

/// Builds this thread's value.
///
/// No lock is held while the user's initialiser runs (I3); it may use other globals, attach,
/// register, spawn, panic.
///
/// # Safety
/// On an attached thread (I4).
#[cold]
#[inline(never)]
pub unsafe fn build_table<D: HeapDeclaration>() -> Result<*const D::Value, AccessError> {
    let global = D::descriptor();
    let (module, name) = (global.module, global.name);
    let Some(entry) = current::entry() else {
        unreachable!("a token exists only on a registered thread")
    };
    let place = modules::begun_with(entry, global)?;
    // In a registration that is over for others this thread may have one which the slot does not show.
    if let Some(value) = ptr::NonNull::new(entry.values.table.get(place as usize)) {
        return Ok(value.cast().as_ptr());
    }
    let Some(kind) = global.kind() else { unreachable!("values of this storage are on the heap") };
    let running = building::begin((ptr::from_ref(global).addr(), 0))
        .map_err(|error| AccessError::not_now(error, module, name))?;
    let unbuilt = entry.values.prepare(place, 0, kind);
    let unbuilt = unbuilt.map_err(|_| AccessError::OutOfMemory { module, global: name })?;
    // SAFETY: memory for a `D::Value`, that nobody else knows (I1).
    unsafe { unbuilt.value().cast::<D::Value>().write(D::initial()) };
    drop(running);
    // SAFETY: written just now; its place was free above, and while it was built nobody else could fill
    // it: this is the owner, and an initialiser that asks for its own value gets an error (I1).
    let value = unsafe { entry.values.publish(unbuilt) };
    Ok(value.cast().as_ptr())
}

/// Table storage: what `slot` returns, this thread's value or null.
#[inline]
pub fn find_in_table(global: &GlobalDescriptor) -> *const u8 {
    // While this thread holds the global's module, the number is its place; while it does not, nothing of
    // that number can have been built here without the registry's lock, behind which a new number is seen.
    match (current::entry(), global.index()) {
        (Some(entry), Some(place)) => entry.values.table.get(place),
        _ => ptr::null(),
    }
}

/// `build` of a static global, whose slot is never null.
#[cold]
pub fn build_static<T>() -> Result<*const T, AccessError> {
    unreachable!("static storage exists from the start")
}
