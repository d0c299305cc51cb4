//! Random lives of threads, modules, shared values and resources against a naive oracle, which predicts
//! every answer, and every hook, construction and drop with its thread and order. Then the same without an
//! oracle and without order: threads that do what they like, all at once.
//!
//! A seed names a run. `TSRM_MODEL_SEEDS` (how many) and `TSRM_MODEL_FIRST` (the first one) make a soak of it,
//! or repeat one.
//!
//! Here is what the runs share: seeds and randomness, a payload to unwind with, and a start without a runtime.

mod directed;
mod free;
mod oracle;
mod run;
mod subject;
mod worker;

use std::time::Duration;

use tsrm::Runtime;

use self::subject::WHO;

/// What a dropped value is overwritten with.
const DEAD: u64 = 0xdead_dead_dead_dead;

/// The payload of a panic that is meant to happen.
struct Unwinds;

/// xorshift: a seed names a run.
struct Random(u64);

impl Random {
    fn of_seed(seed: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) as usize % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

fn seeds(many: u64) -> impl Iterator<Item = u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let first = number("TSRM_MODEL_FIRST").unwrap_or(1);
    first..first + number("TSRM_MODEL_SEEDS").unwrap_or(many)
}

/// Shuts down whatever runs, so that other tests can start their own.
struct NoRuntime;

impl NoRuntime {
    fn now(tsrm: Runtime) -> Self {
        tsrm.detach().unwrap();
        assert!(tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean());
        Self
    }
}

impl Drop for NoRuntime {
    fn drop(&mut self) {
        WHO.set(None);
        if let Some(tsrm) = Runtime::current() {
            let _ = tsrm.shutdown(Duration::from_secs(5));
        }
    }
}
