//! How many system calls there are.

use std::ptr;
use std::sync::atomic::AtomicU32;
use std::thread;

use crate::srw_word::SrwWord;
use crate::sux_word::SuxWord;
use crate::sys::futex::{self, Counts};
use crate::{Acquire, until, words_of};

fn everything_alone(lock: &SuxWord) {
    for _ in 0..3 {
        lock.shared();
        lock.shared();
        lock.release_shared();
        assert!(lock.try_shared_to_update());
        lock.upgraded();
        lock.exclusive_to_update();
        assert!(lock.try_upgrade());
        lock.exclusive_to_shared();
        lock.release_shared();
        lock.update();
        assert!(!lock.try_update() && !lock.try_exclusive());
        lock.shared();
        lock.release_shared();
        lock.update_to_shared();
        lock.release_shared();
        lock.exclusive();
        assert!(!lock.try_shared());
        lock.release_exclusive();
    }
}

#[test]
fn none_of_who_is_alone() {
    let counts = Counts::begin();
    everything_alone(&SuxWord::new());
    let mutex = SrwWord::new();
    for _ in 0..3 {
        mutex.lock();
        assert!(!mutex.try_lock());
        mutex.unlock();
    }
    assert_eq!((counts.waits(), counts.wakes()), (0, 0));
}

/// The others come while one is in, all sleep, it leaves: so many wakes were asked for, and none behind that.
fn wakes<const N: usize>(
    enter: fn(&SuxWord),
    others: [fn(&SuxWord); N],
    leave: fn(&SuxWord),
) -> u32 {
    let counts = Counts::begin();
    let lock = &SuxWord::new();
    enter(lock);
    thread::scope(|scope| {
        for (number, other) in others.into_iter().enumerate() {
            scope.spawn(move || other(lock));
            // They come one after the other, and each is about to sleep.
            until(|| counts.waits() as usize > number);
        }
        leave(lock);
    });
    let wakes = counts.wakes();
    assert_eq!(words_of(lock), [0, 0]);
    everything_alone(lock);
    assert_eq!(counts.wakes(), wakes);
    wakes
}

fn reader(lock: &SuxWord) {
    lock.shared();
    lock.release_shared();
}

fn updater(lock: &SuxWord) {
    lock.update();
    lock.release_update();
}

fn writer(lock: &SuxWord) {
    lock.exclusive();
    lock.release_exclusive();
}

#[test]
fn one_for_one_that_sleeps() {
    assert_eq!(wakes(SuxWord::exclusive, [reader], SuxWord::release_exclusive), 1);
    assert_eq!(wakes(SuxWord::exclusive, [updater], SuxWord::release_exclusive), 1);
    assert_eq!(wakes(SuxWord::exclusive, [writer], SuxWord::release_exclusive), 1);
    assert_eq!(wakes(SuxWord::update, [updater], SuxWord::release_update), 1);
    assert_eq!(wakes(SuxWord::update, [writer], SuxWord::release_update), 1);
    assert_eq!(wakes(SuxWord::shared, [writer], SuxWord::release_shared), 1);

    let counts = Counts::begin();
    let mutex = &SrwWord::new();
    mutex.lock();
    thread::scope(|scope| {
        scope.spawn(|| {
            mutex.lock();
            mutex.unlock();
        });
        until(|| counts.waits() > 0);
        mutex.unlock();
    });
    assert_eq!((counts.wakes(), words_of(mutex)), (1, [0]));
}

#[test]
fn one_for_all_readers() {
    let readers: [fn(&SuxWord); 5] = [reader; 5];
    assert_eq!(wakes(SuxWord::exclusive, readers, SuxWord::release_exclusive), 1);
}

#[test]
fn one_for_a_writer_by_the_last_reader_only() {
    let enter = |lock: &SuxWord| (0..5).for_each(|_| lock.shared());
    let leave = |lock: &SuxWord| (0..5).for_each(|_| lock.release_shared());
    assert_eq!(wakes(enter, [writer], leave), 1);
}

#[test]
fn one_for_each_of_a_chain() {
    assert_eq!(wakes(SuxWord::update, [updater, writer, updater], SuxWord::release_update), 3);
}

/// While who was woken is on its way, others come and go as if nobody waited.
#[test]
fn none_while_one_is_on_its_way() {
    let counts = Counts::begin();
    counts.delay(true);
    let (lock, mutex) = (&SuxWord::new(), &SrwWord::new());
    lock.exclusive();
    mutex.lock();
    thread::scope(|scope| {
        scope.spawn(|| updater(lock));
        until(|| counts.waits() > 0);
        scope.spawn(|| {
            mutex.lock();
            mutex.unlock();
        });
        until(|| counts.waits() > 1);
        lock.release_exclusive();
        mutex.unlock();
        assert_eq!(counts.wakes(), 2);
        for _ in 0..100 {
            everything_alone(lock);
            mutex.lock();
            mutex.unlock();
        }
        assert_eq!((counts.waits(), counts.wakes()), (2, 2));
        counts.delay(false);
        // Not before they sleep, or else they see what has changed and do not.
        for word in words(lock).iter().chain(words(mutex)) {
            futex::wake_all(word);
        }
    });
    assert_eq!((counts.wakes(), words_of(lock), words_of(mutex)), (2, [0, 0], [0]));
}

fn words<W>(lock: &W) -> &[AtomicU32] {
    let count = size_of::<W>() / size_of::<AtomicU32>();
    // SAFETY: a lock is made of atomic words and nothing else (I14).
    unsafe { std::slice::from_raw_parts(ptr::from_ref(lock).cast(), count) }
}
