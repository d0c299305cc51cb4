//! The building blocks that a model checker must be able to replace.
//!
//! The only home of `cfg(loom)`. The kernels that are checked exhaustively (`thread/gate.rs`,
//! `thread/interrupt.rs`, `thread/table.rs`, `stats/cells.rs`, `stats/shards.rs`, `sync/raw/`) take their atomics from
//! here and little else from this crate, so the model package compiles those very files against loom's
//! types.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

// 64-bit atomics through `portable-atomic`: some 32-bit targets have none of their own.
#[cfg(not(loom))]
pub(crate) use {
    core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence},
    portable_atomic::AtomicU64,
    std::hint::spin_loop as pause,
    std::thread::yield_now,
    std::time::Instant,
};

/// How often a thread looks again before it sleeps: after short pauses, and after giving the processor away.
#[cfg(not(loom))]
pub(crate) const PAUSES: u32 = 3;
#[cfg(not(loom))]
pub(crate) const YIELDS: u32 = 7;

// In a model a thread that looks again is one that was scheduled a little later. Its clock is the model's.
#[cfg(loom)]
pub(crate) use {crate::clock::Instant, loom::hint::spin_loop as pause, loom::thread::yield_now};
#[cfg(loom)]
pub(crate) const PAUSES: u32 = 0;
#[cfg(loom)]
pub(crate) const YIELDS: u32 = 0;

/// An `impl` whose functions are `const`, which they cannot be with the model's atomics.
macro_rules! constructor {
    (impl $type:ident { $(#[$attribute:meta])* $vis:vis fn $name:ident() -> Self { $value:expr } }) => {
        impl $type {
            $(#[$attribute])*
            #[cfg(not(loom))]
            $vis const fn $name() -> Self {
                $value
            }

            $(#[$attribute])*
            #[cfg(loom)]
            $vis fn $name() -> Self {
                $value
            }
        }
    };
}
pub(crate) use constructor;

/// The near half of an asymmetric fence: keeps the compiler from moving accesses across it. What the
/// processor moves, the far half ([`sys::barrier`](crate::sys::barrier)) takes care of, by having all
/// threads of the process run a full fence. (For the model both halves are full fences: the far half
/// puts one somewhere between any two instructions of this thread, and the model tries one place of
/// them, the one that matters.)
#[inline(always)]
pub(crate) fn near_fence() {
    #[cfg(not(loom))]
    core::sync::atomic::compiler_fence(Ordering::SeqCst);
    #[cfg(loom)]
    fence(Ordering::SeqCst);
}
