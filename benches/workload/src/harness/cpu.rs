//! The time that a thread was on a processor: what others do on the machine is not in it.

use std::time::Duration;

/// Of the calling thread, since some moment.
///
/// # Panics
/// Never: every thread has such a clock.
#[cfg(unix)]
#[allow(unsafe_code, reason = "C's interface")]
pub fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for what it writes.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "every thread has such a clock");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Of the clock: this system is not asked for better.
#[cfg(not(unix))]
pub fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
