//! What a thread comes by for at depth 0: it lets go of what was retired or released.
//!
//! To let go of a module is what a leave is for all: its `thread_shutdown` hook, then its values (I5).

use std::ptr;
use std::sync::Arc;

use super::entry::{Begun, Stage, ThreadEntry};
use super::values::{Condemned, Header};
use super::{modules, teardown};
use crate::global::descriptor::Origin;
use crate::module::entry::{ModuleEntry, ModuleState};
use crate::registry::{REGISTRY, Released};

/// The thread, at depth 0, does what it was called for: it lets go of what was retired or released, and
/// gives the statics of modules that came or went their initial image.
pub(super) fn come_by(entry: &ThreadEntry) {
    while let Some(visit) = REGISTRY.begin_visit(entry) {
        if visit.misses_shards {
            REGISTRY.complete_shards(entry);
        }
        modules::choose(entry, |begun| {
            begun.stage == Stage::Failed || begun.module.state() > ModuleState::Up
        });
        teardown::end_modules(entry, false);
        let condemned = condemn(entry, visit.released);
        let modules = changed_modules(entry, visit.seen);
        teardown::drop_some(entry, condemned, &modules);
        modules::forget(entry);
        REGISTRY.end_visit(entry, &visit);
    }
}

/// Takes out what goes. One released resource, which is the usual case, without looking at all values.
fn condemn(entry: &ThreadEntry, released: Released) -> Condemned {
    let is_letting_go = entry.begun.borrow().iter().any(Begun::is_going);
    match released {
        Released::Nothing if !is_letting_go => Condemned::NOTHING,
        Released::One(place) if !is_letting_go && REGISTRY.is_released(place) => {
            entry.values.take_at(place)
        }
        _ => entry.values.take(|header| match header.kind.origin {
            Origin::Global(_) => goes_with_its_module(entry, header),
            Origin::Resource(_) => {
                released != Released::Nothing && REGISTRY.is_released(header.place)
            }
        }),
    }
}

fn goes_with_its_module(entry: &ThreadEntry, header: &Header) -> bool {
    let begun = entry.begun.borrow();
    let mut going = begun.iter().filter(|begun| begun.is_going());
    going.any(|begun| begun.module.places[1..].contains(&header.place))
}

/// The modules whose statics are to be renewed: those that came or went since the thread last looked, and
/// those that it lets go of. Not if it has begun with them meanwhile, or with another registration of the same.
fn changed_modules(entry: &ThreadEntry, seen: u64) -> Vec<Arc<ModuleEntry>> {
    let mut modules = Vec::new();
    let mut after = 0;
    while let Some((number, module)) = REGISTRY.changed_module(seen, after) {
        after = number;
        modules.push(module);
    }
    let begun = entry.begun.borrow();
    let (going, stays): (Vec<_>, Vec<_>) = begun.iter().partition(|begun| begun.is_going());
    modules.extend(going.iter().map(|begun| Arc::clone(&begun.module)));
    let stays = |module: &ModuleEntry| {
        stays.iter().any(|begun| ptr::eq(begun.module.descriptor(), module.descriptor()))
    };
    modules.retain(|module| !stays(module));
    modules
}
