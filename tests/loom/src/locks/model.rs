//! How a model is run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicU32;
use loom::thread::{self, JoinHandle};

use super::clock;

/// A lock with a value, which loom watches.
pub(super) struct Guarded<W> {
    pub(super) word: W,
    value: UnsafeCell<u32>,
    holder: UnsafeCell<()>,
}

impl<W> Guarded<W> {
    pub(super) fn read(&self) -> u32 {
        // SAFETY: loom checks that nobody writes.
        self.value.with(|value| unsafe { *value })
    }

    /// Adds 1. Returns how often it did, which is 1.
    pub(super) fn write(&self) -> u32 {
        // SAFETY: loom checks that nobody else reads or writes.
        self.value.with_mut(|value| unsafe { *value += 1 });
        1
    }

    /// For who holds U or X: each of them knows what the one before it did, whether that wrote or not.
    pub(super) fn hold(&self) {
        // Nothing to write: loom checks that nobody else does so meanwhile.
        self.holder.with_mut(|_| ());
    }

    /// The words, in any order.
    pub(super) fn words<const N: usize>(&self) -> [u32; N] {
        const { assert!(size_of::<W>() == size_of::<[AtomicU32; N]>()) };
        let words = std::ptr::from_ref(&self.word).cast::<[AtomicU32; N]>();
        // SAFETY: a lock is made of its words and nothing else.
        unsafe { &*words }.each_ref().map(|word| word.load(Ordering::Relaxed))
    }
}

/// A thread of a model: returns how often it has written.
pub(super) type Part<W> = fn(&Guarded<W>) -> u32;

pub(super) fn spawn<W: 'static>(
    lock: &Arc<Guarded<W>>,
    part: impl FnOnce(&Guarded<W>) -> u32 + 'static,
) -> JoinHandle<u32> {
    let lock = Arc::clone(lock);
    thread::spawn(move || part(&lock))
}

/// Waits for them. Returns how often they have written.
pub(super) fn join<const N: usize>(threads: [JoinHandle<u32>; N]) -> u32 {
    threads.into_iter().map(|thread| thread.join().unwrap()).sum()
}

/// Everything that may happen with up to so many preemptions.
pub(super) struct Model {
    pub(super) name: &'static str,
    pub(super) preemptions: Option<usize>,
}

impl Model {
    /// Runs these threads. `WORDS` is how many words the lock has.
    pub(super) fn check<W: 'static, const WORDS: usize, const N: usize>(
        &self,
        new: fn() -> W,
        parts: [Part<W>; N],
    ) {
        self.check_main::<W, WORDS>(new, move |lock| join(parts.map(|part| spawn(lock, part))));
    }

    /// Runs that on the first thread, which may spawn others.
    pub(super) fn check_main<W: 'static, const WORDS: usize>(
        &self,
        new: fn() -> W,
        main: impl Fn(&Arc<Guarded<W>>) -> u32 + Send + Sync + 'static,
    ) {
        let times = Arc::new(AtomicUsize::new(0));
        let mut model = loom::model::Builder::new();
        model.preemption_bound = self.preemptions;
        model.check({
            let times = Arc::clone(&times);
            move || {
                times.fetch_add(1, Ordering::Relaxed);
                clock::start();
                let lock = Arc::new(Guarded {
                    word: new(),
                    value: UnsafeCell::new(0),
                    holder: UnsafeCell::new(()),
                });
                let written = main(&lock);
                assert_eq!(lock.read(), written);
                assert_eq!(lock.words(), [0; WORDS]);
            }
        });
        println!("{}: {} times", self.name, times.load(Ordering::Relaxed));
    }
}
