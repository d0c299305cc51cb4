//! What is counted in a gauge, as a value that gives it back.

use std::fmt;
use std::sync::Arc;

use super::count::{Event, Together, count};
use super::definition::Set;
use super::item::{CellArray, Statistic};

/// An amount by which a gauge is up, for as long as this lives.
///
/// It remembers whether it was counted: one that was opened while its set was off takes nothing back, one
/// that was opened while it was on does so also after it was switched off. It may be sent away and dropped
/// anywhere, on a thread that is not attached, after the module was retired or the runtime shut down. That
/// costs an atomic addition; [`Statistics::close`](crate::Statistics::close) costs none.
///
/// Opened in the set of an object as well ([`OwnedStatistics::open`](crate::stats::OwnedStatistics::open)),
/// it goes down in both. If it is leaked, the gauge stays up.
#[must_use = "the gauge goes down when this is dropped"]
pub struct GaugeGuard<E: Statistic> {
    index: usize,
    /// How much; 0 if it was not counted.
    amount: u64,
    is_counted: bool,
    set: &'static Set,
    /// The part of an object's set that any thread may write.
    own: Option<Arc<E::Cells>>,
}

impl<E: Statistic> GaugeGuard<E> {
    #[inline]
    pub(super) fn counted(index: usize, amount: u64, set: &'static Set) -> Self {
        Self { index, amount, is_counted: true, set, own: None }
    }

    #[inline]
    pub(super) fn not_counted(index: usize, set: &'static Set) -> Self {
        Self { index, amount: 0, is_counted: false, set, own: None }
    }

    /// Counts it in the set of an object too, if it is counted at all.
    #[inline]
    pub(super) fn also_in(mut self, cells: impl FnOnce() -> Arc<E::Cells>) -> Self {
        if self.is_counted {
            let own = self.own.insert(cells());
            count::<E, Together>(own.cells(), self.index, Event::Open(self.amount));
        }
        self
    }

    /// By how much the gauge is up; 0 if it was not counted.
    pub fn amount(&self) -> u64 {
        self.amount
    }

    /// Whether it was counted: its set was on.
    pub fn is_counted(&self) -> bool {
        self.is_counted
    }

    /// Changes the amount, from any thread: for what grows and shrinks, as the bytes of a pool. Does nothing
    /// if it was not counted.
    pub fn set_amount(&mut self, amount: u64) {
        if !self.is_counted {
            return;
        }
        let event = match amount.checked_sub(self.amount) {
            Some(more) => Event::Open(more),
            None => Event::Close(self.amount - amount),
        };
        self.amount = amount;
        count::<E, Together>(&self.set.totals, self.index, event);
        self.count_own(event);
    }

    /// The guard is one of that set.
    #[inline]
    #[track_caller]
    pub(super) fn assert_of(&self, set: &'static Set) {
        assert!(std::ptr::eq(self.set, set), "a guard is closed in the set that it was opened in");
    }

    /// What is to be taken back in the process-wide set by the caller. In the object's it is done here.
    #[inline]
    pub(super) fn take(mut self) -> (usize, u64) {
        let amount = std::mem::take(&mut self.amount);
        if amount > 0 {
            self.count_own(Event::Close(amount));
        }
        (self.index, amount)
    }

    fn count_own(&self, event: Event) {
        if let Some(own) = &self.own {
            count::<E, Together>(own.cells(), self.index, event);
        }
    }
}

impl<E: Statistic> Drop for GaugeGuard<E> {
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
