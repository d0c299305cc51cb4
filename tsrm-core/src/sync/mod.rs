//! Locks for shared values: small, with shared, update and exclusive access, and held by nobody in particular.
//!
//! ```
//! #[tsrm::module]
//! mod pool {
//!     use std::collections::HashMap;
//!     use std::sync::Arc;
//!     use tsrm::sync::{SrwMutex, SuxLock};
//!
//!     /// Pages by their number.
//!     #[shared]
//!     pub static PAGES: SuxLock<HashMap<u32, Arc<SuxLock<Vec<u8>>>>> = SuxLock::new(HashMap::new());
//!
//!     /// Numbers that are free.
//!     #[shared]
//!     pub static FREE: SrwMutex<Vec<u32>> = SrwMutex::new(vec![7]);
//! }
//! use std::sync::Arc;
//! use tsrm::sync::{ExclusiveGuard, SuxLock};
//!
//! # fn main() -> Result<(), tsrm::StartError> {
//! # let tsrm = tsrm::Runtime::start([pool::MODULE])?;
//! tsrm.attach(|here| {
//!     let number = pool::FREE.get(here).lock(here).pop().unwrap();
//!     // Update access: others read meanwhile, nobody else writes before the upgrade.
//!     let pages = pool::PAGES.get(here).update(here);
//!     let page = Arc::new(SuxLock::new(vec![0; 4096]));
//!     pages.upgrade().insert(number, Arc::clone(&page));
//!     // A guard that keeps the page alive.
//!     ExclusiveGuard::acquire(page, here)[0] = 1;
//!     assert_eq!(pool::PAGES.get(here).shared(here)[&number].shared(here)[0], 1);
//! });
//! # Ok(()) }
//! ```
//!
//! | for | use | bytes | thread-safe build | single-threaded build |
//! |---|---|---|---|---|
//! | one at a time | [`SrwMutex`] | 4 | waits | a flag, no atomics; what would wait panics |
//! | readers, one that may write, a writer | [`SuxLock`] | 8 | waits | the same |
//! | … of operations that call each other | [`RecursiveSuxLock`] | 24 | waits | the same |
//! | code outside attaches: destructors, other threads | [`raw`] | 4, 8 | waits | waits |
//!
//! Every acquisition takes the token `here`, so guards end with the attach, and a single-threaded build needs no atomics. What
//! does not take one is in [`raw`], as types for `lock_api`: also for the hooks of a module's own start and end, which have no
//! token. (A startup fills its own values without locking: `phase.shared_mut(&TABLE).get_mut()`.)
//!
//! | to | use |
//! |---|---|
//! | wait at most that long, or not at all | `*_timeout`, `*_until`, `try_*` |
//! | change what one may do, without letting go | [`upgrade`](Guard::upgrade), `try_upgrade`, `upgrade_timeout`; [`downgrade`](Guard::downgrade), [`downgrade_to_update`](Guard::downgrade_to_update); [`try_into_update`](Guard::try_into_update) |
//! | have a guard that owns an `Arc` of the lock | [`Guard::acquire`], `acquire_timeout`, … |
//! | lock here, unlock on another thread | [`Guard::into_token`], [`Guard::from_token`] |
//! | find deadlocks | the feature `deadlock-detection`: the wait that would never end panics, and says who has what since which line (of what takes a token; not what waits for a token that was dropped, or for a thread's end) |
//! | see how much is waited | the feature `lock-statistics`: list `tsrm::sync::lock_statistics::MODULE`, read `LOCK_STATISTICS` there, or with all others |
//!
//! To take a free lock, and to give one back that nobody waits for, are one locked instruction each. Nobody makes a system
//! call unless somebody sleeps. There is one way of waiting for all: a few short pauses, some turns for
//! other threads, then sleep. Who comes may overtake who waits; whoever waits for readers to leave keeps
//! new ones out. There is no poisoning: a panic releases what it unwinds through.
//!
//! In a single-threaded build a wait with a time limit is over at once: a loop around one would turn for ever.
//!
//! A child of `fork` has the locks as they were. What its own thread held it can go on with; what another one held
//! stays held.
//!
//! In a `static` of the program itself (rather than a `#[shared]` value) they work the same.

mod acquisitions;
mod deadline;
mod guard;
mod held;
pub mod raw;
mod recursive;
mod srw;
mod sux;
mod transitions;
pub(crate) mod watch;

pub use guard::{ExclusiveGuard, Guard, Passable, SharedGuard, Token, UpdateGuard};
pub use held::{Exclusive, LockRef, Recursive, Shared, Update};
pub use recursive::RecursiveSuxLock;
pub use srw::SrwMutex;
pub use sux::SuxLock;
pub use transitions::SuxRef;

#[allow(
    unused_imports,
    unreachable_pub,
    reason = "there is nothing without the feature `lock-statistics`"
)]
pub use crate::mode::lock_statistics::api::*;
