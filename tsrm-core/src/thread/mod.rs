//! Threads: their entries, their way in and out, and ways to spawn them.
//!
//! A thread is the content of its TLS (I6): [`current`] holds the address of its [`entry`].
//! [`register`] makes the entry at the first attach, [`teardown`] takes it away at a detach or at
//! the thread's [`exit`]. [`values`] and [`interrupt`] are the two kernels that other threads touch
//! without a lock.

pub(crate) mod current;
pub(crate) mod entry;
pub(crate) mod exit;
mod handle;
mod interrupt;
mod register;
mod spawn;
mod teardown;
pub(crate) mod values;

pub use entry::{ThreadId, ThreadState};
pub use handle::{Interrupt, ThreadHandle};
pub use spawn::{Builder, JoinHandle, Scope, scope, spawn};

pub(crate) use spawn::detached_after;
