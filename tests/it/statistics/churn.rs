//! Counting while modules come and go.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tsrm::stats::{SetState, find};
use tsrm::{Module, Runtime};

use super::exact::Reader;
use super::{StopAtEnd, Work, numbers, threads, work};
use crate::shared::own::{LONG, Own, Worker, alone, until};

alone!(churn_lives churn_late churn_before churn_straggler churn_stale);
work!(lives late before straggled sleeping);

#[tsrm::test(churn_lives)]
fn a_module_comes_and_goes_under_those_who_count_in_it(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let (handle, set) = (*tsrm, &lives::WORK);
    let (stop, read) = (AtomicBool::new(false), AtomicBool::new(false));
    let snapshot = || set.snapshot();
    let reader = Reader::new(&read, &snapshot);
    let threads = threads(3);
    let go = Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        let _stops = [StopAtEnd(&stop), StopAtEnd(&read)];
        let reader = scope.spawn(|| reader.run());
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    go.wait();
                    let mut counted = 0;
                    let mut guard = None;
                    while !stop.load(Ordering::Acquire) {
                        handle.attach(|here| {
                            if let Some(guard) = guard.take() {
                                drop(guard);
                            }
                            set.add(here, Work::Rows, 3);
                            set.record(here, Work::Time, 7);
                            guard = Some(set.open(here, Work::Open));
                        });
                        counted += 1;
                        if counted % 64 == 0 {
                            handle.detach().unwrap();
                        }
                    }
                    handle.detach().unwrap();
                    counted
                })
            })
            .collect();
        go.wait();
        for _ in 0..1000 {
            handle.register(lives::MODULE).unwrap();
            let _ = handle.retire(lives::MODULE, LONG).unwrap();
        }
        stop.store(true, Ordering::Release);
        let counted: u64 = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        read.store(true, Ordering::Release);
        let expected = [3 * counted, 0, 0, 0, counted, 7 * counted];
        assert_eq!(numbers(&reader.join().unwrap()), expected);
    });
    assert_eq!(set.snapshot().state(), SetState::Retired);
    tsrm.end();
}

/// What a thread counted before the module was registered, and in the attach in which that happened, is there.
#[tsrm::test(churn_late)]
fn registered_in_the_middle_of_an_attach(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let set = &late::WORK;
    tsrm.attach(|here| set.inc(here, Work::Rows));
    assert_eq!(set.snapshot().state(), SetState::NotStarted);
    assert!(find("late", "work").is_none(), "it has not been up");
    tsrm.attach(|here| {
        set.inc(here, Work::Rows);
        tsrm.register(late::MODULE).unwrap();
        assert_eq!(numbers(&find("late", "work").unwrap()), [2, 0, 0, 0, 0, 0]);
        set.inc(here, Work::Rows);
        assert_eq!(numbers(&set.snapshot()), [3, 0, 0, 0, 0, 0]);
        assert_eq!(set.snapshot().state(), SetState::Up);
    });
    assert_eq!(numbers(&set.snapshot()), [3, 0, 0, 0, 0, 0]);
    tsrm.end();
    assert_eq!(numbers(&set.snapshot()), [3, 0, 0, 0, 0, 0]);
}

#[tsrm::test(churn_before)]
fn an_attach_from_before_a_retire_goes_on_counting(_tsrm: Runtime) {
    let set = &before::WORK;
    for round in 0..2 {
        let base = round * 7;
        let rows = || set.snapshot().count(Work::Rows) - base;
        let tsrm = Own::start([before::MODULE]).unwrap();
        let worker = Worker::new(*tsrm, "worker");
        worker.attach(|here| set.inc(here, Work::Rows));
        worker.enter();
        let guard = worker.attach(|here| {
            set.inc(here, Work::Rows);
            set.open(here, Work::Open)
        });
        assert!(!tsrm.retire(before::MODULE, Duration::ZERO).unwrap().is_done());
        assert_eq!((rows(), set.snapshot().state()), (2, SetState::Retired));
        worker.attach(|here| set.add(here, Work::Rows, 2));
        assert_eq!(rows(), 4);
        worker.leave();
        until(|| tsrm.retire(before::MODULE, Duration::ZERO).unwrap().is_done());
        // After it too: nothing of it needs the module.
        worker.attach(|here| set.inc(here, Work::Rows));
        set.anywhere().inc(Work::Rows);
        assert_eq!(numbers(&set.snapshot()), [base + 6, 0, 1, 0, 0, 0]);
        drop(guard);
        drop(worker);
        assert_eq!(numbers(&set.snapshot()), [base + 6, 0, 0, 0, 0, 0]);
        tsrm.end();
        assert_eq!(numbers(&find("before", "work").unwrap()), [base + 6, 0, 0, 0, 0, 0]);
        set.anywhere().inc(Work::Rows);
        assert_eq!(set.snapshot().state(), SetState::Retired);
    }
}

