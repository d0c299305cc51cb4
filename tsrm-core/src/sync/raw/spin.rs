//! The one waiting policy: how long a thread looks again before it sleeps.
//!
//! First a few short pauses, since most sections are shorter than a trip into the kernel; then the processor is
//! given away some times, since on a busy machine the holder may be the one that waits for it; then the thread
//! sleeps. The steps are parking_lot's. They decide over the throughput of a contended lock more than
//! anything else: 100 pauses in a row give a third of it, and waits of 100 ms.

use crate::primitive::{Instant, PAUSES, YIELDS, pause, yield_now};

/// One thread's patience.
pub(super) struct Spin {
    step: u32,
}

impl Spin {
    pub(super) const fn new() -> Self {
        Self { step: 0 }
    }

    /// Waits a little, longer each time. False if it is time to sleep.
    #[inline]
    #[allow(clippy::absurd_extreme_comparisons, reason = "in a model it is time at once")]
    pub(super) fn again(&mut self) -> bool {
        if self.step >= PAUSES + YIELDS {
            return false;
        }
        self.step += 1;
        if self.step <= PAUSES {
            for _ in 0..1 << self.step {
                pause();
            }
        } else {
            yield_now();
        }
        true
    }
}

/// Whether that time is over; without one it never is.
pub(super) fn has_passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}
