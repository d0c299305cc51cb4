//! Time limits.

use std::time::{Duration, Instant};

/// That long from now; a century, if that is beyond what the clock can say.
pub(super) fn deadline(timeout: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    let now = Instant::now();
    now.checked_add(timeout).unwrap_or_else(|| now + CENTURY)
}
