//! Nothing is lost, nothing is counted twice, and no reader sees a total step back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};

use tsrm::Runtime;
use tsrm::stats::{GaugeGuard, OwnedStatistics, Snapshot, Value};

use super::{StopAtEnd, Work, numbers, threads, work};
use crate::shared::own::{Own, alone, until};

alone!(exact_requests exact_scopes exact_short exact_restarts exact_gauges exact_own exact_away exact_pieces);
work!(requests scopes short restarts gauges gauges_away in_pieces read_own);

/// Polls a set until it is told to stop; at least twice, the last time after it was told.
pub(super) struct Reader<'r> {
    stop: &'r AtomicBool,
    snapshot: &'r (dyn Fn() -> Snapshot + Sync),
}

impl<'r> Reader<'r> {
    pub(super) fn new(stop: &'r AtomicBool, snapshot: &'r (dyn Fn() -> Snapshot + Sync)) -> Self {
        Self { stop, snapshot }
    }

    /// What never steps back does not, and a gauge is between 0 and all that was ever opened.
    pub(super) fn run(&self) -> Snapshot {
        let mut before = (self.snapshot)();
        loop {
            let is_last = self.stop.load(Ordering::Acquire);
            let now = (self.snapshot)();
            let [rows, queries, _, largest, times, sum] = numbers(&now);
            let [rows_before, queries_before, _, largest_before, times_before, sum_before] =
                numbers(&before);
            let is_later = rows >= rows_before
                && queries >= queries_before
                && largest >= largest_before
                && times >= times_before
                && sum >= sum_before;
            assert!(is_later, "{before:?}\n{now:?}");
            let buckets = |snapshot: &Snapshot| match snapshot.value(Work::Time) {
                Value::Histogram(time) => time.buckets().map(|b| b.count).collect::<Vec<_>>(),
                other => panic!("{other:?}"),
            };
            assert!(buckets(&before).iter().zip(buckets(&now)).all(|(before, now)| *before <= now));
            // One that has underflowed is near 2^64.
            assert!(now.count(Work::Open) < 1 << 40, "{now:?}");
            if is_last {
                return now;
            }
            before = now;
        }
    }
}

const REQUESTS: u64 = 50_000;

