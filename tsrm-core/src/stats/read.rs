//! Reading: totals and shards are added up under the registry's lock.

use super::set::Set;
use super::snapshot::{PerThread, SetState, Snapshot};
use super::sums::Sums;
use crate::registry::REGISTRY;

/// All sets of the process whose modules are or have been up, in the order of the names of modules and sets. Of
/// those with the same names, as a new build of a module may have, the one that came up last.
///
/// Each is of one moment of its own.
pub fn all() -> Vec<Snapshot> {
    let mut sets: Vec<_> = Set::known().filter(|set| set.is_current()).collect();
    sets.sort_by_key(|set| (set.module.as_str(), set.name.as_str()));
    sets.into_iter().map(snapshot).collect()
}

/// The set of that name in the module of that name, if that module is or has been up; of several, as in
/// [`all`].
///
/// ```
/// assert!(tsrm::stats::find("client", "client").is_none());
/// ```
pub fn find(module: &str, name: &str) -> Option<Snapshot> {
    let is_it = |set: &&'static Set| {
        (set.module.as_str(), set.name.as_str()) == (module, name) && set.is_current()
    };
    Set::known().find(is_it).map(snapshot)
}

pub(super) fn snapshot(set: &'static Set) -> Snapshot {
    let mut sums = Sums::of(set.definition);
    let state = sum(set, &mut sums);
    Snapshot::of_set(set, state, sums)
}

/// Adds up a set, and says what became of its module.
pub(super) fn sum(set: &'static Set, sums: &mut Sums) -> SetState {
    let is_up = REGISTRY.sum(set, sums);
    state(set, is_up)
}

pub(super) fn per_thread(set: &'static Set) -> PerThread {
    let (threads, rest, is_up) = REGISTRY.sum_per_thread(set);
    let state = state(set, is_up);
    let threads = threads.into_iter().map(|(thread, sums)| {
        let snapshot = Snapshot::of_set(set, state, sums);
        (thread.label(), snapshot)
    });
    PerThread { threads: threads.collect(), rest: Snapshot::of_set(set, state, rest) }
}

fn state(set: &Set, is_up: bool) -> SetState {
    match (is_up, set.was_up()) {
        (true, _) => SetState::Up,
        (false, true) => SetState::Retired,
        (false, false) => SetState::NotStarted,
    }
}
