//! The word of a mutex.
//!
//! | bits | name | meaning |
//! |---|---|---|
//! | 0 | `HOLDER` | somebody holds the mutex |
//! | 1 | `WAKING` | a waiter was woken, or is awake, and will look at `HOLDER` |
//! | 2.. | `WAITER` | how many threads wait: from before they first sleep until they have it or give up |
//!
//! A release is one addition; what the word was says whether anybody is to be woken, so nobody is woken in vain.
//! `WAKING` keeps the releases that follow from waking more: on a busy mutex one waiter at a time is on its way.
//!
//! - A thread sleeps only while the word is `HOLDER` without `WAKING`, which the kernel compares; before that it
//!   takes `WAKING` away, so whoever had been woken, or was meant to be, looks again by itself.
//! - Who takes `WAKING` away holds the mutex, or looks at `HOLDER` behind that.
//! - So where `HOLDER` is clear and somebody sleeps, `WAKING` is set and an awake thread is behind it, or the thread
//!   that released is about to set it.
//!
//! The state is that of InnoDB's `srw_mutex` (MariaDB), to which `WAKING` was added, which is Go's `mutexWoken`.

use super::spin::{Spin, has_passed};
use crate::primitive::{AtomicU32, Instant, Ordering, constructor};
use crate::sync::watch;
use crate::sys::{Queue, futex};

const HOLDER: u32 = 1 << 0;
const WAKING: u32 = 1 << 1;
const WAITER: u32 = 1 << 2;

/// A mutex without a value: nobody owns it, whoever knows that it is held may release it.
pub(crate) struct SrwWord {
    word: AtomicU32,
}

constructor! {
    impl SrwWord {
        /// Nobody holds it. All bytes are 0.
        pub(crate) fn new() -> Self {
            Self { word: AtomicU32::new(0) }
        }
    }
}

impl SrwWord {
    #[inline]
    pub(crate) fn is_locked(&self) -> bool {
        self.word.load(Ordering::Relaxed) & HOLDER != 0
    }

    /// One bit test and set; also ahead of those that wait.
    #[inline]
    pub(crate) fn try_lock(&self) -> bool {
        // Acquire: pairs with the Release in `unlock`.
        self.word.fetch_or(HOLDER, Ordering::Acquire) & HOLDER == 0
    }

    /// Waits for the mutex. False if the deadline passed first.
    #[cold]
    #[inline(never)]
    pub(crate) fn lock_contended(&self, deadline: Option<Instant>) -> bool {
        let mut spin = Spin::new();
        // Looks before it writes: a failing `try_lock` would take the line from the holder.
        while spin.again() {
            if has_passed(deadline) {
                return false;
            }
            watch::spun();
            if !self.is_locked() && self.try_lock() {
                return true;
            }
        }
        // Relaxed: the count only has to be in the word that the holder's release changes.
        let mut now = self.word.fetch_add(WAITER, Ordering::Relaxed) + WAITER;
        loop {
            if now & HOLDER == 0 {
                // Acquire: as in `try_lock`.
                match self.word.compare_exchange_weak(
                    now,
                    ((now - WAITER) | HOLDER) & !WAKING,
                    Ordering::Acquire,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => return true,
                    Err(changed) => now = changed,
                }
                continue;
            }
            if has_passed(deadline) {
                self.give_up();
                return false;
            }
            if spin.again() {
                watch::spun();
                now = self.word.load(Ordering::Relaxed);
                continue;
            }
            if now & WAKING != 0 {
                if let Err(changed) = self.word.compare_exchange_weak(
                    now,
                    now & !WAKING,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                ) {
                    now = changed;
                    continue;
                }
                now &= !WAKING;
            }
            watch::parked();
            futex::wait(&self.word, now, Queue::One, deadline);
            spin = Spin::new();
            now = self.word.load(Ordering::Relaxed);
        }
    }

    /// Is no waiter any more. If it was the one that had been woken, another one is.
    #[cold]
    fn give_up(&self) {
        let mut now = self.word.load(Ordering::Relaxed);
        loop {
            match self.word.compare_exchange_weak(
                now,
                (now - WAITER) & !WAKING,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(changed) => now = changed,
            }
        }
        self.wake_one();
    }

    /// The mutex is held. One addition if nobody waits.
    #[inline]
    pub(crate) fn unlock(&self) {
        // Release: pairs with the Acquire of the next holder.
        if self.word.fetch_sub(HOLDER, Ordering::Release) != HOLDER {
            self.wake_one();
        }
    }

    /// Wakes a waiter, unless one is awake or somebody holds the mutex, whose release will come here.
    #[cold]
    #[inline(never)]
    fn wake_one(&self) {
        let mut now = self.word.load(Ordering::Relaxed);
        while now >= WAITER && now & (HOLDER | WAKING) == 0 {
            match self.word.compare_exchange_weak(
                now,
                now | WAKING,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    watch::woke();
                    return futex::wake(&self.word, 1, Queue::One);
                }
                Err(changed) => now = changed,
            }
        }
    }
}
