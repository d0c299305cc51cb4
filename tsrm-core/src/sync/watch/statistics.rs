//! What locks count, with the feature `lock-statistics`.

/// The module of the locks' own statistics. List its `MODULE` when the runtime starts to have them among
/// [`stats::all`](crate::stats::all); they can be read here in any case.
#[tsrm::module]
pub mod locks {
    use tsrm::Statistics;

    crate::mode::counted_with_feature! {
        /// What all locks of the process did, [raw](tsrm::sync::raw) ones too. Nothing is counted without the feature
        /// `lock-statistics`.
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
            /// Times a lock was acquired exclusively.
            #[stat(counter)]
            ExclusiveAcquisitions,
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
            #[stat(peak, unit = "nanoseconds")]
            LongestWait,
        }
    }

    /// See [`Locks`].
    #[statistics]
    pub static LOCKS: Statistics<Locks>;
}
