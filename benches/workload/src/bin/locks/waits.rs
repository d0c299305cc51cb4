//! How long threads have waited: a histogram of fixed size, as there are millions of waits, and noting one must not
//! take memory inside a section.

use std::time::Duration;

/// Steps of 1/64 of a power of two, from 64 ns up to a minute: a quantile is right to within 1.6 %.
const STEPS: usize = 64;
const STEPS_LOG: u32 = STEPS.ilog2();
const POWERS: usize = 30;

/// The waits of one thread, or of several.
#[derive(Debug)]
pub(crate) struct Waits {
    counts: Box<[u32]>,
    longest: Duration,
}

impl Waits {
    pub(crate) fn new() -> Self {
        // Written to, so that the pages are there.
        let mut counts = vec![1; STEPS * (POWERS + 1)].into_boxed_slice();
        std::hint::black_box(&mut counts).fill(0);
        Self { counts, longest: Duration::ZERO }
    }

    #[inline]
    pub(crate) fn note(&mut self, wait: Duration) {
        let last = self.counts.len() - 1;
        self.counts[step_of(wait).min(last)] += 1;
        self.longest = self.longest.max(wait);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.longest = self.longest.max(other.longest);
    }

    /// In nanoseconds: as long as the shortest that is longer than so many of them. The whole is the longest.
    pub(crate) fn quantile(&self, part: f64) -> Option<f64> {
        let total: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        let longest = self.longest.as_nanos() as f64;
        if total == 0 || part >= 1.0 {
            return (total > 0).then_some(longest);
        }
        let rank = (total as f64 * part).ceil().max(1.0) as u64;
        let mut below = 0;
        let step = self.counts.iter().position(|count| {
            below += u64::from(*count);
            below >= rank
        })?;
        Some(ns_of(step).min(longest))
    }
}

fn step_of(wait: Duration) -> usize {
    let ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
    if ns < STEPS as u64 {
        return ns as usize;
    }
    let power = ns.ilog2() - STEPS_LOG;
    // `ns >> power` is from `STEPS` up to twice that.
    power as usize * STEPS + (ns >> power) as usize
}

/// The middle of a step.
fn ns_of(step: usize) -> f64 {
    if step < STEPS {
        return step as f64;
    }
    let power = step / STEPS - 1;
    let from = ((step % STEPS + STEPS) as u64) << power;
    from as f64 + ((1_u64 << power) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_and_hold_what_is_put_into_them() {
        for ns in (0..5000).chain([65_535, 65_536, 1_000_000, 1_015_808, 60_000_000_000]) {
            let step = step_of(Duration::from_nanos(ns));
            let error = (ns_of(step) - ns as f64).abs();
            assert!(error <= ns as f64 / STEPS as f64 / 2.0, "{ns} in {step}: off by {error}");
        }
        let steps: Vec<_> = (0..300).map(|ns| step_of(Duration::from_nanos(ns))).collect();
        let expected: Vec<_> = (0..128).chain((128..256).map(|ns| 64 + ns / 2)).collect();
        assert_eq!(steps[..256], expected);
        assert!(step_of(Duration::from_secs(60)) < STEPS * (POWERS + 1));
    }

    #[test]
    fn quantiles_are_of_all_and_the_whole_is_the_longest() {
        let (mut some, mut others) = (Waits::new(), Waits::new());
        assert_eq!(some.quantile(1.0), None);
        (0..98).for_each(|_| some.note(Duration::from_nanos(10)));
        others.note(Duration::from_nanos(50));
        others.note(Duration::from_millis(3));
        some.add(&others);
        let found = [0.5, 0.98, 0.99, 1.0].map(|part| some.quantile(part));
        assert_eq!(found, [Some(10.0), Some(10.0), Some(50.0), Some(3e6)]);
    }
}
