//! Sleeping on a word: Linux's futex.

use std::num::NonZeroU32;
use std::sync::atomic::AtomicU32;
use std::time::Instant;

use rustix::thread::futex::{Flags, Timespec, wait_bitset, wake_bitset};

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
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // By libc: rustix would look for the kernel's function in this process by itself, and does not find it under valgrind.
    // SAFETY: `now` is valid for the write; the clock is always there (I14).
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    #[allow(clippy::useless_conversion, reason = "not where they have 32 bits")]
    let now = Timespec { tv_sec: now.tv_sec.into(), tv_nsec: now.tv_nsec.into() };
    now.checked_add(Timespec::try_from(left).ok()?)
}

/// The kernel's own, which a child has anew.
pub(crate) fn before_fork() {}

pub(crate) fn after_fork_in_parent() {}

pub(crate) fn after_fork_in_child() {}
