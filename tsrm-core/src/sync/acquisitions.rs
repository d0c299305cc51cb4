//! The four ways to acquire, as methods of a lock: each lock has them for each of its modes.

/// Defines methods that acquire `self` in one mode; the first one's documentation is given.
macro_rules! acquisitions {
    (
        $(#[$attribute:meta])*
        $acquire:ident, $try_acquire:ident, $acquire_timeout:ident, $acquire_until:ident -> $mode:ty
    ) => {
        $(#[$attribute])*
        #[inline]
        #[track_caller]
        pub fn $acquire<'t>(&self, here: Attached<'t>) -> Guard<'t, $mode, &Self> {
            Guard::acquire(self, here)
        }

        #[doc = concat!("As [`", stringify!($acquire), "`](Self::", stringify!($acquire), "), if that needs no waiting.")]
        #[inline]
        #[track_caller]
        #[must_use = "the lock is released when the guard is dropped"]
        pub fn $try_acquire<'t>(&self, here: Attached<'t>) -> Option<Guard<'t, $mode, &Self>> {
            Guard::try_acquire(self, here)
        }

        #[doc = concat!(
            "As [`", stringify!($acquire), "`](Self::", stringify!($acquire),
            "), and waits at most that long; in a single-threaded build not at all."
        )]
        #[inline]
        #[track_caller]
        #[must_use = "the lock is released when the guard is dropped"]
        pub fn $acquire_timeout<'t>(
            &self,
            here: Attached<'t>,
            timeout: Duration,
        ) -> Option<Guard<'t, $mode, &Self>> {
            Guard::acquire_timeout(self, here, timeout)
        }

        #[doc = concat!(
            "As [`", stringify!($acquire), "`](Self::", stringify!($acquire),
            "), and waits at most until then; in a single-threaded build not at all."
        )]
        #[inline]
        #[track_caller]
        #[must_use = "the lock is released when the guard is dropped"]
        pub fn $acquire_until<'t>(
            &self,
            here: Attached<'t>,
            deadline: Instant,
        ) -> Option<Guard<'t, $mode, &Self>> {
            Guard::acquire_until(self, here, deadline)
        }
    };
}
pub(super) use acquisitions;