#[tsrm::test(requests, exact_requests)]
fn sixteen_threads_under_a_reader(tsrm: Runtime) {
    let set = &requests::WORK;
    let (threads, stop) = (threads(16) as u64, AtomicBool::new(false));
    let snapshot = || set.snapshot();
    let reader = Reader::new(&stop, &snapshot);
    let before = tsrm.threads().len();
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let reader = scope.spawn(|| reader.run());
        let workers: Vec<_> = (1..=threads)
            .map(|thread| {
                scope.spawn(move || {
                    for request in 1..=REQUESTS {
                        tsrm.request(|here| {
                            let active = set.open(here, Work::Open);
                            for _ in 0..20 {
                                set.inc(here, Work::Rows);
                            }
                            set.inc(here, Work::Queries);
                            set.raise(here, Work::Largest, thread * REQUESTS + request);
                            set.record(here, Work::Time, request % 128);
                            drop(active);
                        });
                    }
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        stop.store(true, Ordering::Release);
        let all = threads * REQUESTS;
        let sum: u64 = (1..=REQUESTS).map(|request| request % 128).sum();
        let expected = [20 * all, all, 0, (threads + 1) * REQUESTS, all, threads * sum];
        assert_eq!(numbers(&reader.join().unwrap()), expected);
        assert_eq!(numbers(&set.snapshot()), expected);
    });
    assert_eq!(tsrm.threads().len(), before, "they have left");
}

/// As a count of busy workers: it is not greater than the number of those who can be busy, however often they
/// begin and end while somebody reads.
#[tsrm::test(gauges, exact_gauges)]
fn a_gauge_is_never_above_what_can_be_open(tsrm: Runtime) {
    let set = &gauges::WORK;
    let (threads, stop) = (threads(4) as u64, AtomicBool::new(false));
    let mut greatest = 0;
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        for _ in 0..threads {
            scope.spawn(|| {
                tsrm.attach(|here| {
                    while !stop.load(Ordering::Relaxed) {
                        let busy = set.open(here, Work::Open);
                        drop(busy);
                    }
                });
            });
        }
        for _ in 0..5_000 {
            greatest = set.snapshot().count(Work::Open).max(greatest);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(set.snapshot().count(Work::Open), 0);
    assert!(greatest <= threads, "{greatest} of {threads} are busy");
}

/// The same where another thread closes, which has not opened anything.
#[tsrm::test(gauges_away, exact_away)]
fn a_gauge_that_others_close_is_never_above_what_can_be_open(tsrm: Runtime) {
    const ROUNDS: u64 = 30_000;
    let set = &gauges_away::WORK;
    let stop = AtomicBool::new(false);
    // What is open: at most one of each place.
    let places: Vec<Mutex<Option<GaugeGuard<Work>>>> =
        std::iter::repeat_with(Mutex::default).take(threads(2)).collect();
    let is_empty = |place: &Mutex<Option<GaugeGuard<Work>>>| place.lock().unwrap().is_none();
    let mut greatest = 0;
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let openers: Vec<_> = places
            .iter()
            .map(|place| {
                scope.spawn(|| {
                    tsrm.attach(|here| {
                        for _ in 0..ROUNDS {
                            let guard = set.open(here, Work::Open);
                            *place.lock().unwrap() = Some(guard);
                            until(|| is_empty(place));
                        }
                    });
                })
            })
            .collect();
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for place in &places {
                    // While it is locked: the place is empty when that is over.
                    place.lock().unwrap().take();
                }
                std::thread::yield_now();
            }
        });
        while !openers.iter().all(|opener| opener.is_finished()) {
            greatest = set.snapshot().count(Work::Open).max(greatest);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(set.snapshot().count(Work::Open), 0);
    assert!(greatest <= places.len() as u64, "{greatest} are open");
}

/// Two readers, each with a zero of its own: what they are told piece by piece is all that there was.
#[tsrm::test(in_pieces, exact_pieces)]
fn nothing_is_left_out_between_two_readings(tsrm: Runtime) {
    const ROUNDS: u64 = 100_000;
    let set = &in_pieces::WORK;
    let stop = AtomicBool::new(false);
    let meters = [set.meter(), set.meter()];
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let readers = meters.map(|mut meter| {
            let stop = &stop;
            scope.spawn(move || {
                let mut sum = [0; 6];
                loop {
                    let is_last = stop.load(Ordering::Acquire);
                    let piece = numbers(&meter.reset());
                    sum.iter_mut().zip(piece).for_each(|(sum, piece)| *sum += piece);
                    if is_last {
                        return sum;
                    }
                }
            })
        });
        for _ in 0..ROUNDS {
            tsrm.attach(|here| {
                set.add(here, Work::Rows, 2);
                set.record(here, Work::Time, 3);
            });
        }
        stop.store(true, Ordering::Release);
        for reader in readers {
            assert_eq!(reader.join().unwrap(), [2 * ROUNDS, 0, 0, 0, ROUNDS, 3 * ROUNDS]);
        }
    });
}

/// A thread that has ended is in the sums, whether its destructors have run by the end of the scope or not.
#[tsrm::test(exact_scopes)]
fn exact_at_the_end_of_a_scope(_tsrm: Runtime) {
    let tsrm = Own::start([scopes::MODULE]).unwrap();
    let (handle, set, threads) = (*tsrm, &scopes::WORK, threads(4) as u64);
    for round in 1..=500 {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                // It does not detach: that is left to its end.
                scope.spawn(|| handle.attach(|here| set.inc(here, Work::Queries)));
            }
        });
        let expected = [(round - 1) * threads, round * threads, 0, 0, 0, 0];
        assert_eq!(numbers(&set.snapshot()), expected);
        // The next one may register in a single-threaded build when that one is gone for good.
        until(|| handle.threads().is_empty());
        assert_eq!(numbers(&set.snapshot()), expected);
        tsrm::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|here| set.inc(here, Work::Rows));
            }
        });
        assert_eq!(numbers(&set.snapshot()), [round * threads, round * threads, 0, 0, 0, 0]);
    }
    tsrm.end();
}

