//! The same struct in what one would use without `tsrm`, for values that may be replaced while
//! others read (all but the last one).

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use arc_swap::ArcSwap;
pub use epoch::Epoch;
use once_cell::sync::OnceCell;

use super::Settings;

static ARC_SWAP: LazyLock<ArcSwap<Settings>> =
    LazyLock::new(|| ArcSwap::new(Arc::new(Settings::new())));
static EPOCH: LazyLock<Epoch> = LazyLock::new(Epoch::new);

/// `arc_swap`. Kept by its user in a register, as it cannot be built at compile time.
pub fn arc_swap() -> &'static ArcSwap<Settings> {
    &ARC_SWAP
}

/// `crossbeam_epoch`. Likewise.
pub fn epoch() -> &'static Epoch {
    &EPOCH
}

/// std's lock.
pub static RW_LOCK: RwLock<Settings> = RwLock::new(Settings::new());

/// `once_cell`: set once, never replaced.
pub static ONCE_CELL: OnceCell<Settings> = OnceCell::new();

/// By `ArcSwap::load`.
#[inline(always)]
pub fn read_arc_swap(settings: &ArcSwap<Settings>) -> u64 {
    settings.load().limit
}

/// Under the lock.
#[inline(always)]
pub fn read_rw_lock(settings: &RwLock<Settings>) -> u64 {
    settings.read().unwrap_or_else(PoisonError::into_inner).limit
}

/// By `OnceCell::get`.
///
/// # Panics
/// The cell is empty.
#[inline(always)]
pub fn read_once_cell(settings: &OnceCell<Settings>) -> u64 {
    settings.get().expect("the cell is filled before it is measured").limit
}

#[allow(unsafe_code, reason = "crossbeam's interface")]
mod epoch {
    use std::sync::atomic::Ordering;

    use crossbeam_epoch::Atomic;

    use super::Settings;

    /// A pointer whose target would be freed two epochs after it was replaced.
    #[derive(Debug)]
    pub struct Epoch(Atomic<Settings>);

    impl Epoch {
        pub(super) fn new() -> Self {
            Self(Atomic::new(Settings::new()))
        }

        /// In an epoch that is pinned for this.
        ///
        /// # Panics
        /// Never: there is a value.
        #[inline(always)]
        pub fn read(&self) -> u64 {
            let guard = crossbeam_epoch::pin();
            let settings = self.0.load(Ordering::Acquire, &guard);
            // SAFETY: made by `new`, and never replaced.
            unsafe { settings.as_ref() }.expect("there is a value").limit
        }
    }
}
