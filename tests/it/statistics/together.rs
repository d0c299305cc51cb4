//! Sets of objects that many threads use at once.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use tsrm::stats::SharedStatistics;
use tsrm::{ResourceReport, Runtime};

use super::exact::Reader;
use super::{StopAtEnd, Work, numbers, threads, work};
use crate::load::resident;
use crate::shared::own::{LONG, Own, Worker, alone};

alone!(together_ways together_many together_objects together_threads together_ends together_restarts
    together_straggler);
work!(shared_ways many objects ends restarted stragglers);

type Shared = SharedStatistics<Work>;

/// The objects' resources: the place of each, and how many threads have a shard.
fn resources(tsrm: Runtime) -> Vec<(u32, usize)> {
    let place = |resource: &ResourceReport| {
        assert_eq!(resource.name, "statistics");
        (resource.id.to_bits() as u32, resource.values)
    };
    tsrm.report().resources.iter().map(place).collect()
}

#[tsrm::test(together_ways)]
fn each_way_counts_in_both(_tsrm: Runtime) {
    let tsrm = Own::start([shared_ways::MODULE]).unwrap();
    let set = &shared_ways::WORK;
    let [one, other] = [Shared::new(), Shared::default()];
    let all = || [set.snapshot(), one.snapshot(), other.snapshot()].map(|now| numbers(&now));
    assert_eq!(all(), [[0; 6]; 3]);
    assert_eq!(resources(*tsrm), [], "nobody has counted");
    let guards = tsrm.attach(|here| {
        one.add(here, set, Work::Rows, 20);
        one.inc(here, set, Work::Queries);
        one.raise(here, set, Work::Largest, 9);
        one.record(here, set, Work::Time, 70);
        other.inc(here, set, Work::Rows);
        other.raise(here, set, Work::Largest, 11);
        other.record(here, set, Work::Time, 700);
        set.inc(here, Work::Rows);
        [
            one.open(here, set, Work::Open),
            one.open_many(here, set, Work::Open, 10),
            other.open_many(here, set, Work::Open, 100),
        ]
    });
    let expected = |open: [u64; 3]| {
        [[22, 1, open[0], 11, 2, 770], [20, 1, open[1], 9, 1, 70], [1, 0, open[2], 11, 1, 700]]
    };
    assert_eq!(all(), expected([111, 11, 100]));
    assert_eq!(resources(*tsrm).len(), 2);
    // A guard outlives its object.
    let [first, mut second, third] = guards;
    second.set_amount(2);
    assert_eq!(all(), expected([103, 3, 100]));
    tsrm.attach(|_here| drop(first));
    drop(second);
    assert_eq!(all(), expected([100, 0, 100]));
    drop(other);
    assert_eq!(resources(*tsrm).len(), 1);
    drop(third);
    assert_eq!(numbers(&set.snapshot()), expected([0, 0, 0])[0]);
    drop(one);
    assert_eq!(resources(*tsrm), []);
    assert_eq!(numbers(&set.snapshot()), expected([0, 0, 0])[0]);
    tsrm.end();
}

