//! The single-threaded mode: globals are plain `static`s.
//!
//! Sound without atomics since only the one registered thread has a token (I9): it became that
//! thread under the registry's lock, when the last one had dropped every linked global.

mod flags;

use std::sync::atomic::{AtomicBool, Ordering};

use super::{CachedSlot, StaticSlot};

/// What a mutex consists of, beside its value.
pub(crate) type SrwState = flags::SrwFlag;

/// What a lock with shared, update and exclusive access consists of, beside its value.
pub(crate) type SuxState = flags::SuxFlags;

/// `"ZTS"` in a thread-safe build, `"NTS"` in a single-threaded one.
pub const NAME: &str = "NTS";

/// Whether this is a single-threaded build: only one thread can be registered.
pub const SINGLE_THREADED: bool = true;

// SAFETY: the value is touched only by the one registered thread, and changes hands under the
// registry's lock after the last owner has dropped it (I9).
unsafe impl<T> Sync for StaticSlot<T> {}
// SAFETY: as above (I9).
unsafe impl<T> Sync for CachedSlot<T> {}

/// The statics were dropped and not yet renewed. Relaxed throughout: written by the registered
/// thread only, which took over under the registry's lock.
static STATICS_ARE_STALE: AtomicBool = AtomicBool::new(false);

/// Sets whether the statics were dropped and not yet renewed; returns what it was.
pub(crate) fn mark_statics_stale(stale: bool) -> bool {
    STATICS_ARE_STALE.swap(stale, Ordering::Relaxed)
}

/// Defines `unsafe fn slot()` of a static global.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_static_slot {
    ($value:ty, $initial:path) => {
        #[inline(always)]
        unsafe fn slot() -> *const $value {
            static __TSRM_SLOT: $crate::private::StaticSlot<$value> =
                $crate::private::StaticSlot::new($initial);
            $crate::private::StaticSlot::as_ptr(&__TSRM_SLOT)
        }
    };
}

/// Defines `unsafe fn __tsrm_slot()` and `unsafe fn __tsrm_fill()` of a cached global.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_cached_slot {
    ($value:ty) => {
        static __TSRM_SLOT: $crate::private::CachedSlot<$value> =
            $crate::private::CachedSlot::new();
        #[inline(always)]
        unsafe fn __tsrm_slot() -> *const $value {
            // SAFETY: called on the registered thread (I9).
            unsafe { $crate::private::CachedSlot::get(&__TSRM_SLOT) }
        }
        unsafe fn __tsrm_fill(__tsrm_value: *const $value) {
            // SAFETY: called on the registered thread (I9), and the caller's promise.
            unsafe { $crate::private::CachedSlot::set(&__TSRM_SLOT, __tsrm_value) }
        }
    };
}
