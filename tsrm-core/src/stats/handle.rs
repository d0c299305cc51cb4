//! The handle that users count by.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use super::count::{Alone, Event, Together, count, is_counting, shard};
use super::declaration::StatisticsDeclaration;
use super::gauge::GaugeGuard;
use super::item::CellArray;
use super::read;
use super::snapshot::{PerThread, Snapshot};
use super::statistic::{Statistic, Switched};
use crate::sys;
use crate::thread::current;
use crate::token::Attached;

/// A process-wide set of statistics: what a `#[statistics]` item turns into.
///
/// To count is one addition in memory that belongs to the calling thread, in both builds; no lock, no
/// locked instruction, nothing to be initialised. Totals are exact: they are the sum of all threads that
/// are registered and all that were (but for one that registers in a destructor behind its thread's end: what
/// it counts shows when it leaves). They belong to the process and go on when the module is retired, comes
/// up again, or another runtime is started. To start from 0, subtract: [`Snapshot::since`],
/// [`meter`](Self::meter).
///
/// Reading needs no token, in single-threaded builds too.
///
/// ```
/// #[tsrm::module]
/// mod client {
///     use tsrm::Statistics;
///
///     #[derive(tsrm::Statistics)]
///     pub enum Client {
///         /// Bytes sent to the server.
///         #[stat(counter, unit = "bytes")]
///         BytesSent,
///         /// Connections open now.
///         #[stat(gauge)]
///         ActiveConnections,
///         /// Rows in the largest result.
///         #[stat(peak)]
///         LargestResult,
///         /// How long queries took.
///         #[stat(histogram, unit = "microseconds", max = 60_000_000)]
///         QueryTime,
///     }
///
///     #[statistics]
///     pub static CLIENT: Statistics<Client>;
/// }
/// use client::{CLIENT, Client};
///
/// # fn main() -> Result<(), tsrm::StartError> {
/// let tsrm = tsrm::Runtime::start([client::MODULE])?;
/// let connection = tsrm.attach(|here| {
///     CLIENT.add(here, Client::BytesSent, 512);
///     CLIENT.raise(here, Client::LargestResult, 20);
///     CLIENT.record(here, Client::QueryTime, 1250);
///     CLIENT.open(here, Client::ActiveConnections)
/// });
/// let now = CLIENT.snapshot();
/// assert_eq!(now.count(Client::BytesSent), 512);
/// assert_eq!(now.count(Client::ActiveConnections), 1);
/// assert_eq!(now.count(Client::LargestResult), 20);
/// drop(connection);
/// assert_eq!(CLIENT.snapshot().count(Client::ActiveConnections), 0);
/// # Ok(()) }
/// ```
///
/// Counters and the sums of histograms wrap at 2^64.
///
/// The type of the handle names its declaration, not the enum: that is where the address of the cells comes
/// from. Functions that take a handle are generic: see [`StatisticsDeclaration`]. A set whose module was
/// never started counts too; it is in no report on all sets until its module comes up.
///
/// The scheme, one shard for each thread which that thread alone writes and which is folded into a total
/// when the thread ends, is folly's `ThreadCachedInt`; that no reader sees a total step back is by folding
/// and summing under one lock.
pub struct Statistics<D> {
    _declaration: PhantomData<fn() -> D>,
}

impl<D> Statistics<D> {
    #[doc(hidden)]
    #[allow(clippy::new_without_default, reason = "the macro's, not the user's")]
    pub const fn new() -> Self {
        Self { _declaration: PhantomData }
    }
}

