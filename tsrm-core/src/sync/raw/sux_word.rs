//! The word of a lock with shared, update and exclusive access (S, U, X).
//!
//! | bits | name | meaning |
//! |---|---|---|
//! | 0 | `HOLDER` | somebody has U or X, or has got the right to X and waits for the readers to leave |
//! | 1 | `EXCLUSIVE` | `HOLDER` has X or waits for it: no reader may enter |
//! | 2 | `QUEUED` | who releases is to look at the [`queue`](super::queue) of those that wait for `HOLDER` |
//! | 3 | `READERS_SLEEP` | readers sleep until `EXCLUSIVE` goes |
//! | 4 | `HOLDER_SLEEPS` | `HOLDER` sleeps until the last reader leaves |
//! | 5.. | `READER` | how many readers there are |
//!
//! | state | S | U | X |
//! |---|---|---|---|
//! | free, or readers only | enters | enters | takes both bits, waits for the readers |
//! | U (`HOLDER`) | enters | waits | waits |
//! | X, or X and readers (both) | waits | waits | waits |
//!
//! An uncontended pair is two locked instructions for each of S, U and X, since all that lets anybody in is in one
//! word. Those that wait for `HOLDER` need another one to sleep on, since readers change the first all the time, and
//! the kernel lets nobody sleep on a word that changes. The other two queues are on `state` (by futex bitset):
//! while readers have to wait nobody comes in, so it comes to rest.
//!
//! - A reader that fails has changed nothing, so readers cannot keep writers out.
//! - `READERS_SLEEP` is taken away together with one wake of all that sleep; who still cannot enter sets it again.
//! - `HOLDER_SLEEPS` is the holder's alone. While it is set no reader enters, so one of them is the last.
//!
//! The states are those of InnoDB's `rw_lock` and `srw_lock` (MariaDB), where they are in two words.

use super::queue::WaitQueue;
use super::spin::{Spin, has_passed};
use crate::primitive::{AtomicU32, Instant, Ordering, constructor};
use crate::sync::watch;
use crate::sys::{Queue, futex};

const HOLDER: u32 = 1 << 0;
const EXCLUSIVE: u32 = 1 << 1;
const QUEUED: u32 = 1 << 2;
const READERS_SLEEP: u32 = 1 << 3;
const HOLDER_SLEEPS: u32 = 1 << 4;
const READER: u32 = 1 << 5;

const X: u32 = HOLDER | EXCLUSIVE;

/// Where no more readers enter: 2^26 of them, so most of them are leaked. Half of what there is room for, since the
/// holder of U may come on top of them.
const FULL: u32 = 1 << 31;

/// A lock without a value: nobody owns it, whoever knows how it is held may release it.
pub(crate) struct SuxWord {
    state: AtomicU32,
    queue: WaitQueue,
}

constructor! {
    impl SuxWord {
        /// Nobody is in. All bytes are 0.
        pub(crate) fn new() -> Self {
            Self { state: AtomicU32::new(0), queue: WaitQueue::new() }
        }
    }
}

#[cfg(test)]
impl SuxWord {
    /// As if that many readers had entered, most of them leaked.
    pub(super) fn with_readers(readers: u32) -> Self {
        Self { state: AtomicU32::new(readers * READER), queue: WaitQueue::new() }
    }

    pub(super) fn readers(&self) -> u32 {
        self.state.load(Ordering::Relaxed) / READER
    }
}

/// What there is just now.
impl SuxWord {
    /// Whether anybody is in, or has the right to be.
    #[inline]
    pub(crate) fn is_locked(&self) -> bool {
        self.state.load(Ordering::Relaxed) & !(QUEUED | READERS_SLEEP | HOLDER_SLEEPS) != 0
    }

    /// Whether somebody has X, or waits for readers to leave.
    #[inline]
    pub(crate) fn is_exclusive(&self) -> bool {
        self.state.load(Ordering::Relaxed) & EXCLUSIVE != 0
    }
}

