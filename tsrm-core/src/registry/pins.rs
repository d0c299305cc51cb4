//! Pins: how a reader on another thread holds back the drops of one thread (I1).

use std::sync::PoisonError;

use super::Registry;
use crate::thread::entry::ThreadEntry;

impl Registry {
    /// From now on others may look at this thread's values.
    pub(crate) fn open(&self, entry: &ThreadEntry) {
        if let Some(linked) = self.lock().threads.get_mut(entry) {
            linked.pinnable = true;
        }
    }

    /// From now on nobody begins to look at this thread's values.
    pub(crate) fn close(&self, entry: &ThreadEntry) {
        if let Some(linked) = self.lock().threads.get_mut(entry) {
            linked.pinnable = false;
        }
    }

    /// Waits until nobody looks at this thread's values, which is closed (I1).
    pub(crate) fn wait_for_readers(&self, entry: &ThreadEntry) {
        let mut state = self.lock();
        while state.threads.get_mut(entry).is_some_and(|linked| linked.pins != [0; 2]) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until all readers of this thread's values that are there now have gone, and not for those
    /// that come meanwhile. (The owner has taken out what it is going to drop; a reader that comes
    /// later cannot find it.)
    pub(crate) fn wait_for_present_readers(&self, entry: &ThreadEntry) {
        let mut state = self.lock();
        let Some(linked) = state.threads.get_mut(entry) else { return };
        let present = linked.present;
        // Nobody is counted in the other one: the last such wait has seen to it.
        linked.present = 1 - present;
        while state.threads.get_mut(entry).is_some_and(|linked| linked.pins[present] > 0) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Holds back the drops of that thread's values until the pin is dropped; `None` if they are
    /// not there (yet, or any more).
    pub(crate) fn pin<'r>(&'r self, entry: &'r ThreadEntry) -> Option<Pin<'r>> {
        let mut state = self.lock();
        let linked = state.threads.get_mut(entry)?;
        if !linked.pinnable {
            return None;
        }
        let counted = linked.present;
        linked.pins[counted] += 1;
        Some(Pin { registry: self, entry, counted })
    }
}

/// Keeps one thread's values alive for a reader on another one.
pub(crate) struct Pin<'r> {
    registry: &'r Registry,
    entry: &'r ThreadEntry,
    /// Which count it is in.
    counted: usize,
}

impl Drop for Pin<'_> {
    fn drop(&mut self) {
        let mut state = self.registry.lock();
        let Some(linked) = state.threads.get_mut(self.entry) else { return };
        // A fork's child has cleared the pins, and this may be one from before.
        linked.pins[self.counted] = linked.pins[self.counted].saturating_sub(1);
        let is_waited_for = !linked.pinnable || linked.present != self.counted;
        if linked.pins[self.counted] == 0 && is_waited_for {
            drop(state);
            self.registry.changed.notify_all();
        }
    }
}
