//! Sleeping on a word where the kernel has no futex: a table of the threads that sleep, each on a condition
//! variable of its own. The locks above are the same, bit for bit.
//!
//! The table is one of the runtime's own: whoever shares a lock with another copy of this crate shares it too.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Queue;

const BUCKETS: usize = 64;

static TABLE: [Mutex<Bucket>; BUCKETS] = [const { Mutex::new(Bucket::new()) }; BUCKETS];

/// Those that sleep on words with the same hash, in the order in which they came.
struct Bucket {
    first: *const Sleeper,
    last: *const Sleeper,
}

// SAFETY: the pointers are followed under the bucket's mutex only, while who sleeps there is linked (I14).
unsafe impl Send for Bucket {}

/// A thread that sleeps. On its stack, and linked until it is woken or unlinks itself, both under the bucket's mutex.
struct Sleeper {
    word: *const AtomicU32,
    queue: Queue,
    woken: Condvar,
    is_linked: Cell<bool>,
    next: Cell<*const Sleeper>,
}

/// Sleeps in a queue of `word` while that is `expected`, until a [`wake`] of this queue or the deadline; or for no
/// reason at all. So the caller looks again, at the clock too.
pub(crate) fn wait(word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>) {
    let sleeper = Sleeper {
        word,
        queue,
        woken: Condvar::new(),
        is_linked: Cell::new(false),
        next: Cell::new(ptr::null()),
    };
    let mut bucket = bucket(word);
    // Relaxed: who changes the word and then wakes, takes this mutex in between.
    if word.load(Ordering::Relaxed) != expected {
        return;
    }
    bucket.push(&sleeper);
    while sleeper.is_linked.get() {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        bucket = match left {
            None => sleeper.woken.wait(bucket).unwrap_or_else(PoisonError::into_inner),
            Some(left) if left.is_zero() => {
                bucket.remove(|other| ptr::eq(other, &sleeper));
                return;
            }
            Some(left) => {
                sleeper.woken.wait_timeout(bucket, left).unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

/// Wakes up to `count` threads that sleep in a queue of `word`.
pub(crate) fn wake(word: &AtomicU32, count: u32, queue: Queue) {
    let mut bucket = bucket(word);
    for _ in 0..count {
        let is_meant = |sleeper: &Sleeper| ptr::eq(sleeper.word, word) && sleeper.queue == queue;
        // Under the mutex: it goes on only behind this, and its condition variable with it.
        let Some(sleeper) = bucket.remove(is_meant) else { return };
        sleeper.woken.notify_one();
    }
}

fn bucket(word: *const AtomicU32) -> MutexGuard<'static, Bucket> {
    let hash = (word.addr() / align_of::<AtomicU32>()).wrapping_mul(0x9E37_79B9) >> 16;
    lock(&TABLE[hash % BUCKETS])
}

/// Nothing panics while it is held.
fn lock(bucket: &'static Mutex<Bucket>) -> MutexGuard<'static, Bucket> {
    bucket.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bucket {
    const fn new() -> Self {
        Self { first: ptr::null(), last: ptr::null() }
    }

    fn push(&mut self, sleeper: &Sleeper) {
        sleeper.is_linked.set(true);
        // SAFETY: linked, so it is there (I14).
        match unsafe { self.last.as_ref() } {
            Some(last) => last.next.set(sleeper),
            None => self.first = sleeper,
        }
        self.last = sleeper;
    }

    /// Unlinks the first such one.
    fn remove(&mut self, is_meant: impl Fn(&Sleeper) -> bool) -> Option<&Sleeper> {
        let mut before: Option<&Sleeper> = None;
        let mut next = self.first;
        // SAFETY: linked, so it is there (I14).
        while let Some(sleeper) = unsafe { next.as_ref() } {
            next = sleeper.next.get();
            if is_meant(sleeper) {
                match before {
                    Some(before) => before.next.set(next),
                    None => self.first = next,
                }
                if next.is_null() {
                    self.last = before.map_or(ptr::null(), ptr::from_ref);
                }
                sleeper.is_linked.set(false);
                return Some(sleeper);
            }
            before = Some(sleeper);
        }
        None
    }
}

/// The mutexes of the table, from before a fork until after it.
type Held = [Option<MutexGuard<'static, Bucket>>; BUCKETS];

thread_local! {
    /// Without a destructor, so that also a destructor may fork; on nobody's heap.
    static HELD: ManuallyDrop<RefCell<Held>> =
        const { ManuallyDrop::new(RefCell::new([const { None }; BUCKETS])) };
}

/// The child shall not find a bucket that somebody has locked which it does not have.
pub(crate) fn before_fork() {
    HELD.with(|held| {
        for (held, bucket) in held.borrow_mut().iter_mut().zip(&TABLE) {
            *held = Some(lock(bucket));
        }
    });
}

pub(crate) fn after_fork_in_parent() {
    HELD.with(|held| held.borrow_mut().fill_with(|| None));
}

/// Those that slept are not there.
pub(crate) fn after_fork_in_child() {
    HELD.with(|held| {
        for held in held.borrow_mut().iter_mut() {
            if let Some(bucket) = held {
                **bucket = Bucket::new();
            }
            *held = None;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn sleepers(word: &AtomicU32) -> usize {
        let bucket = bucket(word);
        let mut next = bucket.first;
        let mut count = 0;
        // SAFETY: linked, so it is there (I14).
        while let Some(sleeper) = unsafe { next.as_ref() } {
            count += usize::from(ptr::eq(sleeper.word, word));
            next = sleeper.next.get();
        }
        count
    }

    /// Each queue of a word is woken by itself, whoever came first.
    #[test]
    fn queues_are_apart() {
        for queues in [[Queue::Readers, Queue::Holder], [Queue::Holder, Queue::Readers]] {
            let word = &AtomicU32::new(7);
            wait(word, 8, Queue::One, None);
            thread::scope(|scope| {
                let threads = [0, 1].map(|number| {
                    let thread = scope.spawn(move || wait(word, 7, queues[number], None));
                    while sleepers(word) <= number {
                        thread::yield_now();
                    }
                    thread
                });
                wake(word, 1, Queue::One);
                assert_eq!(sleepers(word), 2);
                let [first, second] = threads;
                wake(word, 5, queues[1]);
                second.join().unwrap();
                assert!(!first.is_finished());
                assert_eq!(sleepers(word), 1);
                wake(word, 1, queues[0]);
                first.join().unwrap();
                assert_eq!(sleepers(word), 0);
            });
        }
    }

    #[test]
    fn deadlines_unlink() {
        let word = AtomicU32::new(0);
        wait(&word, 0, Queue::One, Some(Instant::now()));
        assert_eq!(sleepers(&word), 0);
    }
}
