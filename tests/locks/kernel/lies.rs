//! Sleeps that end for no reason, and wakes of those that were not meant: nobody is in who must not be, and everybody
//! gets through.

use std::cell::UnsafeCell;
use std::thread;
use std::time::Duration;

use crate::primitive::Instant;
use crate::srw_word::SrwWord;
use crate::sux_word::SuxWord;
use crate::sys::futex::Counts;
use crate::{Acquire, words_of};

const THREADS: u64 = 6;
const ROUNDS: u64 = 3000;

struct Guarded<W> {
    word: W,
    value: UnsafeCell<[u64; 2]>,
}

// SAFETY: the value is reached by who holds the lock (I14).
unsafe impl<W: Sync> Sync for Guarded<W> {}

impl<W> Guarded<W> {
    fn new(word: W) -> Self {
        Self { word, value: UnsafeCell::new([0; 2]) }
    }

    fn write(&self) {
        // SAFETY: held exclusively (I14).
        let value = unsafe { &mut *self.value.get() };
        value[0] += 1;
        // Where another one would see the half of it.
        std::hint::black_box(&mut *value);
        value[1] += 1;
    }

    fn read(&self) -> [u64; 2] {
        // SAFETY: held (I14).
        let value = unsafe { *self.value.get() };
        assert_eq!(value[0], value[1]);
        value
    }
}

#[test]
fn of_a_mutex() {
    let counts = Counts::begin();
    counts.lie();
    let mutex = &Guarded::new(SrwWord::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    let waits_a_little = || mutex.word.lock_contended(Some(soon(round)));
                    match round % 4 {
                        0 => while !(mutex.word.try_lock() || waits_a_little()) {},
                        _ => mutex.word.lock(),
                    }
                    mutex.write();
                    if round % 16 == 0 {
                        thread::yield_now();
                    }
                    mutex.word.unlock();
                }
            });
        }
    });
    assert_eq!((mutex.read(), words_of(&mutex.word)), ([THREADS * ROUNDS; 2], [0]));
}

#[test]
fn of_a_lock() {
    let counts = Counts::begin();
    counts.lie();
    let lock = &Guarded::new(SuxWord::new());
    let writes = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                scope.spawn(move || (0..ROUNDS).map(|n| turn(lock, number + n)).sum::<u64>())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>()
    });
    // Who gave up may have left the mark that somebody sleeps.
    lock.word.exclusive();
    lock.word.release_exclusive();
    assert_eq!((lock.read(), words_of(&lock.word)), ([writes; 2], [0, 0]));
}

/// One of the ways to hold it. Returns how often it has written.
fn turn(lock: &Guarded<SuxWord>, number: u64) -> u64 {
    let word = &lock.word;
    let wait = || {
        if number % 16 < 8 {
            thread::yield_now()
        }
    };
    match number % 9 {
        0 => {
            word.shared();
            lock.read();
            wait();
            word.release_shared();
            0
        }
        1 => {
            word.exclusive();
            lock.write();
            wait();
            word.release_exclusive();
            1
        }
        2 => {
            word.update();
            let before = lock.read();
            wait();
            word.upgraded();
            assert_eq!(lock.read(), before);
            lock.write();
            word.exclusive_to_shared();
            lock.read();
            word.release_shared();
            1
        }
        3 => {
            word.exclusive();
            lock.write();
            word.exclusive_to_update();
            lock.read();
            wait();
            word.release_update();
            1
        }
        4 => {
            if !word.exclusive_contended(Some(soon(number))) {
                return 0;
            }
            lock.write();
            wait();
            word.release_exclusive();
            1
        }
        5 => {
            word.update();
            lock.read();
            let is_exclusive = word.upgrade() || word.upgrade_contended(Some(soon(number)));
            if is_exclusive {
                lock.write();
                word.release_exclusive();
            } else {
                lock.read();
                word.release_update();
            }
            u64::from(is_exclusive)
        }
        6 => {
            word.update();
            lock.read();
            word.update_to_shared();
            lock.read();
            wait();
            word.release_shared();
            0
        }
        7 => {
            word.shared();
            let before = lock.read();
            let is_update = word.try_shared_to_update();
            assert_eq!(lock.read(), before);
            if !is_update {
                word.release_shared();
                return 0;
            }
            wait();
            word.upgraded();
            assert_eq!(lock.read(), before);
            lock.write();
            word.release_exclusive();
            1
        }
        _ => {
            if word.shared_contended(Some(soon(number))) {
                lock.read();
                wait();
                word.release_shared();
            }
            0
        }
    }
}

/// At once, or in some microseconds.
fn soon(number: u64) -> Instant {
    Instant::after(Duration::from_micros(number % 40))
}
