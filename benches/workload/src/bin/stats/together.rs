//! What a count costs each of several threads that all count: the time that they were on a processor, over
//! what they have counted. With more threads than cores that is not the time that passes.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tsrm::Runtime;
use tsrm_workload::harness::row::Kind;
use tsrm_workload::harness::{clock, cpu, print};

use crate::rows::{self, Counting, TURNS};

/// Between two looks at the clock.
const COUNTS: u64 = 1024 * TURNS as u64;

/// A row in one of its forms.
type Run = fn(Runtime, u64);

/// Prints the called rows, on one thread.
pub(crate) fn time_called(tsrm: Runtime) {
    let rows = rows::all();
    let run = |row: &Counting| match row.called.kind {
        Kind::Loop(run) => run,
        _ => unreachable!("{} can be repeated", row.called.name),
    };
    let runs: Vec<Run> = rows.iter().map(run).collect();
    for (row, result) in rows.iter().zip(of_one(tsrm, &runs, 1)) {
        print(&format!("{}/called", row.called.name), result.ns);
    }
}

/// Prints the inlined rows, each with the number of threads behind its name.
pub(crate) fn time(tsrm: Runtime, threads: usize) {
    let is_for = |row: &Counting| threads == 1 || row.called.name != rows::ONE_THREAD;
    let rows: Vec<_> = rows::all().into_iter().filter(is_for).collect();
    let runs: Vec<Run> = rows.iter().map(|row| row.inlined).collect();
    let run = if threads == 1 { of_one } else { of_all };
    let results = run(tsrm, &runs, threads);
    for (row, result) in rows.iter().zip(&results) {
        print(&format!("{}/{threads}", row.called.name), result.ns);
    }
    let cores = results.iter().map(|result| result.cores).collect();
    print(&format!("cores/{threads}"), clock::median(cores));
}

/// What came of a row.
#[derive(Clone, Copy)]
struct Timed {
    ns: f64,
    /// How many of the threads were on a processor at once.
    cores: f64,
}

/// How often one thread runs all rows in turn: often and shortly, so that a disturbance meets all of them.
const REPEATS: usize = 21;
const BATCH: Duration = Duration::from_millis(1);
/// With several threads, once, and for each of them this long.
const BATCH_PER_THREAD: Duration = Duration::from_millis(3);

/// On this thread.
fn of_one(tsrm: Runtime, rows: &[Run], _: usize) -> Vec<Timed> {
    let mut shares = vec![Vec::new(); rows.len()];
    for _ in 0..REPEATS {
        for (&run, shares) in rows.iter().zip(&mut shares) {
            let end = Instant::now() + BATCH;
            shares.push(Share::of(tsrm, run, || Instant::now() < end));
        }
    }
    let median =
        |of: fn(&Share) -> f64, shares: &[Share]| clock::median(shares.iter().map(of).collect());
    let timed = |shares: Vec<Share>| Timed {
        ns: median(|share| share.ns_per_count(), &shares),
        cores: median(|share| share.cores(BATCH), &shares),
    };
    shares.into_iter().map(timed).collect()
}

/// On so many threads, for which each row takes longer: each of them should have had a core.
fn of_all(tsrm: Runtime, rows: &[Run], threads: usize) -> Vec<Timed> {
    let batch = BATCH_PER_THREAD * u32::try_from(threads).unwrap_or(u32::MAX);
    let (barrier, end) = (Barrier::new(threads), AtomicU64::new(0));
    let stage = Stage { barrier, start: Instant::now(), end };
    let take_part =
        || tsrm.detach_after(|| rows.iter().map(|&run| stage.share(tsrm, run, batch)).collect());
    let shares: Vec<Vec<Share>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(take_part)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread has panicked")).collect()
    });
    let of_row = |row: usize| {
        let share = shares.iter().map(|shares| shares[row]).fold(Share::NONE, Share::and);
        Timed { ns: share.ns_per_count(), cores: share.cores(batch) }
    };
    (0..rows.len()).map(of_row).collect()
}

/// Where threads begin and end together.
struct Stage {
    barrier: Barrier,
    start: Instant,
    /// Nanoseconds from the start to the end of the row that is being run.
    end: AtomicU64,
}

impl Stage {
    /// The calling thread's.
    fn share(&self, tsrm: Runtime, run: Run, batch: Duration) -> Share {
        let passed = || u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        // Twice: when it is over is known once all are here, and before any of them begins.
        if self.barrier.wait().is_leader() {
            self.end.store(passed() + batch.as_nanos() as u64, Ordering::Relaxed);
        }
        self.barrier.wait();
        let end = self.end.load(Ordering::Relaxed);
        Share::of(tsrm, run, || passed() < end)
    }
}

/// What one thread did, or several.
#[derive(Clone, Copy)]
struct Share {
    time: Duration,
    counts: u64,
}

impl Share {
    const NONE: Self = Self { time: Duration::ZERO, counts: 0 };

    /// Runs a row at least once.
    fn of(tsrm: Runtime, run: Run, goes_on: impl Fn() -> bool) -> Self {
        // What only a thread's first count does.
        run(tsrm, TURNS as u64);
        let mut share = Self::NONE;
        let start = cpu::now();
        loop {
            run(tsrm, COUNTS);
            share.counts += COUNTS;
            if !goes_on() {
                break;
            }
        }
        share.time = cpu::now() - start;
        share
    }

    fn and(self, other: Self) -> Self {
        Self { time: self.time + other.time, counts: self.counts + other.counts }
    }

    fn ns_per_count(self) -> f64 {
        self.time.as_nanos() as f64 / self.counts as f64
    }

    fn cores(self, batch: Duration) -> f64 {
        self.time.as_secs_f64() / batch.as_secs_f64()
    }
}
