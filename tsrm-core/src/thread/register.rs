//! A thread's first attach: from unknown to registered.

use std::sync::atomic::AtomicPtr;
use std::{iter, ptr};

use super::current;
use super::entry::ThreadEntry;
use super::exit;
use crate::error::AttachError;
use crate::mode;
use crate::module::linked_statics;
use crate::registry::{REGISTRY, Wanted};

/// Registers the calling thread, which is not, with that runtime. Its hooks have yet to run.
pub(super) fn register<'e>(wanted: Wanted) -> Result<&'e ThreadEntry, AttachError> {
    exit::arm()?;
    let exit::Standing { name, is_late } = exit::standing();
    let entry =
        REGISTRY.link(wanted, |generation, id| ThreadEntry::new(generation, id, name.clone()))?;
    // Only now is every static numbered, and this thread the owner: in a single-threaded build the
    // statics were another's.
    entry.set_statics(static_addresses());
    renew_statics();
    // Who may end before anybody could be told lists nothing.
    if !is_late {
        REGISTRY.list_shards(&entry);
        REGISTRY.open(&entry);
    }
    Ok(current::remember(entry))
}

/// This thread's address of every linked static global, by the global's index.
fn static_addresses() -> Box<[AtomicPtr<u8>]> {
    let mut addresses: Box<[_]> =
        iter::repeat_with(|| AtomicPtr::new(ptr::null_mut())).take(REGISTRY.statics()).collect();
    for global in linked_statics() {
        let place = global.index().and_then(|index| addresses.get_mut(index));
        if let (Some(place), Some(address)) = (place, global.static_address()) {
            *place.get_mut() = address;
        }
    }
    addresses
}

/// Gives the statics of an earlier registration their initial image again.
fn renew_statics() {
    if !mode::mark_statics_stale(false) {
        return;
    }
    for global in linked_statics() {
        // SAFETY: this thread owns the statics (it is linked, I9), they were dropped when it left
        // (that is what stale says), and no reference exists at depth 0 (I4).
        unsafe { global.renew_static() };
    }
}