/// To count, with the token.
impl<D: StatisticsDeclaration> Statistics<D> {
    /// Adds to a counter.
    ///
    /// # Panics
    /// It is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn add(&self, here: Attached<'_>, counter: D::Set, by: u64) {
        self.own(here).add(counter, by);
    }

    /// Adds 1 to a counter.
    ///
    /// # Panics
    /// It is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn inc(&self, here: Attached<'_>, counter: D::Set) {
        self.own(here).add(counter, 1);
    }

    /// Adds to several counters; where the set can be switched, either to all or to none of them.
    ///
    /// # Panics
    /// One of them is no counter; those before it have been added to.
    #[inline(always)]
    #[track_caller]
    pub fn add_all<const N: usize>(&self, here: Attached<'_>, counters: [(D::Set, u64); N]) {
        self.own(here).add_all(counters);
    }

    /// Raises a peak, if the value is greater.
    ///
    /// # Panics
    /// It is no peak.
    #[inline(always)]
    #[track_caller]
    pub fn raise(&self, here: Attached<'_>, peak: D::Set, to: u64) {
        self.own(here).raise(peak, to);
    }

    /// Puts a value into a histogram. One beyond its maximum is counted in the last bucket, and in the sum as
    /// what it is.
    ///
    /// # Panics
    /// It is no histogram.
    #[inline(always)]
    #[track_caller]
    pub fn record(&self, here: Attached<'_>, histogram: D::Set, value: u64) {
        self.own(here).record(histogram, value);
    }

    /// A gauge is up by 1 until the guard is dropped.
    ///
    /// # Panics
    /// It is no gauge.
    #[inline(always)]
    #[track_caller]
    pub fn open(&self, here: Attached<'_>, gauge: D::Set) -> GaugeGuard<D::Set> {
        self.own(here).open(gauge)
    }

    /// A gauge is up by that much until the guard is dropped.
    ///
    /// # Panics
    /// It is no gauge.
    #[inline(always)]
    #[track_caller]
    pub fn open_many(&self, here: Attached<'_>, gauge: D::Set, by: u64) -> GaugeGuard<D::Set> {
        self.own(here).open_many(gauge, by)
    }

    /// This thread's part of the set, for tight loops: its address is computed once and kept in a register.
    ///
    /// ```
    /// # #[tsrm::module]
    /// # mod scan {
    /// #     #[derive(tsrm::Statistics)]
    /// #     pub enum Scan {
    /// #         /// Rows looked at.
    /// #         #[stat(counter)] Rows,
    /// #     }
    /// #     #[statistics]
    /// #     pub static SCAN: tsrm::Statistics<Scan>;
    /// # }
    /// # use scan::{SCAN, Scan};
    /// # let tsrm = tsrm::Runtime::start([scan::MODULE]).unwrap();
    /// # tsrm.attach(|here| {
    /// let scan = SCAN.local(here);
    /// for _row in 0..20 {
    ///     scan.inc(Scan::Rows);
    /// }
    /// # });
    /// assert_eq!(SCAN.snapshot().count(Scan::Rows), 20);
    /// ```
    #[inline(always)]
    pub fn local<'t>(&self, here: Attached<'t>) -> Local<'t, D> {
        let local = self.own(here);
        Local { cells: sys::in_register(local.cells), ..local }
    }

    /// The same as an address that the compiler knows, for one count.
    #[inline(always)]
    pub(super) fn own<'t>(&self, here: Attached<'t>) -> Local<'t, D> {
        // SAFETY: `here` proves that this thread is attached for all of `'t` (I1, I9).
        let cells = unsafe { shard::<'t, D>() };
        Local { cells, _here: here }
    }

    /// To count where there is no token: on a thread that is not attached, in a destructor, in a
    /// `module_startup`. Each count is an atomic addition on memory that all threads share.
    ///
    /// In a signal handler or an allocator too: if a thread has registered since the program was
    /// loaded, or this was called before (the first call for a set allocates), and where 64-bit atomics need
    /// no lock. What else counts is not fit for a signal handler, which may interrupt the same count; also not to
    /// drop a guard there that was not opened there.
    #[inline]
    pub fn anywhere(&self) -> Anywhere<D> {
        Anywhere { _declaration: PhantomData }
    }
}

/// To count where there may be a token, or not: for what this crate itself counts.
#[allow(dead_code, reason = "of which there is none without the feature `lock-statistics`")]
impl<D: StatisticsDeclaration> Statistics<D> {
    #[inline(always)]
    pub(crate) fn wherever(&self) -> Wherever<D> {
        Wherever { _declaration: PhantomData }
    }
}

/// To read; no token is needed.
impl<D: StatisticsDeclaration> Statistics<D> {
    /// The totals now. Takes the registry's lock for as long as it takes to add up all threads; each counter
    /// is at least what any earlier snapshot shows.
    ///
    /// A gauge is never below 0, nor above what it was at some moment. If guards are dropped by other threads than
    /// opened them, and that more often than all threads are looked at (some nanoseconds each), it may be
    /// read too low.
    pub fn snapshot(&self) -> Snapshot {
        read::snapshot(D::descriptor().set())
    }