#[tsrm::test(together_many)]
fn many_threads_count_in_many_objects_under_a_reader(_tsrm: Runtime) {
    const ROUNDS: u64 = 2_000;
    const OBJECTS: u64 = 10;
    let tsrm = Own::start([many::MODULE]).unwrap();
    let (handle, set) = (*tsrm, &many::WORK);
    let objects: Vec<Shared> = (0..OBJECTS).map(|_| Shared::new()).collect();
    let (count, stop) = (threads(8), AtomicBool::new(false));
    let (first, whole) = (|| objects[0].snapshot(), || set.snapshot());
    let readers = [Reader::new(&stop, &first), Reader::new(&stop, &whole)];
    let go = Barrier::new(count);
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let readers: Vec<_> =
            readers.iter().map(|reader| scope.spawn(move || reader.run())).collect();
        let workers: Vec<_> = (1..=count as u64)
            .map(|thread| {
                let (objects, go) = (&objects, &go);
                scope.spawn(move || {
                    go.wait();
                    let mut guards = Vec::new();
                    for round in 0..ROUNDS {
                        handle.attach(|here| {
                            for (number, object) in (1..).zip(objects) {
                                object.add(here, set, Work::Rows, number);
                                object.inc(here, set, Work::Queries);
                                object.raise(here, set, Work::Largest, number * thread);
                                object.record(here, set, Work::Time, number);
                                guards.push(object.open(here, set, Work::Open));
                            }
                            guards.clear();
                        });
                        // Others get its shards.
                        if round % 500 == 0 {
                            handle.detach().unwrap();
                        }
                    }
                    handle.detach().unwrap();
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        stop.store(true, Ordering::Release);
        readers.into_iter().for_each(|reader| drop(reader.join().unwrap()));
    });
    let each = count as u64 * ROUNDS;
    let mut all = [0; 6];
    for (number, object) in (1..).zip(&objects) {
        let expected = [each * number, each, 0, number * count as u64, each, each * number];
        assert_eq!(numbers(&object.snapshot()), expected);
        all.iter_mut().zip(expected).for_each(|(all, one)| *all += one);
    }
    all[3] = OBJECTS * count as u64;
    assert_eq!(numbers(&set.snapshot()), all);
    assert!(resources(handle).iter().all(|(_, values)| *values == 0), "all gave theirs back");
    assert_eq!(resources(handle).len(), OBJECTS as usize);
    drop(objects);
    assert_eq!(resources(handle), []);
    tsrm.end();
}

#[tsrm::test(together_objects)]
fn ten_thousand_objects_come_and_go(_tsrm: Runtime) {
    let tsrm = Own::start([objects::MODULE]).unwrap();
    let (handle, set) = (*tsrm, &objects::WORK);
    let others = Worker::several(handle, 2);
    let mut highest = 0;
    let mut lives = |count: u64| {
        for number in 0..count {
            let object = Arc::new(Shared::new());
            if !tsrm::SINGLE_THREADED {
                tsrm.attach(|here| object.inc(here, set, Work::Rows));
            }
            let its = Arc::clone(&object);
            others[number as usize % others.len()].attach(move |here| {
                its.inc(here, set, Work::Rows);
                if tsrm::SINGLE_THREADED {
                    its.inc(here, set, Work::Rows);
                }
                drop(its);
            });
            if number.is_multiple_of(64) {
                let seen = resources(handle);
                assert_eq!(seen.len(), 1);
                highest = seen[0].0.max(highest);
            }
            assert_eq!(object.snapshot().count(Work::Rows), 2);
        }
    };
    lives(1_000);
    let before = resident();
    lives(9_000);
    if let (Some(before), Some(after)) = (before, resident()) {
        // An object with its shards is some 500 bytes.
        assert!(after < before + 2_000_000, "{before} {after}");
    }
    assert!(highest < 500, "place {highest}: places are used again");
    assert_eq!(resources(handle), []);
    assert_eq!(set.snapshot().count(Work::Rows), 20_000);
    drop(others);
    tsrm.end();
}

/// Two kilobytes.
#[derive(Clone, Copy, tsrm::Statistics)]
enum Large {
    /// A counter.
    #[stat(counter)]
    Counter,
    /// A large histogram.
    #[stat(histogram, max = 18_446_744_073_709_551_615)]
    Histogram,
}

#[tsrm::module]
mod reused {
    #[statistics]
    pub(super) static WORK: Statistics<super::Work>;
    #[statistics]
    pub(super) static LARGE: Statistics<super::Large>;
}

#[tsrm::test(together_threads)]
fn threads_that_come_use_the_shards_of_those_that_went(_tsrm: Runtime) {
    let tsrm = Own::start([reused::MODULE]).unwrap();
    let handle = *tsrm;
    let large = SharedStatistics::new();
    let live = |from: u64, to: u64| {
        for number in from..to {
            tsrm::thread::scope(|scope| {
                let large = &large;
                for _ in 0..threads(2) {
                    scope.spawn(move |here| {
                        large.inc(here, &reused::LARGE, Large::Counter);
                        large.record(here, &reused::LARGE, Large::Histogram, 1);
                    });
                }
            });
            let counted = threads(2) as u64 * (number + 1);
            assert_eq!(
                large.snapshot().count(Large::Counter),
                counted,
                "each goes on where one was"
            );
        }
    };
    live(0, 200);
    let before = resident();
    live(200, 1_700);
    if let (Some(before), Some(after)) = (before, resident()) {
        // If each thread had a shard of its own: 1,500 or 3,000 times 2 kilobytes.
        assert!(after < before + 1_500_000, "{before} {after}");
    }
    let seen = resources(handle);
    assert_eq!((seen.len(), seen[0].1), (1, 0));
    drop(large);
    // All at once, to have many shards; then they are there for others.
    let object = Shared::new();
    let set = &reused::WORK;
    let count = threads(20);
    let here_all = Barrier::new(count);
    let base = object.snapshot().count(Work::Rows);
    for round in 1..=3 {
        tsrm::thread::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|here| {
                    object.inc(here, set, Work::Rows);
                    here_all.wait();
                    assert_eq!(resources(handle)[0].1, count);
                    here_all.wait();
                });
            }
        });
        assert_eq!(object.snapshot().count(Work::Rows), base + round * count as u64);
    }
    assert_eq!(resources(handle)[0].1, 0);
    drop(object);
    tsrm.end();
}

