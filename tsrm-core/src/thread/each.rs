//! Looking at the values of other threads.

use super::current;
use super::handle::ThreadHandle;
use crate::registry::REGISTRY;

/// Runs `f` on every registered thread in the order of their registration, each pinned against the drop of
/// its values meanwhile (I1); not on those whose values are not there, yet or any more.
pub(crate) fn each_pinned(mut f: impl FnMut(&ThreadHandle)) {
    let own = current::entry().map(|entry| entry.id);
    for entry in REGISTRY.threads() {
        // This thread's own values need no pin while it is attached, and must not have one: it would wait for
        // itself if `f` ended the process.
        let is_own = own == Some(entry.id);
        let pin = if is_own { None } else { REGISTRY.pin(&entry) };
        if is_own || pin.is_some() {
            f(&ThreadHandle(entry.clone()));
        }
    }
}
