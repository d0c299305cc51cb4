//! The thread-safe mode: globals live in native TLS.
//!
//! `thread_local!` with a `const` initialiser and a type without a destructor compiles to a plain
//! TLS access: no registration, no lazy-initialisation check.

use std::cell::Cell;

/// What this mode is called.
pub const NAME: &str = "ZTS";

/// Whether only one thread can be registered.
pub const SINGLE_THREADED: bool = false;

thread_local! {
    /// The statics of this thread were dropped and not yet renewed.
    static STATICS_ARE_STALE: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether the statics were dropped and not yet renewed; returns what it was.
pub(crate) fn mark_statics_stale(stale: bool) -> bool {
    STATICS_ARE_STALE.replace(stale)
}

/// Defines `fn slot()` of a static global.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_static_slot {
    ($value:ty, $initial:path) => {
        #[inline(always)]
        fn slot() -> *const $value {
            ::std::thread_local! {
                static __TSRM_SLOT: $crate::private::StaticSlot<$value> =
                    const { $crate::private::StaticSlot::new($initial) };
            }
            __TSRM_SLOT.with($crate::private::StaticSlot::as_ptr)
        }
    };
}

/// Defines `fn __tsrm_slot()` and `unsafe fn __tsrm_fill()` of a cached global.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_cached_slot {
    ($value:ty) => {
        ::std::thread_local! {
            static __TSRM_SLOT: $crate::private::CachedSlot<$value> =
                // SAFETY: of this thread only (I1).
                const { unsafe { $crate::private::CachedSlot::new() } };
        }
        #[inline(always)]
        fn __tsrm_slot() -> *const $value {
            __TSRM_SLOT.with($crate::private::CachedSlot::get)
        }
        unsafe fn __tsrm_fill(value: *const $value) {
            __TSRM_SLOT.with(|slot| slot.set(value))
        }
    };
}
