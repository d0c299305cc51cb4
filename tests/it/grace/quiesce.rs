//! Grace periods for whoever wants one.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use tsrm::{QuiesceError, Runtime};

use crate::shared::own::{LONG, Own, Worker, alone, log, logged, until};

alone!(a1 a2 a3 a4 a5 a6);

#[tsrm::test(a1)]
fn a_grace_period_waits_for_exactly_those_that_are_inside(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    tsrm.quiesce(Duration::ZERO).unwrap();
    let workers = Worker::several(*tsrm, 4);
    workers.iter().for_each(|worker| worker.attach(|_| ()));
    // Sleepers are not waited for.
    tsrm.quiesce(Duration::ZERO).unwrap();
    let busy = |deadline| match tsrm.quiesce(deadline) {
        Ok(()) => Vec::new(),
        Err(QuiesceError::Busy { threads }) => {
            assert!(threads.iter().all(|thread| thread.depth == 2));
            threads.into_iter().map(|thread| thread.thread.name.unwrap()).collect()
        }
        Err(other) => panic!("{other}"),
    };
    for worker in &workers {
        worker.enter();
        worker.enter();
    }
    let all: Vec<_> = (1..=workers.len()).map(|number| format!("worker {number}")).collect();
    assert_eq!(busy(Duration::ZERO), all);
    let text = tsrm.quiesce(Duration::ZERO).unwrap_err().to_string();
    assert!(text.contains(&format!("{} thread(s) are still in an attach:", all.len())), "{text}");
    let error = workers[0].run(move || handle.quiesce(LONG).unwrap_err());
    assert!(matches!(error, QuiesceError::Attached { depth: 2 }), "{error}");
    // An inner level is no end.
    workers[0].leave();
    // It counts also if a thread comes back at once.
    let leave_and_come_back = |worker: &Worker| {
        let depth = worker.attach(|here| here.thread().depth()) - 1;
        (0..depth).for_each(|_| worker.send_leave());
        worker.enter();
    };
    let quiesce = std::thread::spawn(move || handle.quiesce(LONG));
    let (last, others) = workers.split_last().unwrap();
    for worker in others {
        leave_and_come_back(worker);
        assert!(!quiesce.is_finished(), "the last one is still inside");
    }
    leave_and_come_back(last);
    // It may have begun later than it was asked to. At no time are all of them outside.
    until(|| {
        workers.iter().for_each(leave_and_come_back);
        quiesce.is_finished()
    });
    quiesce.join().unwrap().unwrap();
    workers.iter().for_each(|worker| worker.leave());
    tsrm.quiesce(Duration::ZERO).unwrap();
}

/// The value that readers look at by a plain pointer.
struct Node {
    canary: AtomicU64,
    number: u64,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.canary.store(0, Ordering::Relaxed);
    }
}

#[tsrm::test(a2)]
fn a_program_that_swaps_waits_and_frees(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let node = |number| Box::into_raw(Box::new(Node { canary: AtomicU64::new(!0), number }));
    let current = AtomicPtr::new(node(0));
    let stop = AtomicBool::new(false);
    let readers = if tsrm::SINGLE_THREADED { 1 } else { 4 };
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                let mut last = 0;
                handle.detach_after(|| {
                    while !stop.load(Ordering::Relaxed) {
                        handle.attach(|_here| {
                            // SAFETY: freed only a grace period after it was taken out.
                            let node = unsafe { &*current.load(Ordering::Acquire) };
                            for _ in 0..4 {
                                std::thread::yield_now();
                                assert_eq!(node.canary.load(Ordering::Relaxed), !0);
                            }
                            assert!(node.number >= last);
                            last = node.number;
                        });
                    }
                });
            });
        }
        for number in 1..=500 {
            let old = current.swap(node(number), Ordering::AcqRel);
            handle.quiesce(LONG).unwrap();
            // SAFETY: nobody finds it any more, and nobody has it any more.
            drop(unsafe { Box::from_raw(old) });
        }
        stop.store(true, Ordering::Relaxed);
    });
    // SAFETY: the readers have ended.
    drop(unsafe { Box::from_raw(current.swap(ptr::null_mut(), Ordering::AcqRel)) });
}

