//! Guards of gauges, sent away and dropped anywhere.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use tsrm::Runtime;
use tsrm::stats::{GaugeGuard, OwnedStatistics, SharedStatistics, Snapshot};

use super::{StopAtEnd, Work, numbers, panics, threads, work};
use crate::shared::own::{LONG, Own, alone, until};

alone!(guards_sent guards_late guards_tls guards_panic guards_amounts guards_strangers);
work!(sent dropped_late in_tls panicked pool pool_of_strangers);

type Guard = GaugeGuard<Work>;

/// Threads hand theirs on in a ring: each is closed by another one than has opened it, by all means.
#[tsrm::test(sent, guards_sent)]
fn closed_by_others(tsrm: Runtime) {
    let set = &sent::WORK;
    let threads = threads(4);
    let (to_stranger, by_stranger) = mpsc::channel::<Guard>();
    std::thread::scope(|scope| {
        // It never attaches.
        scope.spawn(move || by_stranger.into_iter().for_each(drop));
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..threads).map(|_| mpsc::channel::<Guard>()).unzip();
        for (index, from) in receivers.into_iter().enumerate() {
            let to_next = senders[(index + 1) % threads].clone();
            let to_stranger = to_stranger.clone();
            scope.spawn(move || {
                tsrm.detach_after(|| {
                    for round in 0..5000 {
                        let sent = tsrm.attach(|here| {
                            to_next.send(set.open_many(here, Work::Open, 3)).is_ok()
                        });
                        assert!(sent);
                        let mut mine = from.recv_timeout(LONG).unwrap();
                        match round % 4 {
                            0 => tsrm.attach(|_here| drop(mine)),
                            1 => drop(mine),
                            2 => to_stranger.send(mine).unwrap(),
                            _ => {
                                mine.set_amount(1);
                                set.anywhere().inc(Work::Queries);
                            }
                        }
                    }
                });
            });
        }
        drop(to_stranger);
        drop(senders);
        for _ in 0..2000 {
            let open = set.snapshot().count(Work::Open);
            assert!(open < 1 << 40, "{open}");
        }
    });
    let queries = 5000 / 4 * threads as u64;
    assert_eq!(numbers(&set.snapshot()), [0, queries, 0, 0, 0, 0]);
}

#[tsrm::test(guards_late)]
fn dropped_when_all_is_over(_tsrm: Runtime) {
    let set = &dropped_late::WORK;
    let open = || set.snapshot().count(Work::Open);
    let guards = || {
        let tsrm = Own::start([dropped_late::MODULE]).unwrap();
        let mut guards =
            tsrm.attach(|here| vec![set.open(here, Work::Open), set.open(here, Work::Open)]);
        guards.push(set.anywhere().open_many(Work::Open, 2));
        assert_eq!(open(), 4);
        (tsrm, guards)
    };
    // After its thread was detached, or has ended.
    let (tsrm, own) = guards();
    tsrm.detach().unwrap();
    assert_eq!(open(), 4);
    drop(own);
    assert_eq!(open(), 0);
    let handle = *tsrm;
    let of_thread = thread::spawn(move || handle.attach(|here| set.open(here, Work::Open)));
    let of_thread = of_thread.join().unwrap();
    assert_eq!(open(), 1);
    drop(of_thread);
    // After its module was retired.
    let more = tsrm.attach(|here| set.open(here, Work::Open));
    assert!(tsrm.retire(dropped_late::MODULE, LONG).unwrap().is_done());
    assert_eq!(open(), 1);
    drop(more);
    assert_eq!(open(), 0);
    drop(tsrm);
    // After its runtime was shut down, by a thread that never attached.
    let (tsrm, left) = guards();
    tsrm.end();
    assert_eq!(open(), 4);
    thread::spawn(move || drop(left)).join().unwrap();
    assert_eq!(numbers(&set.snapshot()), [0; 6]);
}

thread_local! {
    /// Built before the thread attaches, so dropped after its exit guard; and the other way round.
    static BEFORE: RefCell<Vec<Guard>> = const { RefCell::new(Vec::new()) };
    static AFTER: RefCell<Vec<Guard>> = const { RefCell::new(Vec::new()) };
    /// Counts in its drop.
    static COUNTER: Cell<Option<AtExit>> = const { Cell::new(None) };
}

struct AtExit(Runtime);

impl Drop for AtExit {
    fn drop(&mut self) {
        let set = &in_tls::WORK;
        set.anywhere().inc(Work::Rows);
        self.0.attach(|here| set.add(here, Work::Queries, 2));
        assert!(set.snapshot().count(Work::Rows) > 0);
    }
}

#[tsrm::test(guards_tls)]
fn dropped_by_the_end_of_a_thread(_tsrm: Runtime) {
    const ROUNDS: u64 = 200;
    let tsrm = Own::start([in_tls::MODULE]).unwrap();
    let (handle, set) = (*tsrm, &in_tls::WORK);
    for round in 1..=ROUNDS {
        let ended = thread::spawn(move || {
            BEFORE.with_borrow_mut(Vec::clear);
            COUNTER.set(Some(AtExit(handle)));
            let guards = handle.attach(|here| {
                set.inc(here, Work::Rows);
                (set.open(here, Work::Open), set.open_many(here, Work::Open, 2))
            });
            BEFORE.with_borrow_mut(|before| before.push(guards.0));
            AFTER.with_borrow_mut(|after| after.push(guards.1));
            if round % 2 == 0 {
                handle.detach().unwrap();
            }
            assert_eq!(set.snapshot().count(Work::Open), 3);
        });
        ended.join().unwrap();
        assert_eq!(numbers(&set.snapshot()), [2 * round, 2 * round, 0, 0, 0, 0]);
        until(|| handle.threads().is_empty());
    }
    tsrm.end();
    assert_eq!(numbers(&set.snapshot()), [2 * ROUNDS, 2 * ROUNDS, 0, 0, 0, 0]);
}

