//! A kernel that is not to be trusted: sleeps end when they like, wakes reach whom they like. The locks stay exact.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::rc::Rc;
use std::sync::{Condvar, LazyLock, Mutex};
use std::thread;

use crate::primitive::{AtomicU32, Instant, Ordering, time_passes};
use crate::sys::{Kernel, Queue, with_kernel};
use crate::{SrwWord, SuxWord, bytes};

const THREADS: u32 = 4;
const ROUNDS: u32 = 20_000;

/// One thread's choices: the same in each run.
struct Dice(Cell<u32>);

impl Dice {
    fn new(thread: u32) -> Self {
        Self(Cell::new(0x9E37_79B9 ^ (thread + 1)))
    }

    fn throw(&self, sides: u32) -> u32 {
        let mut state = self.0.get();
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        self.0.set(state);
        state % sides
    }
}

/// No sleep at all, and so nobody to be woken.
struct Sleepless;

impl Kernel for Sleepless {
    fn wait(&self, _: &AtomicU32, _: u32, _: Queue, _: Option<Instant>) {
        time_passes();
        thread::yield_now();
    }

    fn wake(&self, _: &AtomicU32, _: u32, _: Queue) {}
}

/// Those that sleep, of all threads with this kernel.
#[derive(Default)]
struct Bed {
    sleepers: Mutex<Vec<Sleeper>>,
    changed: Condvar,
}

struct Sleeper {
    word: usize,
    queue: Queue,
    thread: thread::ThreadId,
}

/// Sleep, but in every fourth case none, or one that is as good as over. A wake reaches those it is meant for, or
/// in every fourth case all there are, whatever they wait for.
struct Restless<'a> {
    bed: &'a Bed,
    dice: Dice,
}

impl Kernel for Restless<'static> {
    fn wait(&self, word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>) {
        time_passes();
        let mut sleepers = self.bed.sleepers.lock().unwrap();
        // A sleep with a time limit is over at once: nobody here sets another thread's clock.
        if word.load(Ordering::Relaxed) != expected || deadline.is_some() || self.dice.throw(4) == 0
        {
            return;
        }
        let thread = thread::current().id();
        sleepers.push(Sleeper { word: ptr::from_ref(word).addr(), queue, thread });
        let sleeps =
            |sleepers: &mut Vec<Sleeper>| sleepers.iter().any(|other| other.thread == thread);
        drop(self.bed.changed.wait_while(sleepers, sleeps).unwrap());
    }

    fn wake(&self, word: &AtomicU32, count: u32, queue: Queue) {
        let mut sleepers = self.bed.sleepers.lock().unwrap();
        let all = self.dice.throw(4) == 0;
        let mut left = count;
        sleepers.retain(|sleeper| {
            let is_meant = sleeper.word == ptr::from_ref(word).addr() && sleeper.queue == queue;
            let is_woken = all || is_meant && left > 0;
            left -= u32::from(is_woken && is_meant && left > 0);
            !is_woken
        });
        self.bed.changed.notify_all();
    }
}

/// The kernel of each thread.
type Boot = fn(u32) -> Rc<dyn Kernel>;

fn sleepless(_: u32) -> Rc<dyn Kernel> {
    Rc::new(Sleepless)
}

/// Two tests share the bed, so it wakes those of the other one as well.
fn restless(thread: u32) -> Rc<dyn Kernel> {
    static BED: LazyLock<Bed> = LazyLock::new(Bed::default);
    Rc::new(Restless { bed: &BED, dice: Dice::new(thread + 100) })
}

/// A lock and what it guards.
struct Guarded<W> {
    word: W,
    value: UnsafeCell<u64>,
}

// SAFETY: the value is written under X only and read under the others, which is what is checked.
unsafe impl<W: Sync> Sync for Guarded<W> {}

impl<W> Guarded<W> {
    fn read(&self) -> u64 {
        // SAFETY: nobody writes, which is what is checked.
        unsafe { *self.value.get() }
    }

