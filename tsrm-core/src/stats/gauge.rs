//! What is counted in a gauge, as a value that gives it back.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use super::cells;
use super::count::{Alone, Event, Together, count};
use super::declaration::StatisticsDescriptor;
use super::item::{CellArray, Counting};
use super::statistic::Statistic;
use crate::primitive::AtomicU64;
use crate::thread::current;
use crate::thread::entry::ThreadEntry;
use crate::thread::identity::ThreadId;

/// An amount by which a gauge is up, for as long as this lives.
///
/// It remembers whether it was counted: one that was opened while its set was off takes nothing back, one
/// that was opened while it was on does so also after it was switched off. It may be sent away and dropped
/// anywhere: on a thread that is not attached, after the module was retired or the runtime shut down. On a
/// registered thread that is a plain addition, elsewhere an atomic one.
///
/// Opened in the set of an object as well ([`OwnedStatistics::open`](crate::stats::OwnedStatistics::open)),
/// it goes down in both. If it is leaked, the gauge stays up.
#[must_use = "the gauge goes down when this is dropped"]
pub struct GaugeGuard<E: Statistic> {
    index: usize,
    /// The thread in whose cells the gauge is up, and by how much; 0 if it is in the totals only.
    opener: Option<Opener>,
    /// By how much it is up in the totals.
    in_totals: u64,
    /// `None` if it is not counted.
    statistics: Option<&'static StatisticsDescriptor>,
    /// The cells of an object, which any thread may write. Dropped by hand: of a set that is compiled off there
    /// is nothing to be dropped.
    own: ManuallyDrop<Option<Arc<E::Cells>>>,
}

/// A thread, and where in its shard.
#[derive(Clone, Copy)]
struct Opener {
    thread: ThreadId,
    /// Of that thread's shard; looked at by that thread only.
    level: *const AtomicU64,
    amount: u64,
}

// SAFETY: what it points to is an atomic in the shard of a thread, of which only that thread makes use, while it
// is registered (I13).
unsafe impl Send for Opener {}
// SAFETY: as above (I13).
unsafe impl Sync for Opener {}

impl Opener {
    /// Whether the calling thread is it.
    #[inline]
    fn is_here(&self) -> bool {
        current::entry().is_some_and(|entry| entry.id == self.thread)
    }

    /// By that thread: goes up by that much, or down by its negative.
    #[inline]
    fn change(&mut self, by: u64) {
        // SAFETY: the calling thread's shard, which is there as long as the thread is registered: its number is
        // not used again (I13, I10).
        cells::add_to_gauge(unsafe { &*self.level }, by);
        self.amount = self.amount.wrapping_add(by);
    }
}

/// The calling thread, if it is registered and readers find its shards.
#[inline]
fn listed_thread<'e>() -> Option<&'e ThreadEntry> {
    current::entry().filter(|entry| entry.lists_shards.get())
}

impl<E: Statistic> GaugeGuard<E> {
    /// None is ever counted.
    const IS_OFF: bool = matches!(E::COUNTING, Counting::Off);

    /// Of a set that is off.
    #[inline]
    pub(super) fn not_counted(index: usize) -> Self {
        Self { index, opener: None, in_totals: 0, statistics: None, own: ManuallyDrop::new(None) }
    }

    /// Opens a gauge in the calling thread's shard.
    ///
    /// # Panics
    /// It is no gauge.
    #[inline(always)]
    #[track_caller]
    pub(super) fn open(
        index: usize,
        amount: u64,
        statistics: &'static StatisticsDescriptor,
        shard: &[AtomicU64],
    ) -> Self {
        let Some(entry) = listed_thread() else {
            return Self::open_in_totals(index, amount, statistics);
        };
        count::<E, Alone>(shard, index, Event::Open(amount));
        let level = &raw const shard[E::ITEMS[index].first as usize];
        let opener = Some(Opener { thread: entry.id, level, amount });
        Self {
            index,
            opener,
            in_totals: 0,
            statistics: Some(statistics),
            own: ManuallyDrop::new(None),
        }
    }

