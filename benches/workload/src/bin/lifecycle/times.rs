//! How long each of very many operations took.

use std::time::Instant;

/// What took longer may have been interrupted.
const SLOW: u64 = 5_000;
/// Times below 2 to this have a bucket each; above, half as many share a power of two.
const EXACT: u32 = 6;

/// The time from one lap to the next: so every interruption is part of one, wherever it happens.
#[derive(Debug)]
pub(crate) struct Watch {
    start: Instant,
    queue: Option<queue::Queue>,
}

impl Watch {
    /// Starts it, for this thread.
    pub(crate) fn new() -> Self {
        Self { queue: queue::Queue::of_this_thread(), start: Instant::now() }
    }

    /// What was up to now is no part of any lap.
    pub(crate) fn restart(&mut self) {
        if let Some(queue) = &mut self.queue {
            queue.waited();
        }
        self.start = Instant::now();
    }

    /// Adds the time since the last one.
    #[inline]
    pub(crate) fn lap(&mut self, times: &mut Times) {
        let end = Instant::now();
        let took = u64::try_from((end - self.start).as_nanos()).unwrap_or(u64::MAX);
        self.start = end;
        times.add(took);
        if took > SLOW {
            self.slow_lap(took, times);
        } else if took > times.longest_own {
            times.longest_own = took;
        }
    }

    #[cold]
    #[inline(never)]
    fn slow_lap(&mut self, took: u64, times: &mut Times) {
        match &mut self.queue {
            Some(queue) => {
                let own = took.saturating_sub(queue.waited());
                times.longest_own = times.longest_own.max(own);
                self.restart();
            }
            None => times.is_own_known = false,
        }
    }
}

/// What one thread has seen, or several.
#[derive(Debug)]
pub(crate) struct Times {
    /// How many took about so long.
    buckets: Vec<u64>,
    longest: u64,
    /// Without the time in which a thread was ready to run and had no core.
    longest_own: u64,
    is_own_known: bool,
}

impl Times {
    /// None so far.
    pub(crate) fn new() -> Self {
        Self { buckets: Vec::new(), longest: 0, longest_own: 0, is_own_known: true }
    }

    /// Both together.
    pub(crate) fn and(mut self, other: Self) -> Self {
        let count = self.buckets.len().max(other.buckets.len());
        self.buckets.resize(count, 0);
        for (sum, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += more;
        }
        self.longest = self.longest.max(other.longest);
        self.longest_own = self.longest_own.max(other.longest_own);
        self.is_own_known &= other.is_own_known;
        self
    }

    fn add(&mut self, took: u64) {
        let bucket = bucket(took);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.longest = self.longest.max(took);
    }

    /// Nanoseconds that so many of them took at most; 3 % too little at worst.
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        let all: u64 = self.buckets.iter().sum();
        let mut left = (all as f64 * part).ceil() as u64;
        let reaches = |count: &u64| {
            left = left.saturating_sub(*count);
            left == 0
        };
        let bucket = self.buckets.iter().position(reaches).unwrap_or(0);
        shortest(bucket) as f64
    }

    /// Nanoseconds of the longest one.
    pub(crate) fn longest(&self) -> f64 {
        self.longest as f64
    }

    /// Nanoseconds of the one that took longest when waiting for a core does not count.
    pub(crate) fn longest_own(&self) -> Option<f64> {
        self.is_own_known.then_some(self.longest_own as f64)
    }
}

/// The bucket of a time.
fn bucket(ns: u64) -> usize {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(EXACT);
    let half = 1 << (EXACT - 1);
    // Behind the exact ones, each power of two has the numbers from `half` to `2 * half`, shifted.
    (u64::from(shift) * half + (ns >> shift)) as usize
}

/// The shortest time in a bucket.
fn shortest(bucket: usize) -> u64 {
    let half = 1 << (EXACT - 1);
    let shift = (bucket as u64 / half).saturating_sub(1);
    (bucket as u64 - shift * half) << shift
}

#[cfg(target_os = "linux")]
mod queue {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    /// How long this thread was ready to run and had no core.
    #[derive(Debug)]
    pub(super) struct Queue {
        file: File,
        last: u64,
    }

    impl Queue {
        /// Where the kernel counts that.
        pub(super) fn of_this_thread() -> Option<Self> {
            let mut queue = Self { file: File::open("/proc/thread-self/schedstat").ok()?, last: 0 };
            queue.last = queue.sum()?;
            Some(queue)
        }

        /// Nanoseconds since it was asked last.
        pub(super) fn waited(&mut self) -> u64 {
            let sum = self.sum().unwrap_or(self.last);
            sum - std::mem::replace(&mut self.last, sum)
        }

        /// The second number is that.
        fn sum(&self) -> Option<u64> {
            let mut text = [0; 64];
            let length = self.file.read_at(&mut text, 0).ok()?;
            let text = std::str::from_utf8(&text[..length]).ok()?;
            text.split_whitespace().nth(1)?.parse().ok()
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod queue {
    /// Not known here.
    #[derive(Debug)]
    pub(super) enum Queue {}

    impl Queue {
        pub(super) fn of_this_thread() -> Option<Self> {
            None
        }

        pub(super) fn waited(&mut self) -> u64 {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_its_bucket() {
        for ns in (0..5_000).chain([u64::MAX / 2, u64::MAX]) {
            let shortest_here = shortest(bucket(ns));
            assert!(shortest_here <= ns && bucket(shortest_here) == bucket(ns), "{ns}");
            assert!((ns - shortest_here) as f64 <= ns as f64 / 32.0, "{ns}");
        }
        assert_eq!((bucket(63), bucket(64), bucket(65), bucket(66)), (63, 64, 64, 65));
    }

    #[test]
    fn quantiles_of_several_threads() {
        let (mut one, mut other) = (Times::new(), Times::new());
        (1..=998).for_each(|_| one.add(10));
        other.add(20);
        other.add(1 << 20);
        other.longest_own = 7;
        let both = one.and(other);
        assert_eq!(both.quantile(0.998), 10.0);
        assert_eq!(both.quantile(0.999), 20.0);
        assert_eq!(both.quantile(1.0), (1_u64 << 20) as f64);
        assert_eq!((both.longest(), both.longest_own()), (1_048_576.0, Some(7.0)));
    }
}
