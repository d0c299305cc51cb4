//! Counting, reading and folding: no count is lost, no total steps back, no gauge is below 0.
//!
//! What is modelled are cells. Which shards there are is told by the registry's lock, here a mutex, or is
//! known beforehand. What a guard and a snapshot do with cells, tests do here themselves.

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use loom::sync::{Arc, Mutex};
use loom::thread;

use crate::cells;
use crate::shards::Shards;

/// Where the parts of a set begin that has a gauge, a counter and a peak.
const AWAY: usize = 0;
const LEVEL: usize = 1;
const COUNTER: usize = 2;
const PEAK: usize = 3;
const END: usize = 4;

/// A shard, or the totals.
struct Cells([AtomicU64; END]);

impl Cells {
    fn new() -> Self {
        Self([(); END].map(|()| AtomicU64::new(0)))
    }

    fn fold(&self, totals: &Self) {
        cells::fold(&self.0, &totals.0, PEAK);
    }
}

/// What a reader has.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Sums {
    cells: [u64; END],
    again: [u64; LEVEL],
}

impl Sums {
    /// One attempt of a reader.
    fn of(all: &[&Cells]) -> Self {
        let mut sums = Self::default();
        for Cells(cells) in all {
            cells::sum_away(&cells[..LEVEL], &mut sums.cells[..LEVEL]);
        }
        for Cells(cells) in all {
            cells::sum(&cells[LEVEL..COUNTER], &mut sums.cells[LEVEL..COUNTER]);
        }
        fence(Ordering::Acquire);
        for Cells(cells) in all {
            cells::sum_away(&cells[..LEVEL], &mut sums.again);
        }
        for Cells(cells) in all {
            cells::sum(&cells[COUNTER..PEAK], &mut sums.cells[COUNTER..PEAK]);
            cells::greater(&cells[PEAK..], &mut sums.cells[PEAK..]);
        }
        sums
    }

    /// Never below 0. Too high, if more was closed away meanwhile.
    fn gauge(self) -> i64 {
        self.cells[LEVEL].wrapping_sub(self.cells[AWAY]) as i64
    }

    /// Nothing was closed away meanwhile, so the gauge is what it is.
    fn fits(self) -> bool {
        self.cells[..LEVEL] == self.again
    }

    fn counter(self) -> u64 {
        self.cells[COUNTER]
    }

    fn peak(self) -> u64 {
        self.cells[PEAK]
    }
}

/// A set with two threads' shards.
struct Set {
    totals: Cells,
    shards: [Cells; 2],
    /// Guards on their way from one thread to the next.
    passed: [AtomicBool; 2],
    /// The registry's lock.
    lock: Mutex<()>,
}

impl Set {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            totals: Cells::new(),
            shards: [Cells::new(), Cells::new()],
            passed: [AtomicBool::new(false), AtomicBool::new(false)],
            lock: Mutex::new(()),
        })
    }

    fn read(&self) -> Sums {
        let [one, other] = &self.shards;
        Sums::of(&[one, other, &self.totals])
    }

    fn read_locked(&self) -> Sums {
        let _locked = self.lock.lock().unwrap();
        self.read()
    }

    fn opens(&self, thread: usize) {
        cells::add_to_gauge(&self.shards[thread].0[LEVEL], 1);
    }

    /// What it has opened itself.
    fn closes(&self, thread: usize) {
        cells::add_to_gauge(&self.shards[thread].0[LEVEL], 1_u64.wrapping_neg());
    }

    /// What another thread has opened.
    fn closes_away(&self, thread: usize) {
        cells::add_to_gauge(&self.shards[thread].0[AWAY], 1);
    }

    /// What a thread does that leaves.
    fn fold(&self, thread: usize) {
        let _locked = self.lock.lock().unwrap();
        self.shards[thread].fold(&self.totals);
    }

    /// Hands a guard on, as a channel does.
    fn pass(&self, hand: usize) {
        self.passed[hand].store(true, Ordering::Release);
    }

    /// Whether there is one.
    fn receive(&self, hand: usize) -> bool {
        self.passed[hand].load(Ordering::Acquire)
    }
}

/// Runs `others` and reads meanwhile: the gauge is never below 0, nor above what was open at once.
///
/// The reader is a thread of its own, spawned last: as the first one, or on the thread that spawns, loom leaves
/// out interleavings in which it reads old values, and so faults that it finds in this order.
fn check_gauge<const N: usize>(others: [fn(&Set); N], read: fn(&Set) -> Sums, at_once: i64) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(if N > 2 { 2 } else { 3 });
    model.check(move || {
        let set = Set::new();
        let others = others.map(|other| {
            let set = Arc::clone(&set);
            thread::spawn(move || other(&set))
        });
        let reader = thread::spawn({
            let set = Arc::clone(&set);
            move || {
                let sums = read(&set);
                assert!(sums.gauge() >= 0, "{sums:?}");
                assert!(!sums.fits() || sums.gauge() <= at_once, "{sums:?}");
            }
        });
        others.into_iter().for_each(|other| other.join().unwrap());
        reader.join().unwrap();
        // Whoever had no guard yet has closed nothing.
        let sums = set.read();
        assert!(sums.fits() && (0..=at_once).contains(&sums.gauge()), "{sums:?}");
    });
}