/// Shared.
impl SuxWord {
    /// Enters as a reader. False if somebody has X or waits for it, or if there are too many readers.
    #[inline]
    pub(crate) fn try_shared(&self) -> bool {
        // Most often nobody is in: a guess, instead of a look.
        self.try_shared_from(0)
    }

    #[inline]
    fn try_shared_from(&self, mut now: u32) -> bool {
        while now & EXCLUSIVE == 0 && now < FULL {
            // Acquire: pairs with the Release of who last had X.
            match self.state.compare_exchange_weak(
                now,
                now + READER,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(changed) => now = changed,
            }
        }
        false
    }

    /// Waits to enter as a reader. False if the deadline passed first.
    ///
    /// # Panics
    /// There are 2^26 readers.
    #[cold]
    #[inline(never)]
    pub(crate) fn shared_contended(&self, deadline: Option<Instant>) -> bool {
        let mut spin = Spin::new();
        loop {
            if self.try_shared_from(self.state.load(Ordering::Relaxed)) {
                return true;
            }
            let now = self.state.load(Ordering::Relaxed);
            if now & EXCLUSIVE == 0 {
                assert!(now < FULL, "a lock has {} readers", now / READER);
                continue;
            }
            if has_passed(deadline) {
                return false;
            }
            if spin.again() {
                watch::spun();
                continue;
            }
            let asleep = now | READERS_SLEEP;
            // Relaxed: who takes `EXCLUSIVE` away changes this word and sees the bit, or this fails.
            if now != asleep
                && self
                    .state
                    .compare_exchange_weak(now, asleep, Ordering::Relaxed, Ordering::Relaxed)
                    .is_err()
            {
                continue;
            }
            watch::parked();
            futex::wait(&self.state, asleep, Queue::Readers, deadline);
            spin = Spin::new();
        }
    }

