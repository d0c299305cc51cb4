//! Sleeping on a word: Linux's futex.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

use rustix::thread::futex::{Flags, Timespec, wait_bitset, wake_bitset};
use rustix::time::{ClockId, clock_gettime};

use super::Queue;

/// Sleeps in a queue of `word` while that is `expected`, until a [`wake`] of this queue or the deadline; or for no
/// reason at all. So the caller looks again, at the clock too, whatever the kernel says.
pub(crate) fn wait(word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>) {
    let deadline = deadline.and_then(on_the_monotonic_clock);
    let _ = wait_bitset(word, Flags::PRIVATE, expected, deadline.as_ref(), bits(queue));
}

/// Wakes up to `count` threads that sleep in a queue of `word`.
pub(crate) fn wake(word: &AtomicU32, count: u32, queue: Queue) {
    // How many it woke says nothing: one of them may have been about to go for its deadline.
    let _ = wake_bitset(word, Flags::PRIVATE, count.min(i32::MAX as u32), bits(queue));
}

fn bits(queue: Queue) -> NonZeroU32 {
    match queue {
        Queue::One => NonZeroU32::MAX,
        Queue::Readers => NonZeroU32::MIN,
        Queue::Holder => NonZeroU32::MIN.saturating_add(1),
    }
}

/// None if it is beyond what that clock can say, centuries from now.
fn on_the_monotonic_clock(deadline: Instant) -> Option<Timespec> {
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).ok()?;
    clock_gettime(ClockId::Monotonic).checked_add(left)
}

/// The kernel's own, which a child has anew.
pub(crate) fn before_fork() {}

pub(crate) fn after_fork_in_parent() {}

pub(crate) fn after_fork_in_child() {}
