//! What the locks ask of the kernel, and what becomes of them if it lies.
//!
//! Compiles the locks' own files against a [`sys::futex`] that is a test's: each thread brings its own, and one
//! that has none may not sleep nor wake. Nobody spins, so who has to wait sleeps at once.
#![allow(dead_code, unreachable_pub, reason = "the words' other callers are not here")]

#[path = "../../../tsrm-core/src/sync/raw/queue.rs"]
mod queue;
#[path = "../../../tsrm-core/src/sync/raw/spin.rs"]
mod spin;
#[path = "../../../tsrm-core/src/sync/raw/srw_word.rs"]
mod srw_word;
#[path = "../../../tsrm-core/src/sync/raw/sux_word.rs"]
mod sux_word;

mod primitive;
mod sys;

mod sync {
    /// Watches nothing.
    pub(crate) mod watch {
        pub(crate) fn spun() {}
        pub(crate) fn parked() {}
        pub(crate) fn woke() {}
    }
}

mod asleep;
mod lies;
mod script;
mod uncontended;

use srw_word::SrwWord;
use sux_word::SuxWord;

/// A lock that lives as long as any closure.
fn mutex() -> &'static SrwWord {
    Box::leak(Box::new(SrwWord::new()))
}

/// As above.
fn sux() -> &'static SuxWord {
    Box::leak(Box::new(SuxWord::new()))
}

/// All that a lock is.
fn bytes<W>(word: &W) -> Vec<u8> {
    let bytes = std::ptr::from_ref(word).cast::<std::sync::atomic::AtomicU8>();
    // SAFETY: the words are atomics and have no padding, and nobody else has them.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, size_of::<W>()) };
    bytes.iter().map(|byte| byte.load(std::sync::atomic::Ordering::Relaxed)).collect()
}

#[test]
fn sizes() {
    use tsrm::sync::{SrwMutex, SuxLock, raw};

    assert_eq!((size_of::<SrwWord>(), size_of::<SuxWord>()), (4, 8));
    assert_eq!((size_of::<raw::Mutex<()>>(), size_of::<raw::RwLock<()>>()), (4, 8));
    assert!(size_of::<SrwMutex<()>>() <= 4);
    assert!(size_of::<SuxLock<()>>() <= 8);
}

/// So memory that is full of zeros is full of locks.
#[test]
fn zeros_are_unlocked() {
    assert_eq!(bytes(mutex()), [0; 4]);
    assert_eq!(bytes(sux()), [0; 8]);
}