#[tsrm::test(a3)]
fn grace_periods_of_many_at_once(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let worker = Worker::new(*tsrm, "worker");
    for _ in 0..20 {
        worker.enter();
        let waiting: Vec<_> =
            (0..8).map(|_| std::thread::spawn(move || handle.quiesce(LONG))).collect();
        worker.leave();
        waiting.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
    }
    // Registered threads that ask, at depth 0, are not waited for either.
    if !tsrm::SINGLE_THREADED {
        let workers = Worker::several(*tsrm, 4);
        workers.iter().for_each(|worker| worker.attach(|_| ()));
        let answers: Vec<_> =
            workers.iter().map(|worker| worker.begin(move || handle.quiesce(LONG))).collect();
        answers.into_iter().for_each(|answer| answer.recv().unwrap().unwrap());
    } else {
        worker.run(move || handle.quiesce(LONG).unwrap());
    }
    // Nor is a thread that has left for good.
    drop(worker);
    tsrm.quiesce(Duration::ZERO).unwrap();
}

/// Waits for a grace period when it goes.
struct Patient(Runtime);

impl Drop for Patient {
    fn drop(&mut self) {
        log(format!("{:?}", self.0.quiesce(LONG)));
    }
}

#[tsrm::module]
mod patient {
    use super::*;

    #[global]
    pub(super) static VALUE: Patient = Patient(Runtime::current().unwrap());

    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        let error = VALUE.get(here).0.quiesce(LONG).unwrap_err();
        log(error.to_string());
    }
}

#[tsrm::test(a4)]
fn from_hooks_and_destructors(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([patient::MODULE]).unwrap();
    let workers = Worker::several(*tsrm, 4);
    for worker in &workers {
        worker.attach(|here| assert_eq!(patient::VALUE.get(here).0, Runtime::current().unwrap()));
    }
    // All at the same time: each is at depth 0 while it waits for the others to be.
    let handle = *tsrm;
    let left: Vec<_> =
        workers.iter().map(|worker| worker.begin(move || handle.detach().unwrap())).collect();
    left.into_iter().for_each(|left| left.recv().unwrap());
    let mut told = logged();
    told.sort();
    let hook = "no grace period: this thread is inside 1 attach(es), and would wait for itself";
    assert_eq!(told, [vec!["Ok(())"; workers.len()], vec![hook; workers.len()]].concat());
}

#[tsrm::test(a5)]
fn what_was_written_inside_is_seen_behind_it(_tsrm: Runtime) {
    // Plain memory, written by a thread in an attach, read by who waited for the end of it.
    struct Plain(std::cell::UnsafeCell<u64>);
    // SAFETY: written inside attaches only, and read when those have been waited for.
    unsafe impl Sync for Plain {}
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let plain = Plain(std::cell::UnsafeCell::new(0));
    let (open, turns) = (AtomicBool::new(true), AtomicU64::new(0));
    let plain = &plain;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            handle.detach_after(|| {
                while turns.load(Ordering::Relaxed) < 2_000 {
                    handle.attach(|_| {
                        if open.load(Ordering::Relaxed) {
                            // SAFETY: the other thread closes it first, and then waits for this attach.
                            unsafe { *plain.0.get() += 1 };
                        }
                    });
                    std::thread::yield_now();
                }
            });
        });
        let mut last = 0;
        for _ in 0..2_000 {
            open.store(false, Ordering::Relaxed);
            handle.quiesce(LONG).unwrap();
            // SAFETY: nobody writes.
            let now = unsafe { plain.0.get().read_volatile() };
            assert!(now >= last, "{now} {last}");
            std::thread::yield_now();
            // SAFETY: as above.
            assert_eq!(now, unsafe { plain.0.get().read_volatile() });
            last = now;
            open.store(true, Ordering::Relaxed);
            turns.fetch_add(1, Ordering::Relaxed);
        }
    });
}

#[tsrm::test(a6)]
fn threads_of_an_earlier_runtime_are_waited_for_too(_tsrm: Runtime) {
    let first = Own::start([]).unwrap();
    let worker = Worker::new(*first, "worker");
    worker.enter();
    assert_eq!(first.shutdown(Duration::ZERO).unwrap().stragglers.len(), 1);
    drop(first);
    let second = Runtime::start([patient::MODULE]).unwrap();
    // It may have read a shared value of this runtime's, whatever its own one is.
    let QuiesceError::Busy { threads } = second.quiesce(Duration::ZERO).unwrap_err() else {
        panic!()
    };
    let names: Vec<_> = threads.iter().map(|thread| thread.thread.name.as_deref()).collect();
    assert_eq!(names, [Some("worker")]);
    let retired = second.retire(patient::MODULE, Duration::ZERO).unwrap();
    assert!(!retired.is_done(), "{retired}");
    worker.send_leave();
    // No deadline at all.
    second.quiesce(Duration::MAX).unwrap();
    assert!(second.retire(patient::MODULE, Duration::MAX).unwrap().is_done());
    drop(worker);
    assert!(second.shutdown(LONG).unwrap().is_clean());
}