fn opens_in_its_shard(set: &Set) {
    set.opens(0);
    set.pass(0);
}

fn opens_in_the_totals(set: &Set) {
    cells::add_to_gauge_together(&set.totals.0[LEVEL], 1);
    set.pass(0);
}

fn closes_in_its_shard(set: &Set) {
    if set.receive(0) {
        set.closes_away(1);
    }
}

/// What a thread has opened.
fn closes_in_the_totals(set: &Set) {
    if set.receive(0) {
        cells::add_to_gauge_together(&set.totals.0[AWAY], 1);
    }
}

#[test]
fn a_gauge_is_closed_where_it_was_opened() {
    fn opens_and_closes(set: &Set) {
        set.opens(0);
        set.closes(0);
        set.opens(0);
        set.closes(0);
    }
    check_gauge([opens_and_closes], Set::read, 1);
}

#[test]
fn a_gauge_is_closed_on_another_thread() {
    check_gauge([opens_in_its_shard, closes_in_its_shard], Set::read, 1);
}

#[test]
fn a_gauge_is_closed_without_a_token() {
    check_gauge([opens_in_its_shard, closes_in_the_totals], Set::read, 1);
}

/// It is up in the totals and goes down there, whoever closes.
#[test]
fn a_gauge_needs_no_token_at_all() {
    fn takes_it_back(set: &Set) {
        if set.receive(0) {
            cells::add_to_gauge_together(&set.totals.0[LEVEL], 1_u64.wrapping_neg());
        }
    }
    check_gauge([opens_in_the_totals, takes_it_back], Set::read, 1);
}

/// Again and again, but one at a time: who reads, sees no two, unless he knows that it does not fit.
#[test]
fn a_gauge_goes_to_and_fro() {
    fn opens_again_when_told(set: &Set) {
        opens_in_its_shard(set);
        if set.receive(1) {
            set.opens(0);
            set.closes(0);
        }
    }
    fn closes_and_tells(set: &Set) {
        if set.receive(0) {
            set.closes_away(1);
            set.pass(1);
        }
    }
    check_gauge([opens_again_when_told, closes_and_tells], Set::read, 1);
}

/// The second thread takes what the first one has opened and opens itself: the third one closes that only.
#[test]
fn a_gauge_goes_through_three_hands() {
    fn closes_and_opens(set: &Set) {
        if set.receive(0) {
            set.closes_away(1);
            set.opens(1);
            set.pass(1);
        }
    }
    fn closes_the_second(set: &Set) {
        if set.receive(1) {
            cells::add_to_gauge_together(&set.totals.0[AWAY], 1);
        }
    }
    check_gauge([opens_in_its_shard, closes_and_opens, closes_the_second], Set::read, 1);
}

/// Two guards are dropped on threads that are not registered: they count in the same cell.
#[test]
fn two_gauges_are_closed_in_the_totals() {
    fn opens_and_has_it_closed(set: &Set) {
        set.opens(0);
        cells::add_to_gauge_together(&set.totals.0[AWAY], 1);
    }
    fn does_so_too(set: &Set) {
        set.opens(1);
        cells::add_to_gauge_together(&set.totals.0[AWAY], 1);
    }
    check_gauge([opens_and_has_it_closed, does_so_too], Set::read, 2);
}

/// The one who has opened leaves while the other one closes, and then leaves as well.
#[test]
fn a_gauge_outlives_its_threads() {
    fn opens_and_leaves(set: &Set) {
        opens_in_its_shard(set);
        set.fold(0);
    }
    fn closes_and_leaves(set: &Set) {
        closes_in_its_shard(set);
        set.fold(1);
    }
    check_gauge([opens_and_leaves, closes_and_leaves], Set::read_locked, 1);
}

/// A thread counts, leaves, and comes again with the same shard, as somebody counts without a token. Each
/// reader's sums only grow, and in the end all is there.
#[test]
fn nothing_is_lost_when_a_thread_leaves() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let set = Set::new();
        let owner = thread::spawn({
            let set = Arc::clone(&set);
            move || {
                let Cells(shard) = &set.shards[0];
                cells::add(&shard[COUNTER], 1);
                cells::raise(&shard[PEAK], 5);
                set.fold(0);
                cells::add(&shard[COUNTER], 10);
                cells::raise(&shard[PEAK], 4);
                set.fold(0);
            }
        });
        let stranger = thread::spawn({
            let set = Arc::clone(&set);
            move || {
                cells::add_together(&set.totals.0[COUNTER], 100);
                cells::raise_together(&set.totals.0[PEAK], 6);
            }
        });
        let [first, second] = [(), ()].map(|()| set.read_locked());
        assert!(first.counter() <= second.counter(), "{first:?} {second:?}");
        assert!(first.peak() <= second.peak(), "{first:?} {second:?}");
        owner.join().unwrap();
        stranger.join().unwrap();
        let last = set.read_locked();
        assert_eq!((last.counter(), last.peak()), (111, 6));
        assert!(second.counter() <= 111 && second.peak() <= 6);
    });
}

