//! What locks count, with the feature `lock-statistics`.

use std::time::Duration;

use lock_statistics::{LOCK_STATISTICS, Locks};

use crate::sync::watch::event::Event;
use crate::token::Attached;

/// For `tsrm::sync`.
pub(crate) mod api {
    pub use super::lock_statistics;
}

/// Events are counted.
pub(crate) const IS_COUNTED: bool = true;

/// The module of the locks' own statistics. List its `MODULE` when the runtime starts to have them among
/// [`stats::all`](crate::stats::all); they can be read here in any case.
#[tsrm::module]
pub mod lock_statistics {
    use tsrm::Statistics;

    /// What all locks of the process did, [raw](tsrm::sync::raw) ones too.
    #[derive(tsrm::Statistics)]
    pub enum Locks {
        /// Times a mutex was acquired.
        #[stat(counter)]
        MutexAcquisitions,
        /// Times a lock was acquired shared.
        #[stat(counter)]
        SharedAcquisitions,
        /// Times a lock was acquired for update.
        #[stat(counter)]
        UpdateAcquisitions,
        /// Times a lock was acquired exclusively, without upgrades.
        #[stat(counter)]
        ExclusiveAcquisitions,
        /// Times a lock that was held for update became exclusive. (A recursive lock's count as acquisitions, as do all
        /// times its thread takes it again.)
        #[stat(counter)]
        Upgrades,
        /// Times a thread that waited looked again before it slept.
        #[stat(counter)]
        Spins,
        /// Times a thread that waited went to sleep.
        #[stat(counter)]
        Sleeps,
        /// Times the kernel was asked to wake threads.
        #[stat(counter)]
        Wakes,
        /// Waits that ended at their deadline.
        #[stat(counter)]
        Timeouts,
        /// How long threads waited that did not get a lock, or its upgrade, at once.
        #[stat(histogram, unit = "microseconds", max = 60_000_000)]
        WaitTime,
        /// The longest such wait.
        #[stat(peak, unit = "microseconds")]
        LongestWait,
    }

    /// See [`Locks`].
    #[statistics]
    pub static LOCK_STATISTICS: Statistics<Locks>;
}

/// Counts with the token.
#[inline(always)]
pub(crate) fn count(here: Attached<'_>, event: Event) {
    LOCK_STATISTICS.inc(here, statistic(event));
}

/// Counts where there may be none.
#[inline(always)]
pub(crate) fn count_wherever(event: Event) {
    LOCK_STATISTICS.wherever().inc(statistic(event));
}

/// Counts a wait that is over.
pub(crate) fn count_wait(waited: Duration) {
    let counts = LOCK_STATISTICS.wherever();
    let waited = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
    counts.record(Locks::WaitTime, waited);
    counts.raise(Locks::LongestWait, waited);
}

#[inline(always)]
const fn statistic(event: Event) -> Locks {
    match event {
        Event::Mutex => Locks::MutexAcquisitions,
        Event::Shared => Locks::SharedAcquisitions,
        Event::Update => Locks::UpdateAcquisitions,
        Event::Exclusive => Locks::ExclusiveAcquisitions,
        Event::Upgrade => Locks::Upgrades,
        Event::Spin => Locks::Spins,
        Event::Sleep => Locks::Sleeps,
        Event::Wake => Locks::Wakes,
        Event::Timeout => Locks::Timeouts,
    }
}