    /// What each registered thread has counted since it registered, and the rest, from threads that left and
    /// from [`anywhere`](Self::anywhere): for counters and histograms together a [`snapshot`](Self::snapshot), of
    /// one moment. A gauge that one thread opened and another one closed still shows as open with the first one.
    pub fn per_thread(&self) -> PerThread {
        read::per_thread(D::descriptor().set())
    }

    /// Reads from now on: a reader's own zero, of which nobody else knows.
    pub fn meter(&self) -> Meter<D> {
        Meter { zero: self.snapshot(), _declaration: PhantomData }
    }
}

/// To switch on and off, with `#[stat(switch)]` on the enum.
// The bounds stand on the methods, where the compiler says what to write.
impl<D: StatisticsDeclaration> Statistics<D> {
    /// Whether the set counts; it does at first. One that is compiled with `#[stat(off)]` never does.
    pub fn is_enabled(&self) -> bool
    where
        D::Set: Switched,
    {
        is_counting::<D>()
    }

    /// Switches counting on or off, for all threads; those in the middle of a count finish it as they began
    /// it. What is counted stays. A gauge that is up goes down with its guard, also while this is off; one
    /// that was opened while it was off is not counted later.
    pub fn set_enabled(&self, enabled: bool)
    where
        D::Set: Switched,
    {
        D::switch().store(enabled, Ordering::Relaxed);
    }
}

impl<D: StatisticsDeclaration> fmt::Debug for Statistics<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = D::descriptor().set();
        write!(f, "Statistics({}::{})", set.module.as_str(), D::descriptor().declared)
    }
}

/// One thread's part of a set: see [`Statistics::local`].
pub struct Local<'t, D: StatisticsDeclaration> {
    cells: &'t <D::Set as Statistic>::Cells,
    /// Stays on its thread.
    _here: Attached<'t>,
}

impl<D: StatisticsDeclaration> Clone for Local<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: StatisticsDeclaration> Copy for Local<'_, D> {}

impl<D: StatisticsDeclaration> Local<'_, D> {
    #[inline(always)]
    #[track_caller]
    pub(super) fn count(self, index: usize, event: Event) {
        count::<D::Set, Alone>(self.cells.cells(), index, event);
    }

    /// As [`Statistics::add`].
    ///
    /// # Panics
    /// It is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn add(self, counter: D::Set, by: u64) {
        if is_counting::<D>() {
            self.count(counter.index(), Event::Add(by));
        }
    }

    /// As [`Statistics::inc`].
    ///
    /// # Panics
    /// It is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn inc(self, counter: D::Set) {
        self.add(counter, 1);
    }

    /// As [`Statistics::add_all`].
    ///
    /// # Panics
    /// One of them is no counter.
    #[inline(always)]
    #[track_caller]
    pub fn add_all<const N: usize>(self, counters: [(D::Set, u64); N]) {
        if is_counting::<D>() {
            for (counter, by) in counters {
                self.count(counter.index(), Event::Add(by));
            }
        }
    }

    /// As [`Statistics::raise`].
    ///
    /// # Panics
    /// It is no peak.
    #[inline(always)]
    #[track_caller]
    pub fn raise(self, peak: D::Set, to: u64) {
        if is_counting::<D>() {
            self.count(peak.index(), Event::Raise(to));
        }
    }

    /// As [`Statistics::record`].
    ///
    /// # Panics
    /// It is no histogram.
    #[inline(always)]
    #[track_caller]
    pub fn record(self, histogram: D::Set, value: u64) {
        if is_counting::<D>() {
            self.count(histogram.index(), Event::Record(value));
        }
    }

    /// As [`Statistics::open`].
    ///
    /// # Panics
    /// It is no gauge.
    #[inline(always)]
    #[track_caller]
    pub fn open(self, gauge: D::Set) -> GaugeGuard<D::Set> {
        self.open_many(gauge, 1)
    }

    /// As [`Statistics::open_many`].
    ///
    /// # Panics
    /// It is no gauge.
    #[inline(always)]
    #[track_caller]
    pub fn open_many(self, gauge: D::Set, by: u64) -> GaugeGuard<D::Set> {
        let index = gauge.index();
        if is_counting::<D>() {
            GaugeGuard::open(index, by, D::descriptor(), self.cells.cells())
        } else {
            GaugeGuard::not_counted(index)
        }
    }
}

impl<D: StatisticsDeclaration> fmt::Debug for Local<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Local({})", D::descriptor().declared)
    }
}