#[tsrm::module]
mod holders {
    use super::*;

    /// Objects whose owner is a thread's value, or the module's.
    #[global]
    pub(super) static OBJECTS: RefCell<Vec<Arc<Shared>>> = RefCell::new(Vec::new());
    #[shared]
    pub(super) static OBJECT: Mutex<Option<Arc<Shared>>> = Mutex::new(None);
}

#[tsrm::test(together_ends)]
fn objects_end_anywhere(_tsrm: Runtime) {
    let set = &ends::WORK;
    let tsrm = Own::start([ends::MODULE, holders::MODULE]).unwrap();
    let handle = *tsrm;
    let others = Worker::several(handle, 2);
    let worker = &others[0];
    let used = || {
        let object = Arc::new(Shared::new());
        let its = Arc::clone(&object);
        worker.attach(move |here| its.inc(here, set, Work::Rows));
        assert_eq!(object.snapshot().count(Work::Rows), 1);
        object
    };
    // Inside the attach in which it was used.
    worker.attach(move |here| {
        for _ in 0..100 {
            let object = Shared::new();
            object.inc(here, set, Work::Rows);
            drop(object);
            let object = Shared::new();
            object.inc(here, set, Work::Rows);
            assert_eq!(object.snapshot().count(Work::Rows), 1);
        }
    });
    assert_eq!(resources(handle), []);
    // On a thread that never attached; while the one that has a shard sleeps, or is in an attach.
    let object = used();
    std::thread::spawn(move || drop(object)).join().unwrap();
    worker.enter();
    let object = used();
    drop(object);
    worker.leave();
    assert_eq!(resources(handle), []);
    // In the middle of its thread's drain, and at the end of a module.
    let object = used();
    worker.attach(|here| holders::OBJECTS.get(here).borrow_mut().push(object));
    worker.detach();
    assert_eq!(resources(handle), []);
    let object = used();
    worker.attach(|here| *holders::OBJECT.get(here).lock().unwrap() = Some(object));
    worker.detach();
    assert!(tsrm.retire(holders::MODULE, LONG).unwrap().is_done());
    assert_eq!(resources(handle), []);
    // After the runtime's end, in which its shards were given back.
    let object = used();
    let before = numbers(&set.snapshot());
    drop(others);
    tsrm.end();
    assert_eq!(object.snapshot().count(Work::Rows), 1);
    std::thread::spawn(move || drop(object)).join().unwrap();
    // Never used.
    drop(Shared::new());
    assert_eq!(numbers(&set.snapshot()), before);
}

