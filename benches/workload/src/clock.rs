//! How long one operation takes, on a machine that others use too.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One batch: long enough for the clock, short enough to fit between two interruptions.
const BATCH: Duration = Duration::from_millis(2);
/// How many fresh threads a first attach is measured on.
const THREADS: usize = 201;

/// Nanoseconds per iteration of `run`: the median of that many batches.
pub(crate) fn per_iteration(batches: usize, mut run: impl FnMut(u64)) -> f64 {
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
pub(crate) fn per_thread(mut run: impl FnMut() -> Duration) -> f64 {
    median(std::iter::repeat_with(|| run().as_nanos() as f64).take(THREADS).collect())
}

/// Of at least one sample.
pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    if samples.len() % 2 == 1 {
        samples[middle]
    } else {
        f64::midpoint(samples[middle - 1], samples[middle])
    }
}
