//! Locks without a token: atomic in both builds, for code outside attaches.
//!
//! They are the very locks that a thread-safe build has behind [`SrwMutex`](super::SrwMutex) and
//! [`SuxLock`](super::SuxLock), as the raw types that the crate `lock_api` makes mutexes and guards of.
//!
//! ```
//! use tsrm::sync::raw::{Mutex, RwLock};
//!
//! static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());
//! static LEVEL: RwLock<u8> = RwLock::new(1);
//!
//! let level = LEVEL.upgradable_read();
//! if *level == 1 {
//!     *tsrm::sync::raw::lock_api::RwLockUpgradableReadGuard::upgrade(level) = 2;
//! }
//! assert_eq!(*LEVEL.read(), 2);
//! LOG.lock().push("set".into()); // on any thread, attached or not, also in a destructor
//! ```
//!
//! Wait with a time limit by [`try_lock_for`](lock_api::Mutex::try_lock_for),
//! [`try_write_for`](lock_api::RwLock::try_write_for) and the like. Guards may go to other threads. Deadlocks
//! are not detected here. With the feature `lock-statistics` the first counts of a process allocate: then not in an allocator.

mod api;
mod queue;
mod spin;
mod srw_word;
mod sux_word;
#[cfg(test)]
mod tests;

pub use api::{Mutex, RawSrwMutex, RawSuxLock, RwLock};
pub use lock_api;
pub(crate) use srw_word::SrwWord;
pub(crate) use sux_word::SuxWord;