/// To count without a token: see [`Statistics::anywhere`].
pub struct Anywhere<D> {
    _declaration: PhantomData<fn() -> D>,
}

impl<D> Clone for Anywhere<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Anywhere<D> {}

impl<D: StatisticsDeclaration> Anywhere<D> {
    #[track_caller]
    fn count(self, index: usize, event: Event) {
        if is_counting::<D>() {
            count::<D::Set, Together>(&D::descriptor().set().totals, index, event);
        }
    }

    /// As [`Statistics::add`].
    ///
    /// # Panics
    /// It is no counter.
    #[track_caller]
    pub fn add(self, counter: D::Set, by: u64) {
        self.count(counter.index(), Event::Add(by));
    }

    /// As [`Statistics::inc`].
    ///
    /// # Panics
    /// It is no counter.
    #[track_caller]
    pub fn inc(self, counter: D::Set) {
        self.add(counter, 1);
    }

    /// As [`Statistics::raise`].
    ///
    /// # Panics
    /// It is no peak.
    #[track_caller]
    pub fn raise(self, peak: D::Set, to: u64) {
        self.count(peak.index(), Event::Raise(to));
    }

    /// As [`Statistics::record`].
    ///
    /// # Panics
    /// It is no histogram.
    #[track_caller]
    pub fn record(self, histogram: D::Set, value: u64) {
        self.count(histogram.index(), Event::Record(value));
    }

    /// As [`Statistics::open`].
    ///
    /// # Panics
    /// It is no gauge.
    #[track_caller]
    pub fn open(self, gauge: D::Set) -> GaugeGuard<D::Set> {
        self.open_many(gauge, 1)
    }

    /// As [`Statistics::open_many`].
    ///
    /// # Panics
    /// It is no gauge.
    #[track_caller]
    pub fn open_many(self, gauge: D::Set, by: u64) -> GaugeGuard<D::Set> {
        let index = gauge.index();
        if is_counting::<D>() {
            GaugeGuard::open_in_totals(index, by, D::descriptor())
        } else {
            GaugeGuard::not_counted(index)
        }
    }
}

impl<D: StatisticsDeclaration> fmt::Debug for Anywhere<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Anywhere({})", D::descriptor().declared)
    }
}

/// Counts in the calling thread's shard if it has one that readers find, and in the totals otherwise.
#[allow(dead_code, reason = "as above")]
pub(crate) struct Wherever<D> {
    _declaration: PhantomData<fn() -> D>,
}

#[allow(dead_code, reason = "as above")]
impl<D: StatisticsDeclaration> Wherever<D> {
    #[inline(always)]
    fn count(&self, index: usize, event: Event) {
        if !is_counting::<D>() {
            return;
        }
        if current::entry().is_some_and(|entry| entry.lists_shards.get()) {
            // SAFETY: a registered thread's own (I13), which is the only one in a single-threaded build (I9).
            let cells = unsafe { shard::<'_, D>() };
            count::<D::Set, Alone>(cells.cells(), index, event);
        } else {
            count::<D::Set, Together>(&D::descriptor().set().totals, index, event);
        }
    }

    #[inline(always)]
    pub(crate) fn inc(&self, counter: D::Set) {
        self.count(counter.index(), Event::Add(1));
    }

    pub(crate) fn raise(&self, peak: D::Set, to: u64) {
        self.count(peak.index(), Event::Raise(to));
    }

    pub(crate) fn record(&self, histogram: D::Set, value: u64) {
        self.count(histogram.index(), Event::Record(value));
    }
}

/// A reader with a zero of its own: see [`Statistics::meter`].
pub struct Meter<D> {
    zero: Snapshot,
    _declaration: PhantomData<fn() -> D>,
}

impl<D: StatisticsDeclaration> Meter<D> {
    /// What was counted since the last reset: [`Snapshot::since`].
    pub fn read(&self) -> Snapshot {
        Statistics::<D>::new().snapshot().since(&self.zero)
    }

    /// As [`read`](Self::read), and the next one begins here: nothing is counted twice or left out.
    pub fn reset(&mut self) -> Snapshot {
        let now = Statistics::<D>::new().snapshot();
        let since = now.since(&self.zero);
        self.zero = now;
        since
    }
}

impl<D: StatisticsDeclaration> fmt::Debug for Meter<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("zero", &self.zero).finish()
    }
}
