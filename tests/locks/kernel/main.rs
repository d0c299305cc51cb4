//! The locks' words on a [`futex`](sys::futex) that counts, delays and lies: which paths make a system call, how many
//! wakes there are, and that nothing is believed of what the kernel answers.
//!
//! Here are the kernels' own files, and what they name.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the kernels' other callers are not here"
)]

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
    pub(crate) mod watch {
        pub(crate) fn spun() {}
        pub(crate) fn parked() {}
        pub(crate) fn woke() {}
    }
}

mod alone;
mod asleep;
mod calls;
mod lies;
mod script;

use std::thread;

use srw_word::SrwWord;
use sux_word::SuxWord;

#[test]
fn mode() {
    // The CI compares this line with the mode that it asked for.
    println!("mode: {}", tsrm::MODE);
}

/// Their words, and nothing else; all zero if nobody is in.
#[test]
fn words() {
    use tsrm::sync::{SrwMutex, SuxLock, raw};

    assert_eq!((size_of::<SrwWord>(), size_of::<SuxWord>()), (4, 8));
    assert_eq!((size_of::<raw::Mutex<()>>(), size_of::<raw::RwLock<()>>()), (4, 8));
    assert!(size_of::<SrwMutex<()>>() <= 4 && size_of::<SuxLock<()>>() <= 8);
    assert_eq!(words_of(&SrwWord::new()), [0]);
    assert_eq!(words_of(&SuxWord::new()), [0, 0]);
}

fn words_of<W, const N: usize>(lock: &W) -> [u32; N] {
    assert_eq!(size_of::<W>(), size_of::<[u32; N]>());
    // SAFETY: a lock is made of atomic words and nothing else (I14).
    let words = unsafe { &*std::ptr::from_ref(lock).cast::<[primitive::AtomicU32; N]>() };
    words.each_ref().map(|word| word.load(primitive::Ordering::Relaxed))
}

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

/// As the API does them.
trait Acquire {
    fn lock(&self);
}

impl Acquire for SrwWord {
    fn lock(&self) {
        assert!(self.try_lock() || self.lock_contended(None));
    }
}

impl SuxWord {
    fn shared(&self) {
        assert!(self.try_shared() || self.shared_contended(None));
    }

    fn update(&self) {
        assert!(self.try_update() || self.update_contended(None));
    }

    fn exclusive(&self) {
        assert!(self.try_exclusive() || self.exclusive_contended(None));
    }

    fn upgraded(&self) {
        assert!(self.upgrade() || self.upgrade_contended(None));
    }
}
