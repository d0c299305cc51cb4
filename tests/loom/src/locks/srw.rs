//! The mutex.

use super::clock::{self, Instant};
use super::model::{Guarded, Model, join, spawn};
use super::srw_word::SrwWord;

type Mutex = Guarded<SrwWord>;

impl Mutex {
    fn lock(&self) {
        assert!(self.word.try_lock() || self.word.lock_contended(None));
    }

    fn lock_until_morning(&self) -> bool {
        self.word.try_lock() || self.word.lock_contended(Some(Instant::MORNING))
    }
}

fn check<const N: usize>(
    name: &'static str,
    preemptions: Option<usize>,
    parts: [fn(&Mutex) -> u32; N],
) {
    Model { name, preemptions }.check::<SrwWord, 1, N>(SrwWord::new, parts);
}

fn locks(mutex: &Mutex) -> u32 {
    mutex.lock();
    let written = mutex.write();
    mutex.word.unlock();
    written
}

fn tries(mutex: &Mutex) -> u32 {
    if !mutex.word.try_lock() {
        return 0;
    }
    let written = mutex.write();
    mutex.word.unlock();
    written
}

fn locks_twice(mutex: &Mutex) -> u32 {
    locks(mutex) + locks(mutex)
}

fn waits_until_morning(mutex: &Mutex) -> u32 {
    if !mutex.lock_until_morning() {
        return 0;
    }
    let written = mutex.write();
    mutex.word.unlock();
    written
}

fn strikes(_: &Mutex) -> u32 {
    clock::strike();
    0
}

#[test]
fn two_lock() {
    check("two lock", None, [locks, locks]);
}

#[test]
fn two_lock_twice() {
    check("two lock twice", Some(3), [locks_twice, locks_twice]);
}

#[test]
fn three_lock() {
    check("three lock", Some(3), [locks, locks, locks]);
}

#[test]
fn one_comes_between() {
    check("one comes between", Some(3), [locks, locks, tries]);
}

#[test]
fn one_waits_until_morning() {
    check("one waits until morning", Some(3), [locks, waits_until_morning, strikes]);
}

/// The wake that is meant for who gives up is passed on.
#[test]
fn one_gives_up_beside_another() {
    check("one gives up beside another", Some(2), [locks, waits_until_morning, locks, strikes]);
}

/// The first thread has it when the others come, then does so.
fn check_main<const N: usize>(
    name: &'static str,
    preemptions: usize,
    others: [fn(&Mutex) -> u32; N],
    main: fn(&Mutex) -> u32,
) {
    Model { name, preemptions: Some(preemptions) }.check_main::<SrwWord, 1>(
        SrwWord::new,
        move |mutex| {
            mutex.lock();
            let others = others.map(|part| spawn(mutex, part));
            let written = main(mutex);
            written + join(others)
        },
    );
}

fn unlocks(mutex: &Mutex) -> u32 {
    let written = mutex.write();
    mutex.word.unlock();
    written
}

fn unlocks_and_tries(mutex: &Mutex) -> u32 {
    unlocks(mutex) + tries(mutex)
}

/// It is woken and gives up, or is not, and the other one still gets in.
#[test]
fn two_sleep_and_one_gives_up() {
    let others = [waits_until_morning, locks, strikes];
    check_main("two sleep and one gives up", 2, others, unlocks);
}

/// One is woken in vain, since another one comes between, whose release wakes nobody then; and gives up.
#[test]
fn one_is_woken_and_gives_up() {
    let others = [waits_until_morning, locks, strikes];
    check_main("one is woken and gives up", 2, others, unlocks_and_tries);
}

/// Each wakes the next one.
#[test]
fn a_chain_of_three() {
    check_main("a chain of three", 2, [locks, locks, locks], unlocks);
}