    fn write(&self) -> u64 {
        // SAFETY: nobody else reads or writes, which is what is checked.
        unsafe { *self.value.get() += 1 };
        1
    }

    /// Nobody writes while others look on.
    fn look_on(&self) {
        let before = self.read();
        thread::yield_now();
        assert_eq!(self.read(), before);
    }
}

/// Threads do that again and again. Each returns how often it has written.
fn stress<W: Sync>(boot: Boot, word: W, act: fn(&Guarded<W>, &Dice) -> u64) {
    let lock = Guarded { word, value: UnsafeCell::new(0) };
    let written: u64 = thread::scope(|scope| {
        let spawn = |thread| {
            let lock = &lock;
            scope.spawn(move || {
                let dice = Dice::new(thread);
                with_kernel(boot(thread), || (0..ROUNDS).map(|_| act(lock, &dice)).sum::<u64>())
            })
        };
        let threads: Vec<_> = (0..THREADS).map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(lock.read(), written);
    assert!(written > 0);
    assert!(bytes(&lock.word).iter().all(|&byte| byte == 0), "{:?}", bytes(&lock.word));
}

fn lock_mutex(mutex: &Guarded<SrwWord>, dice: &Dice) -> u64 {
    let deadline = (dice.throw(3) == 0).then(|| Instant::later(u64::from(dice.throw(4))));
    if !mutex.word.try_lock() && !mutex.word.lock_contended(deadline) {
        return 0;
    }
    let written = mutex.write();
    mutex.look_on();
    mutex.word.unlock();
    written
}

fn use_sux(lock: &Guarded<SuxWord>, dice: &Dice) -> u64 {
    let word = &lock.word;
    let deadline = (dice.throw(3) == 0).then(|| Instant::later(u64::from(dice.throw(4))));
    match dice.throw(3) {
        0 => {
            if !word.try_shared() && !word.shared_contended(deadline) {
                return 0;
            }
            lock.look_on();
            if !word.try_shared_to_update() {
                word.release_shared();
                return 0;
            }
            leave_update(lock, dice, deadline)
        }
        1 => {
            if !word.try_update() && !word.update_contended(deadline) {
                return 0;
            }
            leave_update(lock, dice, deadline)
        }
        _ => {
            if !word.try_exclusive() && !word.exclusive_contended(deadline) {
                return 0;
            }
            leave_exclusive(lock, dice)
        }
    }
}

/// By way of X or S, or not.
fn leave_update(lock: &Guarded<SuxWord>, dice: &Dice, deadline: Option<Instant>) -> u64 {
    let word = &lock.word;
    lock.look_on();
    match dice.throw(3) {
        0 => word.release_update(),
        1 => {
            word.update_to_shared();
            lock.look_on();
            word.release_shared();
        }
        _ => {
            let before = lock.read();
            if word.upgrade() || word.upgrade_contended(deadline) {
                assert_eq!(lock.read(), before);
                return leave_exclusive(lock, dice);
            }
            assert_eq!(lock.read(), before);
            word.release_update();
        }
    }
    0
}

/// By way of U or S, or not.
fn leave_exclusive(lock: &Guarded<SuxWord>, dice: &Dice) -> u64 {
    let word = &lock.word;
    let written = lock.write();
    match dice.throw(3) {
        0 => word.release_exclusive(),
        1 => {
            word.exclusive_to_update();
            lock.look_on();
            word.release_update();
        }
        _ => {
            word.exclusive_to_shared();
            lock.look_on();
            word.release_shared();
        }
    }
    written
}

#[test]
fn a_mutex_without_sleep() {
    stress(sleepless, SrwWord::new(), lock_mutex);
}

#[test]
fn a_mutex_with_restless_sleep() {
    stress(restless, SrwWord::new(), lock_mutex);
}

#[test]
fn a_lock_without_sleep() {
    stress(sleepless, SuxWord::new(), use_sux);
}

#[test]
fn a_lock_with_restless_sleep() {
    stress(restless, SuxWord::new(), use_sux);
}
