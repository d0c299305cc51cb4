//! Reading from C: the functions of `include/tsrm.h`.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::description::Description;
use super::histogram;
use super::read;
use super::set::Set;
use super::snapshot::SetState;
use super::sums::Sums;
use crate::module::linked_statistics;
use crate::primitive::AtomicU64;
use crate::thread::current;
use crate::thread::entry::Phase;

const BAD_ARGUMENT: c_int = -1;

/// The set that a description is of. An address that is none is found out, whatever is there.
fn set_of(description: *const Description) -> Option<&'static Set> {
    Set::known().find(|set| ptr::eq(set.description(), description))
}

fn or_null(set: Option<&'static Set>) -> *const Description {
    set.map_or(ptr::null(), |set| set.description())
}

// SAFETY: the name is this library's own.
#[unsafe(no_mangle)]
extern "C" fn tsrm_stats_next(after: *const Description) -> *const Description {
    let mut sets = Set::known();
    if !after.is_null() && !sets.any(|set| ptr::eq(set.description(), after)) {
        return ptr::null();
    }
    or_null(sets.find(|set| set.is_current()))
}

/// # Safety
/// Both are C strings, or null.
// SAFETY: the name is this library's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tsrm_stats_find(
    module: *const c_char,
    name: *const c_char,
) -> *const Description {
    if module.is_null() || name.is_null() {
        return ptr::null();
    }
    // SAFETY: the caller's promise (I13).
    let module = unsafe { CStr::from_ptr(module) };
    // SAFETY: the caller's promise (I13).
    let name = unsafe { CStr::from_ptr(name) };
    let is_it = |set: &&'static Set| {
        (set.module.as_c(), set.name.as_c()) == (module, name) && set.is_current()
    };
    or_null(Set::known().find(is_it))
}

/// # Safety
/// `cells` has room for that many numbers, or is null.
// SAFETY: the name is this library's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tsrm_stats_snapshot(
    set: *const Description,
    cells: *mut u64,
    room: usize,
) -> c_int {
    let Some(set) = set_of(set) else { return BAD_ARGUMENT };
    if room < set.definition.parts.end || (cells.is_null() && set.definition.parts.end > 0) {
        return BAD_ARGUMENT;
    }
    let mut sums = Sums::of(set.definition);
    let state = read::sum(set, &mut sums);
    if !sums.cells.is_empty() {
        // SAFETY: the caller's promise (I13); there is room for as many as it has.
        unsafe { cells.copy_from_nonoverlapping(sums.cells.as_ptr(), sums.cells.len()) };
    }
    match state {
        SetState::NotStarted | SetState::Owned => 0,
        SetState::Up => 1,
        SetState::Retired => 2,
    }
}

/// # Safety
/// There is room for a number at `low` and at `high`, or they are null.
// SAFETY: the name is this library's own.
#[unsafe(no_mangle)]
unsafe extern "C" fn tsrm_stats_bucket(
    set: *const Description,
    index: u32,
    bucket: u32,
    low: *mut u64,
    high: *mut u64,
) -> c_int {
    let Some(definition) = set_of(set).map(|set| set.definition) else { return BAD_ARGUMENT };
    let item = definition.items.get(index as usize).filter(|_| !definition.is_off);
    let Some(item) = item.filter(|item| (bucket as usize) < item.buckets()) else {
        return BAD_ARGUMENT;
    };
    let bounds = histogram::bounds(bucket as usize, item.max);
    for (bound, to) in [(bounds.0, low), (bounds.1, high)] {
        if !to.is_null() {
            // SAFETY: the caller's promise (I13).
            unsafe { to.write(bound) };
        }
    }
    0
}

// SAFETY: the name is this library's own.
#[unsafe(no_mangle)]
extern "C" fn tsrm_stats_shard(set: *const Description) -> *const u64 {
    if !AtomicU64::is_always_lock_free() {
        // C does not know of the locks that stand for atomics here.
        return ptr::null();
    }
    let is_attached = current::entry()
        .is_some_and(|entry| entry.gate.depth() > 0 && entry.phase() != Phase::Draining);
    let Some(set) = set_of(set).filter(|_| is_attached) else { return ptr::null() };
    let own = linked_statistics().find(|own| own.found_set().is_some_and(|own| ptr::eq(own, set)));
    own.map_or(ptr::null(), |own| own.shard().as_ptr().cast_const().cast())
}
