//! What a section does: it takes 200 ns, by counting instructions, not by the clock.

use std::hint::black_box;
use std::time::Instant;

const NS: f64 = 200.0;

/// So many turns of a loop that touches no memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work(u32);

impl Work {
    /// Of 200 ns on an undisturbed processor: the shortest of many trials says what a turn costs.
    pub(crate) fn calibrated() -> Self {
        /// About 50 µs: many of the trials fit between two interruptions.
        const TURNS: u32 = 100_000;
        const TRIALS: u32 = 500;
        let trial = |_| {
            let start = Instant::now();
            Self(TURNS).run();
            start.elapsed()
        };
        let shortest = (0..TRIALS).map(trial).min().expect("there are trials");
        let turns = NS * f64::from(TURNS) / shortest.as_nanos().max(1) as f64;
        Self(turns.max(1.0) as u32)
    }

    #[inline]
    pub(crate) fn run(self) {
        for turn in 0..self.0 {
            black_box(turn);
        }
    }
}
