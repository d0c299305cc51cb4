//! Sleeping on a word, exactly: who sleeps is counted by nobody else, and a wake wakes no more than it should.
//!
//! Loom runs all threads of a model on one, and switches only where a thread does something to loom's objects. So
//! what is done between two such places is one step, and the table of those who sleep needs no lock, which would
//! tell threads more of each other than the kernel does.

use std::cell::{Cell, RefCell};
use std::ptr;

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread::{self, Thread};

use super::clock::{self, Instant};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queue {
    One,
    Readers,
    Holder,
}

struct Sleeper {
    word: *const AtomicU32,
    queue: Queue,
    is_timed: bool,
    thread: Thread,
}

thread_local! {
    /// In the order in which they came.
    static SLEEPERS: RefCell<Vec<Sleeper>> = const { RefCell::new(Vec::new()) };
    static HAS_STRUCK: Cell<bool> = const { Cell::new(false) };
}

/// Compares and sleeps in one step.
pub(crate) fn wait(word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>) {
    let is_timed = deadline.is_some();
    if is_timed {
        clock::is_looked_at();
    }
    if newest(word) != expected || is_timed && HAS_STRUCK.get() {
        return;
    }
    let sleeper = Sleeper { word, queue, is_timed, thread: thread::current() };
    SLEEPERS.with_borrow_mut(|sleepers| sleepers.push(sleeper));
    thread::park();
}

pub(crate) fn wake(word: &AtomicU32, count: u32, queue: Queue) {
    // The step that decides who is there to be woken.
    newest(word);
    for _ in 0..count {
        let is_meant = |sleeper: &Sleeper| ptr::eq(sleeper.word, word) && sleeper.queue == queue;
        if !end_sleep(is_meant) {
            return;
        }
    }
}

pub(super) fn start() {
    HAS_STRUCK.set(false);
    assert!(SLEEPERS.with_borrow(Vec::is_empty));
}

/// Ends the sleep of all that do not sleep for ever, one after the other.
pub(super) fn strike() {
    HAS_STRUCK.set(true);
    let words: Vec<_> = SLEEPERS.with_borrow(|sleepers| {
        sleepers.iter().filter(|sleeper| sleeper.is_timed).map(|sleeper| sleeper.word).collect()
    });
    for word in words {
        // SAFETY: the lock lives as long as the model.
        newest(unsafe { &*word });
        end_sleep(|sleeper| sleeper.is_timed && sleeper.word == word);
    }
}

fn end_sleep(is_meant: impl Fn(&Sleeper) -> bool) -> bool {
    let sleeper = SLEEPERS.with_borrow_mut(|sleepers| {
        sleepers.iter().position(is_meant).map(|index| sleepers.remove(index))
    });
    sleeper.inspect(|sleeper| sleeper.thread.unpark()).is_some()
}

/// What is in the word, as its next writer will find it. For loom that is a step by which it is changed.
pub(super) fn newest(word: &AtomicU32) -> u32 {
    const NEVER: u32 = u32::MAX;
    word.compare_exchange(NEVER, NEVER, Ordering::Relaxed, Ordering::Relaxed)
        .unwrap_or_else(|now| now)
}
