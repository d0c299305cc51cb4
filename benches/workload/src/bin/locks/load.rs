//! What the threads do with the lock.

use std::time::Instant;

use tsrm::Attached;
use tsrm_workload::locks::Lock;

use crate::waits::Waits;
use crate::work::Work;

/// One of the workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// One in a hundred writes.
    MostlyShared,
    /// Every second one writes.
    Half,
    /// 20 % are for update, 5 % of which are upgraded; the rest is shared.
    Updates,
    /// All write, and do nothing.
    Empty,
}

impl Load {
    pub(crate) const ALL: [Self; 4] = [Self::MostlyShared, Self::Half, Self::Updates, Self::Empty];

    /// As `zts-vs-nts` calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MostlyShared => "99/1",
            Self::Half => "50/50",
            Self::Updates => "U-mix",
            Self::Empty => "X-empty",
        }
    }
}

/// Of how many readers one is timed, and of how many empty sections: to look at the clock takes longer than they do.
const READERS_TIMED: u64 = 8;
const EMPTY_TIMED: u64 = 64;

/// One thread.
pub(crate) struct Worker {
    dice: Dice,
    work: Work,
    pub(crate) operations: u64,
    /// Of those that want it for update or exclusively.
    pub(crate) writes: Waits,
    pub(crate) reads: Waits,
}

impl Worker {
    pub(crate) fn new(number: usize, work: Work) -> Self {
        let dice = Dice::new(number as u64 + 1);
        Self { dice, work, operations: 0, writes: Waits::new(), reads: Waits::new() }
    }

    /// Works as long as it shall.
    #[inline(always)]
    pub(crate) fn work<L: Lock>(
        &mut self,
        load: Load,
        lock: &L,
        here: Attached<'_>,
        goes_on: impl Fn() -> bool,
    ) {
        // A loop for each: what is measured is not the choice.
        match load {
            Load::MostlyShared => self.repeat(goes_on, |worker| worker.mixed::<1, L>(lock, here)),
            Load::Half => self.repeat(goes_on, |worker| worker.mixed::<50, L>(lock, here)),
            Load::Updates => self.repeat(goes_on, |worker| worker.updating(lock, here)),
            Load::Empty => self.repeat(goes_on, |worker| worker.empty(lock, here)),
        }
    }

    #[inline(always)]
    fn repeat(&mut self, goes_on: impl Fn() -> bool, operation: impl Fn(&mut Self)) {
        while goes_on() {
            operation(self);
            self.operations += 1;
        }
    }

    #[inline(always)]
    fn mixed<const WRITES: u64, L: Lock>(&mut self, lock: &L, here: Attached<'_>) {
        if self.dice.percent() < WRITES {
            let (waits, work) = (&mut self.writes, self.work);
            let start = Instant::now();
            lock.exclusive(here, || {
                waits.note(start.elapsed());
                work.run();
            });
        } else {
            self.read(lock, here);
        }
    }

    #[inline(always)]
    fn updating<L: Lock>(&mut self, lock: &L, here: Attached<'_>) {
        let percent = self.dice.percent();
        if percent >= 20 {
            return self.read(lock, here);
        }
        let (waits, work) = (&mut self.writes, self.work);
        let start = Instant::now();
        let looking = || {
            waits.note(start.elapsed());
            work.run();
        };
        if percent == 0 {
            lock.upgraded(here, looking, || work.run());
        } else {
            lock.update(here, looking);
        }
    }

    #[inline(always)]
    fn read<L: Lock>(&mut self, lock: &L, here: Attached<'_>) {
        let (waits, work) = (&mut self.reads, self.work);
        if self.operations.is_multiple_of(READERS_TIMED) {
            let start = Instant::now();
            lock.shared(here, || {
                waits.note(start.elapsed());
                work.run();
            });
        } else {
            lock.shared(here, || work.run());
        }
    }

    #[inline(always)]
    fn empty<L: Lock>(&mut self, lock: &L, here: Attached<'_>) {
        if self.operations.is_multiple_of(EMPTY_TIMED) {
            let waits = &mut self.writes;
            let start = Instant::now();
            lock.exclusive(here, || waits.note(start.elapsed()));
        } else {
            lock.exclusive(here, || ());
        }
    }
}

/// Xorshift: a few instructions.
struct Dice(u64);

impl Dice {
    fn new(number: u64) -> Self {
        Self(number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    #[inline]
    fn percent(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % 100
    }
}
