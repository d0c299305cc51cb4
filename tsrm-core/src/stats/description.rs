//! What C reads of a set: the structs of `include/tsrm.h`.

use std::ffi::c_char;
use std::mem::offset_of;

use super::definition::{Definition, Described, Text};

const VERSION: u32 = 1;

/// `tsrm_stat`.
///
/// The greatest alignment comes first, so that the offsets are the same however a C compiler for a 32-bit
/// machine aligns a `uint64_t`.
#[repr(C)]
struct Stat {
    max: u64,
    kind: u32,
    first: u32,
    away: u32,
    buckets: u32,
    name: *const c_char,
    unit: *const c_char,
    help: *const c_char,
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
const SET_SIZE: u32 = offset_of!(Description, _stats) as u32;

// What `tests/c.rs` finds in C as well.
const _: () = assert!(offset_of!(Stat, name) == 24 && offset_of!(Description, module) == 24);
const _: () = assert!(SET_SIZE as usize == 24 + 3 * size_of::<*const c_char>());

impl Description {
    /// Of a set with these names, which stay.
    pub(super) fn new(
        module: &'static Text,
        name: &'static Text,
        definition: &'static Definition,
    ) -> Self {
        // Of a set that is off there are no cells to be found by a description.
        let items = if definition.is_off { &[] } else { &*definition.items };
        let stats: Box<[Stat]> = items.iter().map(describe).collect();
        Self {
            version: VERSION,
            size: SET_SIZE,
            stat_size: size_of::<Stat>() as u32,
            count: stats.len() as u32,
            cells: definition.parts.end as u32,
            reserved: 0,
            module: module.as_c().as_ptr(),
            name: name.as_c().as_ptr(),
            stats: stats.as_ptr(),
            _stats: stats,
        }
    }
}

fn describe(item: &'static Described) -> Stat {
    Stat {
        max: item.max,
        kind: item.kind as u32,
        first: item.first as u32,
        away: item.away as u32,
        buckets: item.buckets() as u32,
        name: item.name.as_c().as_ptr(),
        unit: item.unit.as_c().as_ptr(),
        help: item.help.as_c().as_ptr(),
    }
}
