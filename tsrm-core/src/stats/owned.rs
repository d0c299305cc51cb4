//! The set of one object that has one owner at a time: a connection, a statement, a session.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::count::{Alone, Event, count, is_counting};
use super::declaration::StatisticsDeclaration;
use super::definition::Definition;
use super::gauge::GaugeGuard;
use super::handle::Statistics;
use super::item::CellArray;
use super::snapshot::Snapshot;
use super::statistic::Statistic;
use super::sums::Sums;
use crate::token::Attached;

/// The statistics of one object: each call counts in them and in the process-wide set.
///
/// It is `Send` and not `Sync`: it goes where its object goes, and whoever has the object counts and reads. For an
/// object that many threads use at once, or that others read meanwhile, there is
/// [`SharedStatistics`](crate::stats::SharedStatistics). It is an array of numbers, as many as a thread has for the
/// whole enum, without a heap until a gauge is opened: put it into a `Box` if its object moves. What it has counted goes with it; what
/// it has counted for the process stays.
///
/// ```
/// # #[tsrm::module]
/// # mod client {
/// #     #[derive(tsrm::Statistics)]
/// #     pub enum Client {
/// #         /// Bytes sent.
/// #         #[stat(counter, unit = "bytes")] BytesSent,
/// #         /// Statements that are open now.
/// #         #[stat(gauge)] OpenStatements,
/// #     }
/// #     #[statistics]
/// #     pub static CLIENT: tsrm::Statistics<Client>;
/// # }
/// # use client::{CLIENT, Client};
/// use tsrm::stats::{GaugeGuard, OwnedStatistics};
///
/// struct Connection {
///     stats: OwnedStatistics<Client>,
/// }
///
/// # let tsrm = tsrm::Runtime::start([client::MODULE]).unwrap();
/// # tsrm.attach(|here| {
/// let connection = Connection { stats: OwnedStatistics::new() };
/// connection.stats.add(here, &CLIENT, Client::BytesSent, 20);
/// let statement = connection.stats.open(here, &CLIENT, Client::OpenStatements);
/// assert_eq!(connection.stats.snapshot().count(Client::OpenStatements), 1);
/// assert_eq!(CLIENT.snapshot().count(Client::OpenStatements), 1);
///
/// drop(statement); // both go down, wherever this happens
/// assert_eq!(connection.stats.snapshot().count(Client::OpenStatements), 0);
/// assert_eq!(CLIENT.snapshot().count(Client::OpenStatements), 0);
/// # });
/// ```
pub struct OwnedStatistics<E: Statistic> {
    cells: E::Cells,
    /// The gauges, which guards take back from anywhere; made when the first one is opened.
    gauges: OnceCell<Arc<E::Cells>>,
    _not_sync: PhantomData<Cell<E>>,
}

// SAFETY: it has no value of type `E`, and what it has may be sent: atomics, and an `Arc` of atomics (I13).
unsafe impl<E: Statistic> Send for OwnedStatistics<E> {}

impl<E: Statistic> OwnedStatistics<E> {
    /// All 0.
    pub const fn new() -> Self {
        Self { cells: E::Cells::ZERO, gauges: OnceCell::new(), _not_sync: PhantomData }
    }

    #[inline(always)]
    #[track_caller]
    fn count<D>(&self, here: Attached<'_>, process: &Statistics<D>, index: usize, event: Event)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        if is_counting::<D>() {
            count::<E, Alone>(self.cells.cells(), index, event);
            process.own(here).count(index, event);
        }
    }

    /// As [`Statistics::add`], in both.
    ///
    /// # Panics
    /// It is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn add<D>(&self, here: Attached<'_>, process: &Statistics<D>, counter: E, by: u64)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        self.count(here, process, counter.index(), Event::Add(by));
    }

    /// As [`Statistics::inc`], in both.
    ///
    /// # Panics
    /// It is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn inc<D>(&self, here: Attached<'_>, process: &Statistics<D>, counter: E)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        self.add(here, process, counter, 1);
    }

    /// As [`Statistics::add_all`], in both.
    ///
    /// # Panics
    /// One of them is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn add_all<D, const N: usize>(
        &self,
        here: Attached<'_>,
        process: &Statistics<D>,
        counters: [(E, u64); N],
    ) where
        D: StatisticsDeclaration<Set = E>,
    {
        if is_counting::<D>() {
            let local = process.own(here);
            for (counter, by) in counters {
                let index = counter.index();
                count::<E, Alone>(self.cells.cells(), index, Event::Add(by));
                local.count(index, Event::Add(by));
            }
        }
    }

    /// As [`Statistics::raise`], in both.
    ///
    /// # Panics
    /// It is no peak.
    #[inline(always)]
    #[track_caller]
    pub fn raise<D>(&self, here: Attached<'_>, process: &Statistics<D>, peak: E, to: u64)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        self.count(here, process, peak.index(), Event::Raise(to));
    }

    /// As [`Statistics::record`], in both.
    ///
    /// # Panics
    /// It is no histogram.
    #[inline(always)]
    #[track_caller]
    pub fn record<D>(&self, here: Attached<'_>, process: &Statistics<D>, histogram: E, value: u64)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        self.count(here, process, histogram.index(), Event::Record(value));
    }

    /// As [`Statistics::open`], in both; and both go down when the guard is dropped, wherever that is and
    /// whether this is still there.
    ///
    /// # Panics
    /// It is no gauge.
    #[inline]
    #[track_caller]
    pub fn open<D>(&self, here: Attached<'_>, process: &Statistics<D>, gauge: E) -> GaugeGuard<E>
    where
        D: StatisticsDeclaration<Set = E>,
    {
        self.open_many(here, process, gauge, 1)
    }

    /// As [`Statistics::open_many`], in both: see [`open`](Self::open).
    ///
    /// # Panics
    /// It is no gauge.
    #[inline]
    #[track_caller]
    pub fn open_many<D>(
        &self,
        here: Attached<'_>,
        process: &Statistics<D>,
        gauge: E,
        by: u64,
    ) -> GaugeGuard<E>
    where
        D: StatisticsDeclaration<Set = E>,
    {
        let guard = process.own(here).open_many(gauge, by);
        guard.also_in(|| Arc::clone(self.gauges.get_or_init(|| Arc::new(E::Cells::ZERO))))
    }

    /// What this set is now.
    pub fn snapshot(&self) -> Snapshot {
        let mut sums = Sums::of(Definition::of::<E>());
        let gauges = self.gauges.get().map(|gauges| gauges.cells());
        let cells = gauges.into_iter().chain([self.cells.cells()]);
        Sums::add_up(std::slice::from_mut(&mut sums), cells.map(|cells| (0, cells)));
        Snapshot::of_object(sums)
    }
}

impl<E: Statistic> Default for OwnedStatistics<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Statistic> fmt::Debug for OwnedStatistics<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedStatistics").field(&self.snapshot()).finish()
    }
}
