//! Those that wait for a lock's update or exclusive access: a word that counts them, on which they sleep.
//!
//! | bits | name | meaning |
//! |---|---|---|
//! | 0 | `WAKING` | one of them was woken, or is awake, and will look at the lock |
//! | 1.. | `WAITER` | how many there are: from before they first sleep until they have the lock or give up |
//!
//! Beside it the lock has a bit that says whether to look here (`QUEUED`), so that it need not be done by each release:
//!
//! - Who waits joins, [looks](WaitQueue::look) here, then sees in the lock that it is held and `QUEUED` is set, and
//!   sleeps if nothing has changed here and `WAKING` is clear. Who releases and finds `QUEUED` takes it away and
//!   then [wakes](WaitQueue::wake_one). One of the two sees the other, since both fence in between.
//! - Who wakes sets `WAKING` before it does; as long as it is set nobody else is woken. So the releases that follow are
//!   as cheap as those of a free lock.
//! - Who takes `WAKING` away either goes to look at the lock behind that, or has got it, or has given up. In the latter
//!   cases it puts `QUEUED` back if others are counted.
//! - So if somebody sleeps, then `QUEUED` is set, or somebody who is counted is awake.
//!
//! A waiter that is on its way is Go's `mutexWoken`.

use crate::primitive::{AtomicU32, Instant, Ordering, constructor, fence};
use crate::sync::watch;
use crate::sys::{Queue, futex};

const WAKING: u32 = 1 << 0;
const WAITER: u32 = 1 << 1;

/// See the [module](self).
pub(super) struct WaitQueue {
    word: AtomicU32,
}

/// What the word was.
#[derive(Clone, Copy)]
pub(super) struct Seen(u32);

impl Seen {
    pub(super) fn is_waking(self) -> bool {
        self.0 & WAKING != 0
    }
}

constructor! {
    impl WaitQueue {
        /// Nobody waits. All bytes are 0.
        pub(super) fn new() -> Self {
            Self { word: AtomicU32::new(0) }
        }
    }
}

impl WaitQueue {
    /// What there is. Whoever changed the lock before sees who has joined; whoever has joined, and looks at the
    /// lock behind that, sees how it was changed: at least one of two such threads.
    pub(super) fn look(&self) -> Seen {
        // Both pair with those of the other thread: the first one stands behind the change of the lock, the
        // second one before the look at it.
        fence(Ordering::SeqCst);
        let seen = self.word.load(Ordering::Relaxed);
        fence(Ordering::SeqCst);
        Seen(seen)
    }

    /// The calling thread waits from now on.
    pub(super) fn join(&self) {
        // Acquire: pairs with the Release in `leave`; the lock is not seen as it was before that.
        self.word.fetch_add(WAITER, Ordering::Acquire);
    }

    /// It waits no more, and takes `WAKING` along. Returns whether others wait.
    pub(super) fn leave(&self) -> bool {
        let mut now = self.word.load(Ordering::Relaxed);
        loop {
            let left = (now - WAITER) & !WAKING;
            // Release: pairs with the Acquire of who joins next.
            match self.word.compare_exchange_weak(now, left, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return left != 0,
                Err(changed) => now = changed,
            }
        }
    }

    /// Takes `WAKING` away, if nothing has changed: whoever that was meant for looks at the lock by itself.
    pub(super) fn take_over(&self, seen: Seen) {
        // Acquire: pairs with the Release in `wake_one`; `QUEUED` is seen to be gone.
        let _ = self.word.compare_exchange_weak(
            seen.0,
            seen.0 & !WAKING,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
    }

    /// Sleeps, if nothing has changed; until it is woken, or the deadline, or for no reason at all.
    pub(super) fn sleep(&self, seen: Seen, deadline: Option<Instant>) {
        watch::parked();
        futex::wait(&self.word, seen.0, Queue::One, deadline);
    }

    /// Wakes one, unless one is awake. `QUEUED` was taken away before.
    pub(super) fn wake_one(&self) {
        let mut now = self.look().0;
        while now >= WAITER && now & WAKING == 0 {
            // Release: pairs with the Acquire in `take_over`.
            match self.word.compare_exchange_weak(
                now,
                now | WAKING,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    watch::woke();
                    return futex::wake(&self.word, 1, Queue::One);
                }
                Err(changed) => now = changed,
            }
        }
    }
}
