//! A futex that is made of the fallback's table, and does more and less than it is asked for; or, for a thread that
//! has one, a [script](crate::script).

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Queue {
    One,
    Readers,
    Holder,
}

#[path = "../../../tsrm-core/src/sys/parking.rs"]
mod parking;

pub(crate) mod futex {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::{Queue, parking};
    use crate::primitive::Instant;
    use crate::script;

    static ALONE: Mutex<()> = Mutex::new(());
    static WAITS: AtomicU32 = AtomicU32::new(0);
    static WAKES: AtomicU32 = AtomicU32::new(0);
    static IS_DELAYED: AtomicBool = AtomicBool::new(false);
    static LIES: AtomicBool = AtomicBool::new(false);

    /// Counts from 0, for one test at a time.
    pub(crate) struct Counts {
        _alone: MutexGuard<'static, ()>,
    }

    impl Counts {
        pub(crate) fn begin() -> Self {
            let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
            for count in [&WAITS, &WAKES] {
                count.store(0, SeqCst);
            }
            for behaviour in [&IS_DELAYED, &LIES] {
                behaviour.store(false, SeqCst);
            }
            Self { _alone: alone }
        }

        pub(crate) fn waits(&self) -> u32 {
            WAITS.load(SeqCst)
        }

        pub(crate) fn wakes(&self) -> u32 {
            WAKES.load(SeqCst)
        }

        /// From now on wakes are counted and not done, or done again.
        pub(crate) fn delay(&self, is_delayed: bool) {
            IS_DELAYED.store(is_delayed, SeqCst);
        }

        /// From now on waits end for no reason, and wakes wake others too.
        pub(crate) fn lie(&self) {
            LIES.store(true, SeqCst);
        }
    }

    pub(crate) fn wait(word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>) {
        if script::wait(word, expected, queue) {
            return;
        }
        WAITS.fetch_add(1, SeqCst);
        if !(LIES.load(SeqCst) && is_heads()) {
            parking::wait(word, expected, queue, deadline.map(Instant::on_everybodys_clock));
        }
    }

    pub(crate) fn wake(word: &AtomicU32, count: u32, queue: Queue) {
        if script::wake(count, queue) {
            return;
        }
        WAKES.fetch_add(1, SeqCst);
        if LIES.load(SeqCst) && is_heads() {
            for other in [Queue::One, Queue::Readers, Queue::Holder] {
                parking::wake(word, u32::MAX, other);
            }
        } else if !IS_DELAYED.load(SeqCst) {
            parking::wake(word, count, queue);
        }
    }

    /// What a delayed wake would have done.
    pub(crate) fn wake_all(word: &AtomicU32) {
        for queue in [Queue::One, Queue::Readers, Queue::Holder] {
            parking::wake(word, u32::MAX, queue);
        }
    }

    fn is_heads() -> bool {
        thread_local! {
            static STATE: Cell<u32> = const { Cell::new(1) };
        }
        STATE.with(|state| {
            let mut next = state.get().wrapping_mul(0x9E37_79B1).wrapping_add(0x7F4A_7C15);
            next ^= next >> 15;
            state.set(next);
            next & 1 == 0
        })
    }
}
