//! Many threads and one lock: how much they do in a while, and how long they wait.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tsrm_workload::harness::{cpu, print};
#[cfg(unix)]
use tsrm_workload::locks::peers::PthreadRwLock;
use tsrm_workload::locks::peers::{
    ParkingLot, ParkingLot12, ParkingLotMutex, Std, StdMutex, Usync,
};
use tsrm_workload::locks::{Alone, Lock, Srw, Sux};

use crate::key;
use crate::load::{Load, Worker};
use crate::waits::Waits;
use crate::work::Work;

const THREADS: [usize; 4] = [2, 4, 16, 64];
const WINDOW: Duration = Duration::from_millis(80);
/// Where waits are judged: no wait is seen that is longer than this.
const LONG_WINDOW: Duration = Duration::from_millis(320);

/// A lock, and how it is measured.
type Row = (&'static str, fn(Cell) -> Outcome);

const ROWS: &[Row] = &[
    ("SuxLock", Cell::measure::<Sux>),
    ("SrwMutex", Cell::measure::<Srw>),
    ("parking_lot-RwLock", Cell::measure::<ParkingLot>),
    ("parking_lot-Mutex", Cell::measure::<ParkingLotMutex>),
    ("parking_lot-0.12-RwLock", Cell::measure::<ParkingLot12>),
    ("std-RwLock", Cell::measure::<Std>),
    ("std-Mutex", Cell::measure::<StdMutex>),
    ("usync-RwLock", Cell::measure::<Usync>),
    #[cfg(unix)]
    ("pthread-rwlock", Cell::measure::<PthreadRwLock>),
];

/// Prints all cells. Within each of them the locks take turns; who begins is another one each time, as to be the first after
/// so many threads may be a disadvantage.
pub(crate) fn time() {
    let work = Work::calibrated();
    let mut first = std::process::id() as usize;
    for load in Load::ALL {
        for threads in THREADS {
            first += 1;
            for turn in 0..ROWS.len() {
                let (name, measure) = ROWS[(first + turn) % ROWS.len()];
                measure(Cell { load, threads, work }).print(name, load, threads);
            }
        }
    }
}

/// What all locks are measured with.
#[derive(Clone, Copy)]
struct Cell {
    load: Load,
    threads: usize,
    work: Work,
}

impl Cell {
    fn window(self) -> Duration {
        if self.load == Load::Half && self.threads == 64 { LONG_WINDOW } else { WINDOW }
    }

    fn measure<L: Lock>(self) -> Outcome {
        let lock = Alone::<L>::new();
        let (barrier, is_over) = (Barrier::new(self.threads + 1), AtomicBool::new(false));
        let (lock, barrier, is_over) = (&lock, &barrier, &is_over);
        tsrm::thread::scope(|scope| {
            let spawn = |number| {
                scope.spawn(move |here| {
                    let mut worker = Worker::new(number, self.work);
                    barrier.wait();
                    let start = cpu::now();
                    // Relaxed: a few operations more do not matter.
                    let goes_on = || !is_over.load(Ordering::Relaxed);
                    worker.work::<L>(self.load, lock, here, goes_on);
                    (worker, cpu::now() - start)
                })
            };
            let threads: Vec<_> = (0..self.threads).map(spawn).collect();
            barrier.wait();
            let start = Instant::now();
            pass(self.window());
            is_over.store(true, Ordering::Relaxed);
            let mut outcome = Outcome::new(start.elapsed());
            for thread in threads {
                let (worker, on_processor) = thread.join().expect("a thread has panicked");
                outcome.add(&worker, on_processor);
            }
            outcome
        })
    }
}

/// Lets the others work.
fn pass(window: Duration) {
    let end = Instant::now() + window;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::park_timeout(left);
    }
}

/// What the threads did.
struct Outcome {
    took: Duration,
    on_processor: Duration,
    operations: u64,
    writes: Waits,
    reads: Waits,
}

impl Outcome {
    fn new(took: Duration) -> Self {
        let (writes, reads) = (Waits::new(), Waits::new());
        Self { took, on_processor: Duration::ZERO, operations: 0, writes, reads }
    }

    fn add(&mut self, worker: &Worker, on_processor: Duration) {
        self.on_processor += on_processor;
        self.operations += worker.operations;
        self.writes.add(&worker.writes);
        self.reads.add(&worker.reads);
    }

    fn print(&self, name: &str, load: Load, threads: usize) {
        let took = self.took.as_secs_f64();
        let figures = [
            ("mops", Some(self.operations as f64 / took / 1e6)),
            ("cores", Some(self.on_processor.as_secs_f64() / took)),
            ("wait_p50", self.writes.quantile(0.5)),
            ("wait_p99", self.writes.quantile(0.99)),
            ("wait_p999", self.writes.quantile(0.999)),
            ("wait_max", self.writes.quantile(1.0)),
            ("read_wait_p99", self.reads.quantile(0.99)),
            ("read_wait_max", self.reads.quantile(1.0)),
        ];
        for (figure, value) in figures {
            if let Some(value) = value {
                // Not all are times, but they are told as all rows are.
                print(&key(name, load.name(), threads, figure), value);
            }
        }
    }
}
