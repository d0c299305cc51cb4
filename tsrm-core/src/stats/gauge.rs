//! What is counted in a gauge, as a value that gives it back.

use std::fmt;
use std::sync::Arc;

use super::count::{Alone, Event, Together, count, item};
use super::declaration::StatisticsDescriptor;
use super::item::{CellArray, Kind};
use super::statistic::Statistic;
use crate::thread::current;
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
    amount: u64,
    is_counted: bool,
    opened_in: Opened,
    statistics: &'static StatisticsDescriptor,
    /// The cells of an object, which any thread may write.
    own: Option<Arc<E::Cells>>,
}

/// In which cells a gauge is up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    /// In the shard of that thread: taken back there, if by that thread.
    By(ThreadId),
    /// In the totals: taken back there.
    InTotals,
    /// A part here and a part there: taken back as away.
    InSeveral,
}

impl Opened {
    /// In the calling thread's shard, if it is registered and readers find that shard.
    #[inline]
    fn here() -> Option<Self> {
        let entry = current::entry().filter(|entry| entry.lists_shards.get())?;
        Some(Self::By(entry.id))
    }
}

impl<E: Statistic> GaugeGuard<E> {
    /// Nothing is counted yet.
    #[inline]
    pub(super) fn new(
        gauge: E,
        statistics: &'static StatisticsDescriptor,
        is_counted: bool,
    ) -> Self {
        let opened_in = Opened::here().unwrap_or(Opened::InTotals);
        let (amount, own) = (0, None);
        Self { index: gauge.index(), amount, is_counted, opened_in, statistics, own }
    }

    /// By how much the gauge is up; 0 if it was not counted.
    pub fn amount(&self) -> u64 {
        self.amount
    }

    /// Whether it was counted: its set was on.
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// Changes the amount, from any thread: for what grows and shrinks, as the bytes of a pool. A reader sees the
    /// old one or the new one. Does nothing if it was not counted.
    ///
    /// Amounts are meant to stay below 2^63, all that a gauge has up together.
    #[inline]
    #[track_caller]
    pub fn set_amount(&mut self, amount: u64) {
        let old = self.amount;
        if !self.is_counted || amount == old {
            return;
        }
        if amount > old {
            self.open(amount - old);
        } else {
            self.close(old - amount);
        }
        self.amount = amount;
    }

    /// Counts it in the cells of an object too, if it is counted at all.
    #[inline]
    pub(super) fn also_in(mut self, cells: impl FnOnce() -> Arc<E::Cells>) -> Self {
        if self.is_counted {
            let own = self.own.insert(cells());
            count::<E, Together>(own.cells(), self.index, Event::Open(self.amount));
        }
        self
    }

    #[inline]
    #[track_caller]
    fn open(&mut self, more: u64) {
        match (self.opened_in, Opened::here()) {
            (Opened::InTotals, _) => self.count_together(Event::Open(more)),
            (opened, Some(this)) if opened == this => self.count_alone(Event::Open(more)),
            (_, this) => {
                self.opened_in = Opened::InSeveral;
                match this {
                    Some(_) => self.count_alone(Event::Open(more)),
                    None => self.count_together(Event::Open(more)),
                }
            }
        }
        self.count_own(Event::Open(more));
    }

    #[inline]
    #[track_caller]
    fn close(&mut self, less: u64) {
        match (self.opened_in, Opened::here()) {
            (Opened::InTotals, _) => self.count_together(Event::Close(less)),
            (opened, Some(this)) if opened == this => self.count_alone(Event::Close(less)),
            (_, Some(_)) => self.count_alone(Event::CloseAway(less)),
            (_, None) => self.count_together(Event::CloseAway(less)),
        }
        self.count_own(Event::Close(less));
    }

    /// In the shard of the calling thread, which is registered and has listed it.
    #[inline]
    #[track_caller]
    fn count_alone(&self, event: Event) {
        // SAFETY: a registered thread's own (I13): it is folded when the thread is unlinked, and then has no
        // entry any more.
        let cells = unsafe { self.statistics.shard().as_ref() };
        count::<E, Alone>(cells, self.index, event);
    }

    #[track_caller]
    fn count_together(&self, event: Event) {
        count::<E, Together>(&self.statistics.set().totals, self.index, event);
    }

    #[inline]
    fn count_own(&self, event: Event) {
        if let Some(own) = &self.own {
            count::<E, Together>(own.cells(), self.index, event);
        }
    }
}

/// By that much, if its set counts.
#[inline]
#[track_caller]
pub(super) fn open<E: Statistic>(
    gauge: E,
    by: u64,
    statistics: &'static StatisticsDescriptor,
    is_counting: bool,
) -> GaugeGuard<E> {
    let mut guard = GaugeGuard::new(gauge, statistics, is_counting);
    if is_counting {
        item::<E>(guard.index, Kind::Gauge);
    }
    guard.set_amount(by);
    guard
}

impl<E: Statistic> Drop for GaugeGuard<E> {
    #[inline]
    fn drop(&mut self) {
        self.set_amount(0);
    }
}

impl<E: Statistic> fmt::Debug for GaugeGuard<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GaugeGuard")
            .field("gauge", &E::ITEMS[self.index].name)
            .field("amount", &self.amount)
            .field("is_counted", &self.is_counted)
            .finish()
    }
}
