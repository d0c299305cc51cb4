//! Locks for shared values: slim, fair enough, and held by nobody in particular.
mod guard;
mod held;
pub mod raw;
mod recursive;
mod srw;
mod sux;
pub(crate) mod watch;

pub use guard::{ExclusiveGuard, Guard, Passable, SharedGuard, SuxRef, Token, UpdateGuard};
pub use held::{Exclusive, LockRef, Recursive, Shared, Update};
pub use recursive::RecursiveSuxLock;
pub use srw::SrwMutex;
pub use sux::SuxLock;
pub use watch::locks;
