//! Reading from C: see `include/tsrm.h`, whose structs and functions these are.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::definition::{Described, Set};
use super::read;
use super::snapshot::{SetState, Sums};
use crate::module::linked_statistics;
use crate::thread::current;
use crate::thread::entry::Phase;

const VERSION: u32 = 1;
const BAD_ARGUMENT: c_int = -1;

/// `tsrm_stat`.
#[repr(C)]
struct Stat {
    name: *const c_char,
    unit: *const c_char,
    help: *const c_char,
    kind: u32,
    first: u32,
    away: u32,
    buckets: u32,
    max: u64,
}

/// `tsrm_set`, and behind it what C does not see.
#[repr(C)]
pub(super) struct Description {
    version: u32,
    size: u32,
    stat_size: u32,
    count: u32,
    cells: u32,
    reserved: u32,
    module: *const c_char,
    name: *const c_char,
    stats: *const Stat,
    // Not part of `tsrm_set`.
    _stats: Box<[Stat]>,
}

// SAFETY: never written again; it points to texts of sets, which are never freed (I13).
unsafe impl Send for Description {}
// SAFETY: as above (I13).
unsafe impl Sync for Description {}

/// The bytes of `tsrm_set`.
const SET_SIZE: u32 = std::mem::offset_of!(Description, _stats) as u32;

impl Description {
    /// Of a set; `set` stays where it is.
    pub(super) fn new(set: &'static Set) -> Self {
        let stats: Box<[Stat]> = set.definition.items.iter().map(describe).collect();
        Self {
            version: VERSION,
            size: SET_SIZE,
            stat_size: size_of::<Stat>() as u32,
            count: stats.len() as u32,
            cells: set.definition.parts.end as u32,
            reserved: 0,
            module: set.module.as_c().as_ptr(),
            name: set.name.as_c().as_ptr(),
            stats: stats.as_ptr(),
            _stats: stats,
        }
    }
}

fn describe(item: &'static Described) -> Stat {
    Stat {
        name: item.name.as_c().as_ptr(),
        unit: item.unit.as_c().as_ptr(),
        help: item.help.as_c().as_ptr(),
        kind: item.kind as u32,
        first: item.first as u32,
        away: item.away as u32,
        buckets: item.buckets() as u32,
        max: item.max,
    }
}

/// The set that a description is of. An address that is none is found out, whatever is there.
fn set_of(description: *const Description) -> Option<&'static Set> {
    Set::all().find(|set| ptr::eq(set.description(), description))
}

fn or_null(set: Option<&'static Set>) -> *const Description {
    set.map_or(ptr::null(), |set| set.description())
}

#[unsafe(no_mangle)]
extern "C" fn tsrm_stats_next(after: *const Description) -> *const Description {
    let mut sets = Set::all();
    if !after.is_null() && !sets.any(|set| ptr::eq(set.description(), after)) {
        return ptr::null();
    }
    or_null(sets.next())
}

/// # Safety
/// Both are C strings, or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn tsrm_stats_find(
    module: *const c_char,
    name: *const c_char,
) -> *const Description {
    if module.is_null() || name.is_null() {
        return ptr::null();
    }
    // SAFETY: the caller's promise.
    let module = unsafe { CStr::from_ptr(module) };
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    or_null(Set::all().find(|set| (set.module.as_c(), set.name.as_c()) == (module, name)))
}

/// # Safety
/// `cells` has room for that many numbers, or is null.
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
        // SAFETY: the caller's promise; there is room for as many as it has.
        unsafe { cells.copy_from_nonoverlapping(sums.cells.as_ptr(), sums.cells.len()) };
    }
    match state {
        SetState::NotStarted | SetState::Owned => 0,
        SetState::Up => 1,
        SetState::Retired => 2,
    }
}

#[unsafe(no_mangle)]
extern "C" fn tsrm_stats_shard(set: *const Description) -> *const u64 {
    let is_attached = current::entry()
        .is_some_and(|entry| entry.gate.depth() > 0 && entry.phase() != Phase::Draining);
    let Some(set) = set_of(set).filter(|_| is_attached) else { return ptr::null() };
    let own = linked_statistics().find(|own| own.found_set().is_some_and(|own| ptr::eq(own, set)));
    own.map_or(ptr::null(), |own| own.shard().as_ptr().cast_const().cast())
}
