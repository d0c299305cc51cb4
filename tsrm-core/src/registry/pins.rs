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
        while state.threads.get_mut(entry).is_some_and(|linked| linked.pins > 0) {
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
        linked.pins += 1;
        Some(Pin { registry: self, entry })
    }
}

/// Keeps one thread's values alive for a reader on another one.
pub(crate) struct Pin<'r> {
    registry: &'r Registry,
    entry: &'r ThreadEntry,
}

impl Drop for Pin<'_> {
    fn drop(&mut self) {
        let mut state = self.registry.lock();
        let Some(linked) = state.threads.get_mut(self.entry) else { return };
        // A fork's child has cleared the pins, and this may be one from before.
        linked.pins = linked.pins.saturating_sub(1);
        if linked.pins == 0 && !linked.pinnable {
            drop(state);
            self.registry.changed.notify_all();
        }
    }
}