#[tsrm::test(exact_short)]
fn ten_thousand_short_threads_under_a_reader(_tsrm: Runtime) {
    const THREADS: u64 = 10_000;
    let tsrm = Own::start([short::MODULE]).unwrap();
    let (handle, set) = (*tsrm, &short::WORK);
    let (stop, next) = (AtomicBool::new(false), AtomicU64::new(0));
    let snapshot = || set.snapshot();
    let reader = Reader::new(&stop, &snapshot);
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let reader = scope.spawn(|| reader.run());
        // In a single-threaded build one after the other.
        let spawners: Vec<_> = (0..threads(4))
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= THREADS {
                            return;
                        }
                        let one = tsrm::thread::spawn(move |here| {
                            let guard = set.open(here, Work::Open);
                            set.add(here, Work::Rows, 3);
                            set.raise(here, Work::Largest, number);
                            set.record(here, Work::Time, 1);
                            guard
                        });
                        drop(one.join().unwrap());
                    }
                })
            })
            .collect();
        spawners.into_iter().for_each(|spawner| spawner.join().unwrap());
        stop.store(true, Ordering::Release);
        reader.join().unwrap();
    });
    assert_eq!(handle.threads().len(), 0);
    assert_eq!(numbers(&set.snapshot()), [3 * THREADS, 0, 0, THREADS - 1, THREADS, THREADS]);
    tsrm.end();
}

#[tsrm::test(exact_restarts)]
fn one_runtime_after_another(_tsrm: Runtime) {
    let set = &restarts::WORK;
    let stop = AtomicBool::new(false);
    let snapshot = || set.snapshot();
    let reader = Reader::new(&stop, &snapshot);
    let threads = threads(3) as u64;
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let reader = scope.spawn(|| reader.run());
        let mut leftover = None;
        for round in 1..=100 {
            let tsrm = Own::start([restarts::MODULE]).unwrap();
            let (handle, all_here) = (*tsrm, Barrier::new(threads as usize));
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        handle.detach_after(|| {
                            all_here.wait();
                            handle.attach(|here| {
                                set.add_all(here, [(Work::Rows, 20), (Work::Queries, 1)])
                            });
                        });
                    });
                }
            });
            // A guard from the runtime before.
            handle.attach(|here| {
                if let Some(guard) = leftover.take() {
                    drop(guard);
                }
                leftover = Some(set.open(here, Work::Open));
            });
            tsrm.end();
            let expected = [20 * round * threads, round * threads, 1, 0, 0, 0];
            assert_eq!(numbers(&set.snapshot()), expected);
        }
        drop(leftover);
        stop.store(true, Ordering::Release);
        assert_eq!(reader.join().unwrap().count(Work::Open), 0);
    });
}

/// Who counts sees it at once, on any thread that has heard of it.
#[tsrm::test(read_own, exact_own)]
fn a_reader_sees_what_it_has_heard_of(tsrm: Runtime) {
    let set = &read_own::WORK;
    let owned = OwnedStatistics::new();
    let (step, seen) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _over = StopAtEnd(&is_over);
            for number in 1..=20_000 {
                until(|| step.load(Ordering::Acquire) >= number);
                assert_eq!(set.snapshot().count(Work::Rows), number);
                seen.store(number, Ordering::Release);
            }
        });
        for number in 1..=20_000 {
            tsrm.attach(|here| owned.inc(here, set, Work::Rows));
            assert_eq!(owned.snapshot().count(Work::Rows), number);
            step.store(number, Ordering::Release);
            until(|| seen.load(Ordering::Acquire) >= number || is_over.load(Ordering::Acquire));
        }
    });
}