/// What was counted before a panic stays counted, what was opened is closed.
#[tsrm::test(panicked, guards_panic)]
fn a_panic_in_the_middle(tsrm: Runtime) {
    let set = &panicked::WORK;
    for round in 1..=100 {
        let panic = panics(|| {
            tsrm.request(|here| {
                let _one = set.open(here, Work::Open);
                let local = set.local(here);
                let _other = local.open_many(Work::Open, 4);
                local.add(Work::Rows, 20);
                set.inc(here, Work::Queries);
                assert_eq!(set.snapshot().count(Work::Open), 5);
                panic!("in the middle")
            })
        });
        assert_eq!(panic, "in the middle");
        assert_eq!(numbers(&set.snapshot()), [20 * round, round, 0, 0, 0, 0]);
        // On a thread that ends by it.
        if !tsrm::SINGLE_THREADED {
            let ended = tsrm::thread::spawn(move |here| {
                let _guard = set.open(here, Work::Open);
                std::panic::resume_unwind(Box::new("the end"));
            });
            assert!(ended.join().is_err());
            assert_eq!(set.snapshot().count(Work::Open), 0);
        }
    }
    // A guard that is dropped by the unwinding of a thread that was refused an attach.
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _guard = set.anywhere().open_many(Work::Open, 9);
        assert_eq!(set.snapshot().count(Work::Open), 9);
        std::panic::resume_unwind(Box::new("refused"));
    }));
    assert!(caught.is_err());
    assert_eq!(set.snapshot().count(Work::Open), 0);
}

/// What readers see of a pool that has 1,000 and 1,001 in turn: the least and the greatest.
fn grows_and_shrinks(mut guard: Guard, snapshot: impl Fn() -> Snapshot + Sync) -> (u64, u64) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let reader = scope.spawn(|| {
            let (mut least, mut greatest) = (u64::MAX, 0);
            while !stop.load(Ordering::Relaxed) {
                let open = snapshot().count(Work::Open);
                (least, greatest) = (least.min(open), greatest.max(open));
            }
            (least, greatest)
        });
        for round in 0..200_000 {
            guard.set_amount(1000 + round % 2);
        }
        stop.store(true, Ordering::Relaxed);
        // Dropped when nobody looks.
        let seen = reader.join().unwrap();
        drop(guard);
        seen
    })
}

/// It is never as much as nothing, or both.
#[track_caller]
fn is_the_old_or_the_new(seen: (u64, u64)) {
    assert!(seen.0 >= 1000 && seen.1 <= 1001, "from {} to {}", seen.0, seen.1);
}

#[tsrm::test(pool, guards_amounts)]
fn an_amount_changes_in_one_step(tsrm: Runtime) {
    let set = &pool::WORK;
    let guard = tsrm.attach(|here| set.open_many(here, Work::Open, 1000));
    is_the_old_or_the_new(grows_and_shrinks(guard, || set.snapshot()));
    let owned = OwnedStatistics::new();
    let guard = tsrm.attach(|here| owned.open_many(here, set, Work::Open, 1000));
    is_the_old_or_the_new(grows_and_shrinks(guard, || set.snapshot()));
    let shared = SharedStatistics::new();
    let guard = tsrm.attach(|here| shared.open_many(here, set, Work::Open, 1000));
    is_the_old_or_the_new(grows_and_shrinks(guard, || shared.snapshot()));
    assert_eq!(set.snapshot().count(Work::Open), 0);
}

/// The same on a thread that is not registered, and on one that has not opened it.
#[tsrm::test(pool_of_strangers, guards_strangers)]
fn an_amount_that_others_change(tsrm: Runtime) {
    let set = &pool_of_strangers::WORK;
    let open = || set.snapshot().count(Work::Open);
    let of_nobody = set.anywhere().open_many(Work::Open, 1000);
    is_the_old_or_the_new(grows_and_shrinks(of_nobody, || set.snapshot()));
    for is_registered in [false, true] {
        let of_thread = tsrm.attach(|here| set.open_many(here, Work::Open, 1000));
        tsrm.detach().unwrap();
        if is_registered {
            tsrm.attach(|_here| ());
        }
        is_the_old_or_the_new(grows_and_shrinks(of_thread, || set.snapshot()));
        assert_eq!(open(), 0);
    }
    // From hand to hand.
    let mut guard = tsrm.attach(|here| set.open_many(here, Work::Open, 5));
    let (handle, strange) = (tsrm, |mut guard: Guard, amount| {
        thread::spawn(move || {
            guard.set_amount(amount);
            guard
        })
    });
    for amount in [50, 20, 20, 0, 7, 1, 2, 0] {
        guard = strange(guard, amount).join().unwrap();
        assert_eq!((guard.amount(), open()), (amount, amount));
        guard.set_amount(amount + 3);
        assert_eq!(open(), amount + 3);
        tsrm.detach().unwrap();
        guard.set_amount(amount);
        assert_eq!(open(), amount);
        handle.attach(|_here| guard.set_amount(amount + 1));
        assert_eq!(open(), amount + 1);
    }
    drop(strange(guard, 100).join().unwrap());
    assert_eq!(open(), 0);
}
