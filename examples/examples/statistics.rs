//! Process-wide statistics: every worker counts, a reader watches, and at the end the totals are exact.
//!
//! In a thread-safe build 16 threads serve 50,000 requests each, in a single-threaded one the main thread
//! does. To count is one addition; the reader has no token, in neither mode.

use std::sync::atomic::{AtomicBool, Ordering};

use tsrm::stats::{self, OwnedStatistics};

/// A driver that counts what it does.
#[tsrm::module]
pub mod driver {
    use tsrm::Statistics;

    /// What the driver counts.
    #[derive(Clone, Copy, tsrm::Statistics)]
    pub enum Driver {
        /// Queries that were run.
        #[stat(counter)]
        Queries,
        /// Rows that were fetched.
        #[stat(counter)]
        Rows,
        /// Requests that are being served now.
        #[stat(gauge)]
        ActiveRequests,
        /// Rows in the largest result.
        #[stat(peak)]
        LargestResult,
        /// Bytes of a result.
        #[stat(histogram, unit = "bytes", max = 65_535)]
        ResultSize,
    }

    /// In the whole process.
    #[statistics]
    pub static DRIVER: Statistics<Driver>;
}
use driver::{DRIVER, Driver};

const THREADS: u64 = if tsrm::SINGLE_THREADED { 1 } else { 16 };
const REQUESTS: u64 = 50_000;
const ROWS: u64 = 20;

/// What one thread has of its own; a real one would have a socket too.
#[derive(Default)]
struct Connection {
    stats: OwnedStatistics<Driver>,
}

impl Connection {
    fn query(&self, here: tsrm::Attached<'_>) {
        let _active = self.stats.open(here, &DRIVER, Driver::ActiveRequests);
        // In this connection's set and in the process-wide one.
        self.stats.add_all(here, &DRIVER, [(Driver::Queries, 1), (Driver::Rows, ROWS)]);
        self.stats.record(here, &DRIVER, Driver::ResultSize, ROWS * 8);
        self.stats.raise(here, &DRIVER, Driver::LargestResult, ROWS);
    }
}

fn serve(tsrm: tsrm::Runtime) {
    let connection = Connection::default();
    for _ in 0..REQUESTS {
        tsrm.attach(|here| connection.query(here));
    }
    assert_eq!(connection.stats.snapshot().count(Driver::Rows), REQUESTS * ROWS);
}

/// Reads all the time, and returns how often. No counter ever steps back.
fn watch(is_over: &AtomicBool) -> u64 {
    let (mut reads, mut earlier) = (0, DRIVER.snapshot());
    while !is_over.load(Ordering::Acquire) {
        let now = DRIVER.snapshot();
        for counter in [Driver::Queries, Driver::Rows, Driver::ResultSize] {
            assert!(now.count(counter) >= earlier.count(counter));
        }
        assert!(now.count(Driver::ActiveRequests) <= THREADS);
        (reads, earlier) = (reads + 1, now);
    }
    reads
}

#[tsrm::main(driver)]
fn main(tsrm: tsrm::Runtime) {
    let is_over = AtomicBool::new(false);
    let reads = std::thread::scope(|scope| {
        let reader = scope.spawn(|| watch(&is_over));
        if tsrm::SINGLE_THREADED {
            serve(tsrm);
        } else {
            std::thread::scope(|workers| {
                for _ in 0..THREADS {
                    workers.spawn(|| serve(tsrm));
                }
            });
        }
        is_over.store(true, Ordering::Release);
        reader.join().expect("the reader saw nothing wrong")
    });

    let end = DRIVER.snapshot();
    println!("{} build, {THREADS} thread(s), read {reads} time(s) meanwhile", tsrm::MODE);
    for reading in &end {
        println!("  {:<16} {:>10}  {}", reading.name, reading.value.count(), reading.help);
    }
    assert_eq!(end.count(Driver::Queries), THREADS * REQUESTS);
    assert_eq!(end.count(Driver::Rows), THREADS * REQUESTS * ROWS);
    assert_eq!(end.count(Driver::ActiveRequests), 0);
    assert_eq!(end.count(Driver::LargestResult), ROWS);
    assert_eq!(end.count(Driver::ResultSize), THREADS * REQUESTS);

    // What a counter is worth that nobody ever counts in, is for its author to think about.
    let idle: Vec<_> = stats::all()
        .iter()
        .flat_map(|set| set.iter().filter(|reading| reading.value.count() == 0))
        .map(|reading| reading.name)
        .collect();
    assert_eq!(idle, ["active_requests"], "only what is over again is 0");
}