#[tsrm::test(together_restarts)]
fn used_across_restarts(_tsrm: Runtime) {
    let set = &restarted::WORK;
    let object = Arc::new(Shared::new());
    let mut guard = None;
    for round in 1..=50 {
        let tsrm = Own::start([restarted::MODULE]).unwrap();
        // Another object, whose place may be the one that it had.
        let other = Shared::new();
        for worker in Worker::several(*tsrm, 3) {
            let its = Arc::clone(&object);
            worker.attach(move |here| its.add(here, set, Work::Rows, 2));
        }
        let mine = tsrm.attach(|here| {
            other.inc(here, set, Work::Queries);
            object.inc(here, set, Work::Queries);
            object.open(here, set, Work::Open)
        });
        guard = Some(mine);
        assert_eq!(other.snapshot().count(Work::Queries), 1);
        let rows = threads(3) as u64 * 2 * round;
        assert_eq!(numbers(&object.snapshot()), [rows, round, 1, 0, 0, 0]);
        assert_eq!(numbers(&set.snapshot()), [rows, 2 * round, 1, 0, 0, 0]);
        assert_eq!(resources(*tsrm).len(), 2);
        tsrm.end();
    }
    drop(guard);
    assert_eq!(object.snapshot().count(Work::Open), 0);
}

/// A straggler of one runtime counts in an object that the threads of the next one use.
#[tsrm::test(together_straggler)]
fn a_straggler_shares_an_object_with_the_next_runtime(_tsrm: Runtime) {
    let set = &stragglers::WORK;
    let object = Arc::new(Shared::new());
    let fresh = Arc::new(Shared::new());
    let first = Own::start([stragglers::MODULE]).unwrap();
    let worker = Worker::new(*first, "straggler");
    let (steps, told) = std::sync::mpsc::channel::<()>();
    let (counted, has_counted) = std::sync::mpsc::channel();
    let its = [Arc::clone(&object), Arc::clone(&fresh)];
    let old = *first;
    let done = worker.begin(move || {
        old.attach(|here| {
            its[0].inc(here, set, Work::Rows);
            counted.send(()).unwrap();
            for () in told {
                its.iter().for_each(|object| object.inc(here, set, Work::Rows));
                counted.send(()).unwrap();
            }
        });
    });
    has_counted.recv().unwrap();
    let count = || {
        steps.send(()).unwrap();
        has_counted.recv().unwrap();
    };
    let rows = || [&object, &fresh].map(|object| object.snapshot().count(Work::Rows));
    assert_eq!(first.shutdown(Duration::ZERO).unwrap().stragglers.len(), 1);
    count();
    assert_eq!(rows(), [2, 1], "no runtime runs");
    let second = Own::start([stragglers::MODULE]).unwrap();
    count();
    assert_eq!(rows(), [3, 2]);
    let mut own = 0;
    if !tsrm::SINGLE_THREADED {
        second.attach(|here| [&object, &fresh].map(|object| object.inc(here, set, Work::Rows)));
        own = 1;
        count();
        assert_eq!(rows(), [4 + own, 3 + own]);
        second.attach(|here| [&object, &fresh].map(|object| object.inc(here, set, Work::Rows)));
        own = 2;
        count();
        assert_eq!(rows(), [5 + own, 4 + own]);
    }
    second.end();
    count();
    drop(steps);
    done.recv().unwrap();
    drop(worker);
    let by_straggler = if tsrm::SINGLE_THREADED { [4, 3] } else { [6, 5] };
    assert_eq!(rows(), by_straggler.map(|rows| rows + own));
    let sum: u64 = rows().iter().sum();
    assert_eq!(numbers(&set.snapshot()), [sum, 0, 0, 0, 0, 0]);
    // And the objects are as good as new.
    let third = Own::start([stragglers::MODULE]).unwrap();
    third.attach(|here| object.inc(here, set, Work::Rows));
    assert_eq!(rows()[0], by_straggler[0] + own + 1);
    third.end();
}