#[tsrm::test(churn_straggler)]
fn a_straggler_counts_to_its_end(_tsrm: Runtime) {
    let set = &straggled::WORK;
    let rows = || set.snapshot().count(Work::Rows);
    let first = Own::start([straggled::MODULE]).unwrap();
    let worker = Worker::new(*first, "straggler");
    worker.enter();
    // Inside the attach that it is in; another one is refused from now on.
    let (steps, told) = std::sync::mpsc::channel::<u64>();
    let (counted, has_counted) = std::sync::mpsc::channel();
    let done = worker.begin(move || {
        Runtime::current().unwrap().attach(|here| {
            let guard = set.open(here, Work::Open);
            for by in told {
                set.add(here, Work::Rows, by);
                counted.send(()).unwrap();
            }
            guard
        })
    });
    let count = |by| {
        steps.send(by).unwrap();
        has_counted.recv().unwrap();
    };
    count(1);
    assert_eq!(first.shutdown(Duration::ZERO).unwrap().stragglers.len(), 1);
    assert_eq!(rows(), 1);
    count(10);
    assert_eq!(rows(), 11, "it is still read");
    // While another runtime runs. (In a single-threaded build nobody else has the globals meanwhile.)
    let second = Own::start([straggled::MODULE]).unwrap();
    if !tsrm::SINGLE_THREADED {
        second.attach(|here| set.add(here, Work::Rows, 100));
        assert_eq!(rows(), 111);
    } else {
        set.anywhere().add(Work::Rows, 100);
    }
    count(1000);
    assert_eq!(rows(), 1111);
    let threads = set.per_thread();
    assert_eq!(threads.threads[0].0.name.as_deref(), Some("straggler"));
    assert_eq!(numbers(&threads.threads[0].1), [1011, 0, 1, 0, 0, 0]);
    second.end();
    count(10_000);
    drop(steps);
    let guard = done.recv().unwrap();
    worker.leave();
    assert_eq!(numbers(&set.snapshot()), [11_111, 0, 1, 0, 0, 0]);
    drop(worker);
    assert!(set.per_thread().threads.is_empty());
    assert_eq!(numbers(&set.snapshot()), [11_111, 0, 1, 0, 0, 0]);
    drop(guard);
    let third = Own::start([straggled::MODULE]).unwrap();
    third.attach(|here| set.inc(here, Work::Rows));
    third.end();
    assert_eq!(numbers(&set.snapshot()), [11_112, 0, 0, 0, 0, 0]);
}

/// A thread that sleeps registered through the end of its runtime: what it has counted is there all the time.
#[tsrm::test(churn_stale)]
fn a_thread_that_sleeps_through_a_shutdown(_tsrm: Runtime) {
    let set = &sleeping::WORK;
    let rows = || set.snapshot().count(Work::Rows);
    let first = Own::start([sleeping::MODULE]).unwrap();
    let old = *first;
    let worker = Worker::new(old, "sleeper");
    worker.attach(|here| set.add(here, Work::Rows, 5));
    assert_eq!(first.shutdown(Duration::ZERO).unwrap().stragglers.len(), 1);
    assert_eq!(rows(), 5);
    let modules: [Module; 1] = [sleeping::MODULE];
    let second = Own::start(modules).unwrap();
    assert_eq!(rows(), 5);
    // Its next attach lets go of the old runtime; it is folded.
    assert!(worker.run(move || old.try_attach(|_| ()).is_err()));
    assert_eq!((rows(), numbers(&set.per_thread().rest)[0]), (5, 5));
    let new = *second;
    worker.run(move || new.attach(|here| set.add(here, Work::Rows, 2)));
    assert_eq!((rows(), numbers(&set.per_thread().rest)[0]), (7, 5));
    drop(worker);
    assert_eq!((rows(), numbers(&set.per_thread().rest)[0]), (7, 7));
    second.end();
}