/// Two threads leave at once.
#[test]
fn nothing_is_lost_when_two_threads_leave() {
    loom::model(|| {
        let set = Set::new();
        let others: Vec<_> = (0..2)
            .map(|index| {
                let set = Arc::clone(&set);
                thread::spawn(move || {
                    cells::add(&set.shards[index].0[COUNTER], 1 + index as u64);
                    set.fold(index);
                })
            })
            .collect();
        let seen = set.read_locked().counter();
        assert!(seen <= 3);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(set.read_locked().counter(), 3);
        let Cells(shard) = &set.shards[0];
        assert_eq!(shard[COUNTER].load(Ordering::Relaxed), 0);
    });
}

/// A shard changes hands under the lock, as that of a single-threaded build does: the next one goes on.
#[test]
fn the_next_owner_finds_the_shard_empty() {
    loom::model(|| {
        let set = Set::new();
        let next = thread::spawn({
            let set = Arc::clone(&set);
            move || {
                let locked = set.lock.lock().unwrap();
                let is_mine = set.receive(0);
                drop(locked);
                if is_mine {
                    cells::add(&set.shards[0].0[COUNTER], 10);
                }
                is_mine
            }
        });
        cells::add(&set.shards[0].0[COUNTER], 1);
        let locked = set.lock.lock().unwrap();
        set.shards[0].fold(&set.totals);
        set.passed[0].store(true, Ordering::Relaxed);
        drop(locked);
        let expected = if next.join().unwrap() { 11 } else { 1 };
        assert_eq!(set.read_locked().counter(), expected);
    });
}

/// A shard of an object's set. Loom watches that one thread at a time has it.
struct Own {
    counter: AtomicU64,
    owned: UnsafeCell<u64>,
}

// SAFETY: `owned` is for who has taken the shard, which is what is checked.
unsafe impl Send for Own {}
// SAFETY: as above.
unsafe impl Sync for Own {}

impl Own {
    fn new() -> Self {
        Self { counter: AtomicU64::new(0), owned: UnsafeCell::new(0) }
    }
}

/// What a thread does from its first count to its end.
fn counts(shards: &Shards<Own>, by: u64) {
    let shard = shards.take(Own::new).unwrap();
    cells::add(&shard.value.counter, by);
    // SAFETY: taken, which is what is checked.
    shard.value.owned.with_mut(|owned| unsafe { *owned += by });
    shard.give_back();
}

fn sum_of(shards: &Shards<Own>) -> u64 {
    let mut sums = [0];
    for shard in shards.iter() {
        cells::sum(std::slice::from_ref(&shard.value.counter), &mut sums);
    }
    sums[0]
}

/// Each thread has a shard for itself, the next one goes on with what is there, a reader sees sums that grow.
fn check_shards<const N: usize>(others: [fn(&Shards<Own>); N], all: u64, most: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let shards = Arc::new(Shards::new());
        let others = others.map(|other| {
            let shards = Arc::clone(&shards);
            thread::spawn(move || other(&shards))
        });
        let reader = thread::spawn({
            let shards = Arc::clone(&shards);
            move || {
                let (first, second) = (sum_of(&shards), sum_of(&shards));
                assert!(first <= second, "{first}, then {second}");
            }
        });
        others.into_iter().for_each(|other| other.join().unwrap());
        reader.join().unwrap();
        assert_eq!(sum_of(&shards), all);
        assert!((1..=most).contains(&shards.iter().count()));
    });
}

#[test]
fn a_shard_for_each_of_two_threads() {
    check_shards([|shards| counts(shards, 1), |shards| counts(shards, 10)], 11, 2);
}

#[test]
fn a_shard_that_is_given_back_is_taken_again() {
    fn counts_twice(shards: &Shards<Own>) {
        counts(shards, 1);
        counts(shards, 2);
    }
    // Not 2: loom lets a `swap` read a value that was overwritten, and so lose what was given back.
    check_shards([counts_twice, |shards| counts(shards, 10)], 13, 3);
}

#[test]
fn a_shard_is_used_again() {
    loom::model(|| {
        let shards = Arc::new(Shards::new());
        counts(&shards, 1);
        counts(&shards, 2);
        assert_eq!((sum_of(&shards), shards.iter().count()), (3, 1));
    });
}
