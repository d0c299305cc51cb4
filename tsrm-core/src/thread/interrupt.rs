//! The word by which one thread asks another to stop its request.
//!
//! `serial << 8 | reason` in one atomic, so that an interrupt meant for a request that has ended
//! cannot hit the next one: it is set by compare-and-swap against the serial. Between two requests
//! the word is 0 and nothing can be set. The owner writes serials; anybody sets reasons. PHP's
//! `vm_interrupt` is the model; it has no serial. Checked by the model package, which compiles this
//! file.

use core::num::NonZeroU8;

use crate::primitive::{AtomicU64, Ordering, fence};

const REASON_BITS: u32 = 8;
const REASON_MASK: u64 = (1 << REASON_BITS) - 1;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct InterruptWord(AtomicU64);

impl InterruptWord {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Owner: a request begins. Serials start at 1 and fit 56 bits (a request per nanosecond fills
    /// them in two years; a wrapped one could at worst be interrupted by a two years old request).
    pub(crate) fn begin(&self, serial: u64) {
        self.0.store(serial << REASON_BITS, Ordering::Relaxed);
        // Either a shutdown, which has the same fence, sees this request, or the request sees the
        // shutdown: see `Registry::begin_shutdown`.
        fence(Ordering::SeqCst);
    }

    /// Owner: the request has ended; a pending reason is forgotten.
    pub(crate) fn end(&self) {
        // Relaxed here and below: the word carries no other data. What an interrupter wants to say
        // beyond the reason, it must synchronise itself.
        self.0.store(0, Ordering::Relaxed);
    }

    /// The serial of the running request.
    pub(crate) fn serial(&self) -> Option<u64> {
        match self.0.load(Ordering::Relaxed) >> REASON_BITS {
            0 => None,
            serial => Some(serial),
        }
    }

    /// Whether a reason is set. May miss one that is being set just now.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) & REASON_MASK != 0
    }

    /// Sets the reason, if the request `serial` still runs and has none. Says whether it did.
    pub(crate) fn set(&self, serial: u64, reason: NonZeroU8) -> bool {
        let idle = serial << REASON_BITS;
        // Neither 0 nor a serial that loses bits is a request's.
        (1..=u64::MAX >> REASON_BITS).contains(&serial)
            && self
                .0
                .compare_exchange(
                    idle,
                    idle | u64::from(reason.get()),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok()
    }

    /// Owner: takes the reason away, so that the next one can be set.
    pub(crate) fn take(&self) -> Option<NonZeroU8> {
        let word = self.0.fetch_and(!REASON_MASK, Ordering::Relaxed);
        NonZeroU8::new((word & REASON_MASK) as u8)
    }
}
