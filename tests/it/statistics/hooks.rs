//! Counting, reading and closing where a thread, a request or a module begins and ends.

use std::cell::{Cell, RefCell};
use std::sync::Mutex;

use tsrm::stats::{GaugeGuard, SetState, SharedStatistics};
use tsrm::{Attached, Runtime};

use super::{StopAtEnd, Work, numbers};
use crate::shared::own::{LONG, Own, Worker, alone};

alone!(hooks_all hooks_churn);

/// Drops a guard, counts and reads in its own drop: in the middle of a drain, where no attach succeeds.
struct InDrain(Option<GaugeGuard<Work>>);

impl Drop for InDrain {
    fn drop(&mut self) {
        let Some(guard) = self.0.take() else { return };
        let before = hooked::WORK.snapshot().count(Work::Open);
        hooked::WORK.anywhere().add(Work::Rows, 1_000);
        assert!(hooked::WORK.snapshot().count(Work::Rows) >= 1_000);
        assert!(before >= 1);
        drop(guard);
    }
}

#[tsrm::module]
mod hooked {
    use super::*;

    #[statistics]
    pub(super) static WORK: Statistics<Work>;

    #[global]
    pub(super) static CACHED: RefCell<Vec<InDrain>> = RefCell::new(Vec::new());
    #[global]
    pub(super) static STATIC: Cell<Option<InDrain>> = const { Cell::new(None) };
    /// For `thread_shutdown`.
    #[global]
    pub(super) static TO_CLOSE: Cell<Option<GaugeGuard<Work>>> = const { Cell::new(None) };
    #[shared]
    pub(super) static SHARED: Mutex<Vec<InDrain>> = Mutex::new(Vec::new());
    /// Of an object, which goes with the module.
    #[shared]
    pub(super) static POOL: SharedStatistics<Work> = SharedStatistics::new();

    #[module_startup]
    fn up(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        WORK.anywhere().inc(Work::Queries);
        let held = InDrain(Some(WORK.anywhere().open_many(Work::Open, 1)));
        phase.shared_mut(&SHARED).get_mut().unwrap().push(held);
        Ok(())
    }

    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), tsrm::Error> {
        WORK.inc(here, Work::Rows);
        POOL.get(here).inc(here, &WORK, Work::Rows);
        TO_CLOSE.get(here).set(Some(WORK.open(here, Work::Open)));
        Ok(())
    }

    #[request_startup]
    fn begin(here: Attached<'_>) -> Result<(), tsrm::Error> {
        WORK.add(here, Work::Rows, 10);
        Ok(())
    }

    #[request_shutdown]
    fn end(here: Attached<'_>) {
        WORK.add(here, Work::Rows, 10);
        assert!(WORK.snapshot().count(Work::Rows) >= 20);
    }

    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        WORK.add(here, Work::Rows, 100);
        POOL.get(here).inc(here, &WORK, Work::Rows);
        drop(TO_CLOSE.get(here).take().unwrap());
        // Dropped in a moment.
        STATIC.get(here).set(Some(InDrain(Some(WORK.open(here, Work::Open)))));
    }

    #[module_shutdown]
    fn down(phase: &mut tsrm::Shutdown<'_>) {
        WORK.anywhere().inc(Work::Queries);
        assert_eq!(phase.shared(&POOL).snapshot().state(), SetState::Owned);
    }
}

#[tsrm::test(hooks_all)]
fn what_hooks_and_destructors_count(_tsrm: Runtime) {
    let set = &hooked::WORK;
    let mut base = [0; 6];
    for by_retire in [false, true, false] {
        let tsrm = Own::start([hooked::MODULE]).unwrap();
        let since = || -> [u64; 4] {
            let now = numbers(&set.snapshot());
            [now[0] - base[0], now[1] - base[1], now[2], now[3]]
        };
        assert_eq!(since(), [0, 1, 1, 0]);
        let worker = Worker::new(*tsrm, "worker");
        // One in the hook, one in the pool; both gauges.
        worker.attach(|here| {
            assert_eq!(hooked::POOL.get(here).snapshot().count(Work::Rows), 1);
            let held = InDrain(Some(set.open(here, Work::Open)));
            hooked::CACHED.get(here).borrow_mut().push(held);
        });
        assert_eq!(since(), [2, 1, 3, 0]);
        let handle = *tsrm;
        worker.run(move || handle.request(|here| set.inc(here, Work::Rows)));
        assert_eq!(since(), [23, 1, 3, 0]);
        // `thread_shutdown`: 101, in the two destructors 1000 each.
        worker.detach();
        assert_eq!(since(), [2124, 1, 1, 0]);
        drop(worker);
        if by_retire {
            assert!(tsrm.retire(hooked::MODULE, LONG).unwrap().is_done());
        }
        tsrm.end();
        assert_eq!(since(), [3124, 2, 0, 0]);
        base = numbers(&set.snapshot());
    }
}

/// A module that comes and goes under threads that never leave: their hooks' counts are exact.
#[tsrm::module]
mod reborn {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    pub(super) static BORN: AtomicU64 = AtomicU64::new(0);
    pub(super) static GONE: AtomicU64 = AtomicU64::new(0);

    #[statistics]
    pub(super) static WORK: Statistics<Work>;
    #[global]
    pub(super) static HELD: Cell<Option<GaugeGuard<Work>>> = const { Cell::new(None) };

    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), tsrm::Error> {
        BORN.fetch_add(1, Ordering::Relaxed);
        WORK.inc(here, Work::Rows);
        HELD.get(here).set(Some(WORK.open(here, Work::Open)));
        Ok(())
    }

    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        GONE.fetch_add(1, Ordering::Relaxed);
        WORK.inc(here, Work::Queries);
    }
}

#[tsrm::test(hooks_churn)]
fn hooks_of_a_module_that_comes_and_goes(_tsrm: Runtime) {
    use std::sync::atomic::{AtomicBool, Ordering};

    let tsrm = Own::start([]).unwrap();
    let (handle, stop) = (*tsrm, AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        for _ in 0..super::threads(3) {
            scope.spawn(|| {
                handle.detach_after(|| {
                    while !stop.load(Ordering::Relaxed) {
                        handle.attach(|_| ());
                    }
                });
            });
        }
        // At least that often, and until the threads have met it.
        let mut rounds = 0;
        while rounds < 2000 || reborn::BORN.load(Ordering::Relaxed) < 10 {
            rounds += 1;
            handle.register(reborn::MODULE).unwrap();
            let _ = handle.retire(reborn::MODULE, LONG).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    let hooks = [&reborn::BORN, &reborn::GONE].map(|count| count.load(Ordering::Relaxed));
    tsrm.end();
    assert_eq!(numbers(&reborn::WORK.snapshot()), [hooks[0], hooks[1], 0, 0, 0, 0]);
}
