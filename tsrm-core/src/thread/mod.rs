//! Threads: spawning ones that attach, and what can be seen of one.
//!
//! [`spawn()`], [`scope`] and [`Builder`] are the ways to spawn; see [`ThreadHandle`](crate::ThreadHandle)
//! for the rest.

// From the bottom up: `gate`, `table` and `interrupt` are the kernels that other threads touch without a
// lock, `values` are what the table leads to; an `entry` is all that is known of a thread; `current` is
// the calling thread's (I6). `register` makes it at the first `attach`, `modules` begins
// with modules, a `visit` at depth 0 lets go of them, `teardown` takes the entry away at a detach or at the
// thread's `exit`.

pub(crate) mod attach;
pub(crate) mod building;
pub(crate) mod current;
pub(crate) mod each;
pub(crate) mod entry;
pub(crate) mod exit;
pub(crate) mod gate;
pub(crate) mod handle;
pub(crate) mod identity;
mod interrupt;
pub(crate) mod modules;
mod register;
pub(crate) mod spawn;
pub(crate) mod table;
mod teardown;
pub(crate) mod values;
mod visit;

pub use identity::{ThreadId, ThreadState};
pub use spawn::{Builder, JoinHandle, Scope, scope, spawn};
