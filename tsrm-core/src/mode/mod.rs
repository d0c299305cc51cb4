//! The two modes. The only home of `cfg(feature = …)`.
//!
//! Each mode file supplies the same things:
//!
//! - [`NAME`] and [`SINGLE_THREADED`];
//! - `__tsrm_static_slot!` and `__tsrm_cached_slot!`, which the module macro puts into the caller's
//!   crate to declare where a global lives. Which of the two definitions exists is decided here, in
//!   this crate: a `cfg` inside the expansion would be evaluated with the *caller's* features, and
//!   silently pick the wrong mode;
//! - [`mark_statics_stale`];
//! - [`SrwState`] and [`SuxState`], the states of locks that are taken with a token.
//!
//! Everything else is one source for both.
//!
//! | | thread-safe ([`zts.rs`](self)) | single-threaded (`nts.rs`) |
//! |---|---|---|
//! | static global | native TLS block | plain `static` |
//! | cached global | pointer in native TLS | pointer in a plain `static` |
//! | registered threads | any number | one |
//! | locks | wait, on a futex | borrow flags, a conflict panics |
//!
//! Two hidden features force the storage of every global of a build, for comparisons: `_force-cached`, and
//! `_force-table`, the world before addresses were cached. What is declared in static storage then has to
//! be of a registered module, as all that is on the heap.

#[cfg(feature = "zts")]
#[path = "zts.rs"]
mod imp;

#[cfg(not(feature = "zts"))]
#[path = "nts.rs"]
mod imp;

// Which storage a declaration gets: what it asks for, unless the build forces another one.
#[cfg(not(any(feature = "_force-cached", feature = "_force-table")))]
pub use crate::__tsrm_declare_static as declare_static;
#[cfg(any(feature = "_force-cached", feature = "_force-table"))]
pub use crate::__tsrm_declare_static_on_heap as declare_static;

#[cfg(not(feature = "_force-table"))]
pub use crate::__tsrm_declare_cached as declare_cached;
#[cfg(feature = "_force-table")]
pub use crate::__tsrm_declare_table as declare_cached;

pub use imp::{NAME, SINGLE_THREADED};
pub(crate) use imp::{SrwState, SuxState, mark_statics_stale};

/// Who holds a lock and who waits for it is recorded, and a deadlock panics.
pub(crate) const DEADLOCK_DETECTION: bool = cfg!(feature = "deadlock-detection");

// What locks count.
#[cfg(feature = "lock-statistics")]
#[path = "counted.rs"]
pub(crate) mod lock_statistics;
#[cfg(not(feature = "lock-statistics"))]
#[path = "uncounted.rs"]
pub(crate) mod lock_statistics;

use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ptr;

/// The storage of one static global: the value itself, without a destructor of the compiler's
/// making (the runtime drops it, I4).
#[repr(transparent)]
pub struct StaticSlot<T>(UnsafeCell<ManuallyDrop<T>>);

impl<T> StaticSlot<T> {
    /// With its initial value.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(ManuallyDrop::new(value)))
    }

    /// Where the value is.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *const T {
        self.0.get().cast()
    }
}

/// The slot of one cached global: the address of the value, null while there is none.
pub struct CachedSlot<T>(Cell<*const T>);

impl<T> CachedSlot<T> {
    /// Without a value.
    #[allow(clippy::new_without_default, reason = "const, and not public")]
    pub const fn new() -> Self {
        Self(Cell::new(ptr::null()))
    }

    /// The value's address, or null.
    ///
    /// # Safety
    /// On the thread that the slot is of: in a single-threaded build it is `Sync` (I9).
    #[inline(always)]
    pub unsafe fn get(&self) -> *const T {
        self.0.get()
    }

    /// Fills or clears the slot.
    ///
    /// # Safety
    /// As for `get`; and `value` is null or that thread's live value of this global (I1).
    pub unsafe fn set(&self, value: *const T) {
        self.0.set(value);
    }
}

/// A second copy of a static global's initial value, from which the slot is renewed byte by byte.
///
/// Never read as a `T`, never dropped. Copying the bytes of a `const` is what naming the `const`
/// again would do, without a trip over the stack.
#[repr(transparent)]
pub struct Image<T>(UnsafeCell<ManuallyDrop<T>>);

// SAFETY: nobody ever makes a reference to the `T` inside; its bytes are only copied (I2).
unsafe impl<T> Sync for Image<T> {}

impl<T> Image<T> {
    /// From the same constant as the slot.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(ManuallyDrop::new(value)))
    }

    /// Its bytes.
    pub const fn as_ptr(&self) -> *const T {
        self.0.get().cast()
    }
}

// Evaluated with the caller's features, here on purpose.
/// Fails the build if this crate was not built in the mode that the calling crate was asked for by
/// its own feature `zts`: somewhere an edge with default features switches it on.
///
/// ```
/// tsrm::assert_mode!();
/// ```
#[macro_export]
macro_rules! assert_mode {
    () => {
        const _: () = ::core::assert!(
            $crate::SINGLE_THREADED != ::core::cfg!(feature = "zts"),
            "tsrm is built in the other mode than this crate's feature `zts` says: some dependency \
             has default features on"
        );
    };
}
