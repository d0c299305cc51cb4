//! How long one operation takes, on a machine that others use too.

use std::array;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One batch: long enough for the clock, short enough to fit between two interruptions.
const BATCH: Duration = Duration::from_millis(2);
/// How many fresh threads a first attach is measured on.
const THREADS: usize = 201;
/// How long what takes its time is repeated: so long, unless that are too few or too many times.
const RUNS: Duration = Duration::from_millis(50);
const FEWEST_RUNS: usize = 3;
const MOST_RUNS: usize = 2001;

/// Nanoseconds per iteration of `run`: the median of that many batches.
pub fn per_iteration(batches: usize, mut run: impl FnMut(u64)) -> f64 {
    let mut time = |count: u64| {
        let start = Instant::now();
        run(black_box(count));
        start.elapsed()
    };
    let mut count = 1;
    let mut took = time(count);
    while took < BATCH / 4 {
        count *= 2;
        took = time(count);
    }
    let count = (count as f64 * BATCH.as_secs_f64() / took.as_secs_f64()).max(1.0) as u64;
    let batch = || time(count).as_nanos() as f64 / count as f64;
    median(std::iter::repeat_with(batch).take(batches).collect())
}

/// Nanoseconds of something that can be done once per thread; `run` does it on one and says how
/// long it took. Reading the clock is in it, 20 to 30 ns.
pub fn per_thread(mut run: impl FnMut() -> Duration) -> f64 {
    median(std::iter::repeat_with(|| run().as_nanos() as f64).take(THREADS).collect())
}

/// Nanoseconds of each part of something that takes its time; `run` does it once. Reading the clock
/// is in it, 20 to 30 ns.
pub fn per_run<const PARTS: usize>(mut run: impl FnMut() -> [Duration; PARTS]) -> [f64; PARTS] {
    let start = Instant::now();
    let mut runs = Vec::new();
    while runs.len() < FEWEST_RUNS || (runs.len() < MOST_RUNS && start.elapsed() < RUNS) {
        runs.push(run());
    }
    array::from_fn(|part| median(runs.iter().map(|run| run[part].as_nanos() as f64).collect()))
}

/// How long that took.
pub fn of<R>(run: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

/// Of at least one sample.
///
/// # Panics
/// There is none.
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    if samples.len() % 2 == 1 {
        samples[middle]
    } else {
        f64::midpoint(samples[middle - 1], samples[middle])
    }
}
