//! Threads: spawning ones that attach, and what can be seen of one.
//!
//! [`spawn()`], [`scope`] and [`Builder`] are the ways to spawn; see [`ThreadHandle`](crate::ThreadHandle)
//! for the rest.

// From the bottom up: `values` and `interrupt` are the two kernels that other threads touch without a
// lock; an `entry` is all that is known of a thread; `current` is the calling thread's (I6). `register`
// makes it at the first `attach`, `teardown` takes it away at a detach or at the thread's `exit`.

pub(crate) mod attach;
pub(crate) mod current;
pub(crate) mod entry;
pub(crate) mod exit;
pub(crate) mod handle;
pub(crate) mod identity;
mod interrupt;
mod register;
pub(crate) mod spawn;
mod teardown;
pub(crate) mod values;

pub use identity::{ThreadId, ThreadState};
pub use spawn::{Builder, JoinHandle, Scope, scope, spawn};