    /// Opens a gauge in the totals.
    ///
    /// # Panics
    /// It is no gauge.
    #[cold]
    #[track_caller]
    pub(super) fn open_in_totals(
        index: usize,
        amount: u64,
        statistics: &'static StatisticsDescriptor,
    ) -> Self {
        count::<E, Together>(&statistics.set().totals, index, Event::Open(amount));
        let (statistics, in_totals) = (Some(statistics), amount);
        Self { index, opener: None, in_totals, statistics, own: ManuallyDrop::new(None) }
    }

    /// Counts it in the cells of an object too, if it is counted at all.
    #[inline]
    pub(super) fn also_in(mut self, cells: impl FnOnce() -> Arc<E::Cells>) -> Self {
        if self.is_counted() {
            *self.own = Some(cells());
            self.count_own(Event::Open(self.amount()));
        }
        self
    }

    /// By how much the gauge is up; 0 if it was not counted.
    #[inline]
    pub fn amount(&self) -> u64 {
        self.opener.map_or(0, |opener| opener.amount).wrapping_add(self.in_totals)
    }

    /// Whether it was counted: its set was on.
    #[inline]
    pub fn is_counted(&self) -> bool {
        self.statistics.is_some()
    }

    /// Changes the amount, from any thread: for what grows and shrinks, as the bytes of a pool. A reader sees the
    /// old one or the new one (or, where several threads have changed it, something in between). Does nothing
    /// if it was not counted.
    ///
    /// Amounts are meant to stay below 2^63, all that a gauge has up together.
    #[inline]
    pub fn set_amount(&mut self, amount: u64) {
        if Self::IS_OFF {
            return;
        }
        let old = self.amount();
        if amount > old {
            self.raise(amount - old);
        } else if amount < old {
            self.lower(old - amount);
        }
    }

    fn raise(&mut self, more: u64) {
        let Some(statistics) = self.statistics else { return };
        match &mut self.opener {
            Some(opener) if opener.is_here() => opener.change(more),
            // In the totals, from where any thread can take it back.
            _ => {
                count::<E, Together>(&statistics.set().totals, self.index, Event::Open(more));
                self.in_totals = self.in_totals.wrapping_add(more);
            }
        }
        self.count_own(Event::Open(more));
    }

    #[inline]
    fn lower(&mut self, less: u64) {
        match &mut self.opener {
            Some(opener) if opener.amount >= less && opener.is_here() => {
                opener.change(less.wrapping_neg());
            }
            _ => self.lower_slow(less),
        }
        self.count_own(Event::Close(less));
    }

    /// On another thread than the opener's, or more than that has up.
    #[cold]
    fn lower_slow(&mut self, less: u64) {
        let Some(statistics) = self.statistics else { return };
        let totals = || &statistics.set().totals;
        let mut less = less;
        if let Some(opener) = self.opener.as_mut().filter(|opener| opener.is_here()) {
            let part = opener.amount.min(less);
            opener.change(part.wrapping_neg());
            less -= part;
        }
        let part = self.in_totals.min(less);
        if part > 0 {
            count::<E, Together>(totals(), self.index, Event::Close(part));
            self.in_totals -= part;
        }
        let away = less - part;
        if let Some(opener) = self.opener.as_mut().filter(|_| away > 0) {
            opener.amount -= away;
            match listed_thread() {
                Some(_) => {
                    // SAFETY: a registered thread's own (I13).
                    let shard = unsafe { statistics.shard().as_ref() };
                    count::<E, Alone>(shard, self.index, Event::CloseAway(away));
                }
                None => count::<E, Together>(totals(), self.index, Event::CloseAway(away)),
            }
        }
    }

    #[inline]
    fn count_own(&self, event: Event) {
        if let Some(own) = &*self.own {
            count::<E, Together>(own.cells(), self.index, event);
        }
    }
}

impl<E: Statistic> Drop for GaugeGuard<E> {
    #[inline]
    fn drop(&mut self) {
        if Self::IS_OFF {
            return;
        }
        let amount = self.amount();
        if amount > 0 {
            self.lower(amount);
        }
        // SAFETY: not used again (I13).
        unsafe { ManuallyDrop::drop(&mut self.own) };
    }
}

impl<E: Statistic> fmt::Debug for GaugeGuard<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GaugeGuard")
            .field("gauge", &E::ITEMS[self.index].name)
            .field("amount", &self.amount())
            .field("is_counted", &self.is_counted())
            .finish()
    }
}
