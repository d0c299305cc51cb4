//! The thread-safe mode: globals live in native TLS.
//!
//! `thread_local!` with a `const` initialiser and a type without a destructor compiles to a plain
//! TLS access: no registration, no lazy-initialisation check.

use std::cell::Cell;

use crate::sync::raw::{SrwWord, SuxWord};

/// What a mutex consists of, beside its value.
pub(crate) type SrwState = SrwWord;

/// What a lock with shared, update and exclusive access consists of, beside its value.
pub(crate) type SuxState = SuxWord;

/// `"ZTS"` in a thread-safe build, `"NTS"` in a single-threaded one.
pub const NAME: &str = "ZTS";

/// Whether this is a single-threaded build: only one thread can be registered.
pub const SINGLE_THREADED: bool = false;

thread_local! {
    /// The statics of this thread were dropped and not yet renewed.
    static STATICS_ARE_STALE: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether the statics were dropped and not yet renewed; returns what it was.
pub(crate) fn mark_statics_stale(stale: bool) -> bool {
    STATICS_ARE_STALE.replace(stale)
}

/// Defines `unsafe fn slot()` of a static global.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_static_slot {
    ($value:ty, $initial:path) => {
        #[inline(always)]
        unsafe fn slot() -> *const $value {
            $crate::private::std::thread_local! {
                static __TSRM_SLOT: $crate::private::StaticSlot<$value> =
                    const { $crate::private::StaticSlot::new($initial) };
            }
            let __tsrm_value = $crate::private::std::thread::LocalKey::with(
                &__TSRM_SLOT,
                $crate::private::StaticSlot::as_ptr,
            );
            // `with` may end up as a call; say here too that nothing has to be checked behind it.
            // SAFETY: the address of a field of a reference.
            unsafe {
                $crate::private::std::hint::assert_unchecked(!<*const $value>::is_null(
                    __tsrm_value,
                ))
            };
            __tsrm_value
        }
    };
}

/// Defines `unsafe fn __tsrm_slot()` and `unsafe fn __tsrm_fill()` of a cached global.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_cached_slot {
    ($value:ty) => {
        $crate::private::std::thread_local! {
            static __TSRM_SLOT: $crate::private::CachedSlot<$value> =
                const { $crate::private::CachedSlot::new() };
        }
        #[inline(always)]
        unsafe fn __tsrm_slot() -> *const $value {
            // SAFETY: of the calling thread (I1).
            $crate::private::std::thread::LocalKey::with(&__TSRM_SLOT, |__tsrm_slot| unsafe {
                $crate::private::CachedSlot::get(__tsrm_slot)
            })
        }
        unsafe fn __tsrm_fill(__tsrm_value: *const $value) {
            // SAFETY: of the calling thread (I1), and the caller's promise.
            $crate::private::std::thread::LocalKey::with(&__TSRM_SLOT, |__tsrm_slot| unsafe {
                $crate::private::CachedSlot::set(__tsrm_slot, __tsrm_value)
            })
        }
    };
}
