//! The building blocks that a model checker must be able to replace.
//!
//! The only home of `cfg(loom)`. The kernels that are checked exhaustively (`thread/interrupt.rs`,
//! `thread/values.rs`) take their atomics from here and nothing else from this crate, so the model
//! package compiles those very files against loom's types.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};

// 64-bit atomics through `portable-atomic`: some 32-bit targets have none of their own.
#[cfg(not(loom))]
pub(crate) use {
    core::sync::atomic::{AtomicPtr, Ordering, fence},
    portable_atomic::AtomicU64,
};
