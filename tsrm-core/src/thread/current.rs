//! The calling thread: the address of its entry, in TLS without a destructor (I6, I7).

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::Arc;

use super::entry::ThreadEntry;

thread_local! {
    /// This thread's entry while it is registered. Owns one count of the `Arc`.
    static CURRENT: Cell<Option<NonNull<ThreadEntry>>> = const { Cell::new(None) };
}

/// The calling thread's entry.
///
/// The reference is good until this thread's next [`forget`], which only a teardown at depth 0
/// calls: do not keep it across a leave.
#[inline]
pub(crate) fn entry<'e>() -> Option<&'e ThreadEntry> {
    let entry = CURRENT.get()?;
    // SAFETY: `remember` stored a counted pointer, which only `forget` gives up (I6).
    Some(unsafe { entry.as_ref() })
}

/// Makes this the calling thread's entry; good for as long as [`entry`] says.
pub(crate) fn remember<'e>(new: Arc<ThreadEntry>) -> &'e ThreadEntry {
    let pointer = Arc::into_raw(new);
    debug_assert!(CURRENT.get().is_none());
    CURRENT.set(NonNull::new(pointer.cast_mut()));
    // SAFETY: the count that was leaked just now keeps it alive until `forget` (I6).
    unsafe { &*pointer }
}

/// The calling thread has no entry any more.
pub(crate) fn forget() {
    if let Some(entry) = CURRENT.take() {
        // SAFETY: `remember` leaked this count, and nothing but `CURRENT` held it (I6).
        drop(unsafe { Arc::from_raw(entry.as_ptr()) });
    }
}

/// The calling thread's entry, counted.
pub(crate) fn shared() -> Option<Arc<ThreadEntry>> {
    let entry = CURRENT.get()?.as_ptr();
    // SAFETY: `remember` stored what `Arc::into_raw` gave, with a count that `forget` gives up (I6).
    unsafe { Arc::increment_strong_count(entry) };
    // SAFETY: the count just added is this one's (I6).
    Some(unsafe { Arc::from_raw(entry) })
}
