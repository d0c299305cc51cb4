//! What C reads of a set: the structs of `include/tsrm.h`.

use std::ffi::c_char;

use super::definition::{Definition, Described, Text};

const VERSION: u32 = 1;

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
    /// Of a set with these names, which stay.
    pub(super) fn new(
        module: &'static Text,
        name: &'static Text,
        definition: &'static Definition,
    ) -> Self {
        let stats: Box<[Stat]> = definition.items.iter().map(describe).collect();
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
