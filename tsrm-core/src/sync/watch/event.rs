//! What locks do that may be counted.

/// One of them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A mutex was acquired.
    Mutex,
    /// A lock was acquired in that mode.
    Shared,
    Update,
    Exclusive,
    /// Update access became exclusive.
    Upgrade,
    /// A thread looked again instead of sleeping.
    Spin,
    /// A thread went to sleep.
    Sleep,
    /// The kernel was asked to wake threads.
    Wake,
    /// A wait ended at its deadline.
    Timeout,
}