    /// A reader leaves; the last one wakes a holder that waits for that.
    #[inline]
    pub(crate) fn release_shared(&self) {
        // Release: pairs with the Acquire in `drained`.
        let before = self.state.fetch_sub(READER, Ordering::Release);
        if before & HOLDER_SLEEPS != 0 && before < 2 * READER {
            self.wake_holder();
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_holder(&self) {
        watch::woke();
        futex::wake(&self.state, 1, Queue::Holder);
    }

    /// A reader becomes the holder of U. False if there is one.
    #[inline]
    pub(crate) fn try_shared_to_update(&self) -> bool {
        let mut now = self.state.load(Ordering::Relaxed);
        while now & HOLDER == 0 {
            // Acquire: pairs with the Release of the last holder.
            match self.state.compare_exchange_weak(
                now,
                now - READER + HOLDER,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(changed) => now = changed,
            }
        }
        false
    }
}

/// Update.
impl SuxWord {
    /// Takes U, also ahead of those that wait. One bit test and set.
    #[inline]
    pub(crate) fn try_update(&self) -> bool {
        // Acquire: pairs with the Release of the last holder.
        self.state.fetch_or(HOLDER, Ordering::Acquire) & HOLDER == 0
    }

    /// Waits for U. False if the deadline passed first.
    #[cold]
    #[inline(never)]
    pub(crate) fn update_contended(&self, deadline: Option<Instant>) -> bool {
        self.hold(HOLDER, deadline).is_some()
    }

    #[inline]
    pub(crate) fn release_update(&self) {
        // Release: pairs with the Acquire of the next holder.
        if self.state.fetch_sub(HOLDER, Ordering::Release) & QUEUED != 0 {
            self.wake_queue();
        }
    }

    /// The holder of U takes X, if there are no readers.
    #[inline]
    pub(crate) fn try_upgrade(&self) -> bool {
        let mut now = self.state.load(Ordering::Relaxed);
        while now < READER {
            // Acquire: pairs with the Release of the readers that left.
            match self.state.compare_exchange_weak(
                now,
                now + EXCLUSIVE,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(changed) => now = changed,
            }
        }
        false
    }

    /// The holder of U begins to take X: no more readers enter. One addition. False if there are readers;
    /// then [`drained`](Self::drained) waits for them.
    #[inline]
    pub(crate) fn upgrade(&self) -> bool {
        // Acquire: pairs with the Release of the readers that left. (The bit is known to be clear.)
        self.state.fetch_add(EXCLUSIVE, Ordering::Acquire) < READER
    }

    /// After [`upgrade`](Self::upgrade). False if the deadline passed first: then it is U again.
    #[cold]
    #[inline(never)]
    pub(crate) fn upgrade_contended(&self, deadline: Option<Instant>) -> bool {
        let drained = self.drained(deadline);
        if !drained {
            self.exclusive_to_update();
        }
        drained
    }

    /// The holder of U becomes a reader.
    ///
    /// # Panics
    /// There are more than 2^26 readers. Nothing has changed then.
    #[inline]
    pub(crate) fn update_to_shared(&self) {
        // Looked at before, so that it cannot overflow: but for the one holder, nobody enters behind that.
        let now = self.state.load(Ordering::Relaxed);
        assert!(now < FULL + READER, "a lock has {} readers", now / READER);
        // Release: pairs with the Acquire of the next holder.
        let before = self.state.fetch_add(READER - HOLDER, Ordering::Release);
        if before & QUEUED != 0 {
            self.wake_queue();
        }
    }
}

/// Exclusive.
impl SuxWord {
    /// Takes X, if nobody is in; also ahead of those that wait.
    #[inline]
    pub(crate) fn try_exclusive(&self) -> bool {
        // A guess, as in `try_shared`; then a look, by when a short section may be over.
        // Acquire: pairs with the Release of all that were in.
        self.state.compare_exchange(0, X, Ordering::Acquire, Ordering::Relaxed).is_ok()
            || self.try_exclusive_past_sleepers()
    }

    #[inline]
    fn try_exclusive_past_sleepers(&self) -> bool {
        let mut now = self.state.load(Ordering::Relaxed);
        while now & !(QUEUED | READERS_SLEEP) == 0 {
            // Acquire: as above.
            match self.state.compare_exchange_weak(
                now,
                now + X,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(changed) => now = changed,
            }
        }
        false
    }

    /// Waits for X. False if the deadline passed first.
    #[cold]
    #[inline(never)]
    pub(crate) fn exclusive_contended(&self, deadline: Option<Instant>) -> bool {
        match self.hold(X, deadline) {
            None => false,
            Some(NoReaders(true)) => true,
            Some(NoReaders(false)) => {
                let drained = self.drained(deadline);
                if !drained {
                    self.release_exclusive();
                }
                drained
            }
        }
    }

    /// One subtraction if nobody waits. (With the whole compared, whose answer is whether it came to 0, which is
    /// cheaper than to fetch the value.)
    #[inline]
    pub(crate) fn release_exclusive(&self) {
        // Release: pairs with the Acquire of whoever enters next.
        if self.state.fetch_sub(X, Ordering::Release) != X {
            self.wake_all();
        }
    }

    /// X becomes U: readers enter.
    #[inline]
    pub(crate) fn exclusive_to_update(&self) {
        // Release: pairs with the Acquire of the readers.
        let before = self.state.fetch_sub(EXCLUSIVE, Ordering::Release);
        if before & READERS_SLEEP != 0 {
            self.wake_readers();
        }
    }

    /// X becomes S: others enter.
    #[inline]
    pub(crate) fn exclusive_to_shared(&self) {
        // Release: pairs with the Acquire of whoever enters next. (Two's complement: one addition.)
        let before = self.state.fetch_add(READER - X, Ordering::Release);
        if before & (QUEUED | READERS_SLEEP) != 0 {
            self.wake_all();
        }
    }
}

/// Whether there were none, when `HOLDER` was taken.
struct NoReaders(bool);

/// Waiting and waking.
impl SuxWord {
    /// Takes `HOLDER` and what else is in `bits`. None if the deadline passed first.
    fn hold(&self, bits: u32, deadline: Option<Instant>) -> Option<NoReaders> {
        let mut spin = Spin::new();
        let mut has_joined = false;
        loop {
            let queue = has_joined.then(|| self.queue.look());
            let now = self.state.load(Ordering::Relaxed);
            if now & HOLDER == 0 {
                // Acquire: pairs with the Release of the last holder, and of readers.
                if self
                    .state
                    .compare_exchange_weak(now, now | bits, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
                {
                    if has_joined && self.queue.leave() {
                        // The others' turn to be woken is when this thread releases.
                        self.state.fetch_or(QUEUED, Ordering::Release);
                    }
                    return Some(NoReaders(now < READER));
                }
                continue;
            }
            if has_passed(deadline) {
                if has_joined && self.queue.leave() {
                    // This may be the one that was woken: the next release wakes another one.
                    let before = self.state.fetch_or(QUEUED, Ordering::Release);
                    if before & HOLDER == 0 {
                        self.wake_queue();
                    }
                }
                return None;
            }
            if spin.again() {
                watch::spun();
                continue;
            }
            match queue {
                None => {
                    self.queue.join();
                    has_joined = true;
                }
                Some(_) if now & QUEUED == 0 => {
                    let _ = self.state.compare_exchange_weak(
                        now,
                        now | QUEUED,
                        Ordering::Relaxed,
                        Ordering::Relaxed,
                    );
                }
                Some(queue) if queue.is_waking() => self.queue.take_over(queue),
                Some(queue) => {
                    self.queue.sleep(queue, deadline);
                    spin = Spin::new();
                }
            }
        }
    }

    /// Wakes one of those that wait for `HOLDER`, unless one is awake. `HOLDER` was given back, `QUEUED` was set.
    #[cold]
    #[inline(never)]
    fn wake_queue(&self) {
        loop {
            let queue = self.queue.look();
            let now = self.state.load(Ordering::Relaxed);
            // One is awake; or the next release comes here.
            if queue.is_waking() || now & (HOLDER | QUEUED) == HOLDER | QUEUED {
                return;
            }
            // Acquire: pairs with the Release of who set it; the queue is not older than that.
            let is_taken_away = now & QUEUED == 0
                || self
                    .state
                    .compare_exchange_weak(now, now & !QUEUED, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok();
            if is_taken_away {
                return self.queue.wake_one();
            }
        }
    }

    /// Wakes all readers that sleep, unless they cannot enter again.
    #[cold]
    #[inline(never)]
    fn wake_readers(&self) {
        let mut now = self.state.load(Ordering::Relaxed);
        while now & READERS_SLEEP != 0 && now & EXCLUSIVE == 0 {
            match self.state.compare_exchange_weak(
                now,
                now & !READERS_SLEEP,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    watch::woke();
                    return futex::wake(&self.state, u32::MAX, Queue::Readers);
                }
                Err(changed) => now = changed,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_all(&self) {
        self.wake_readers();
        self.wake_queue();
    }

    /// The holder has taken `EXCLUSIVE` and waits for the readers to leave. False if the deadline passed first;
    /// `EXCLUSIVE` is still taken then.
    fn drained(&self, deadline: Option<Instant>) -> bool {
        let mut spin = Spin::new();
        loop {
            // Acquire: pairs with the Release of the readers that left.
            let now = self.state.load(Ordering::Acquire);
            if now < READER {
                self.holder_is_awake(now);
                return true;
            }
            if has_passed(deadline) {
                self.holder_is_awake(now);
                return false;
            }
            if spin.again() {
                watch::spun();
                continue;
            }
            if now & HOLDER_SLEEPS == 0 {
                // Relaxed: the last reader changes this word and sees the bit, or this fails.
                let _ = self.state.compare_exchange_weak(
                    now,
                    now + HOLDER_SLEEPS,
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                );
                continue;
            }
            watch::parked();
            futex::wait(&self.state, now, Queue::Holder, deadline);
        }
    }

    fn holder_is_awake(&self, now: u32) {
        if now & HOLDER_SLEEPS != 0 {
            self.state.fetch_sub(HOLDER_SLEEPS, Ordering::Relaxed);
        }
    }
}
