//! The set of one object that many threads use at once: a pool, a cache.
//!
//! A shard for each thread that counts in it, found by number in the thread's table, as a resource that is
//! registered at run time. Shards are never folded: a thread that leaves gives its shard back, and the next
//! one that needs one goes on with it. So to read takes no lock, and there are about as many shards as there
//! were threads at once.

use std::alloc::Layout;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::count::{Alone, Event, Together, count, is_counting};
use super::declaration::StatisticsDeclaration;
use super::definition::Definition;
use super::gauge::GaugeGuard;
use super::handle::Statistics;
use super::item::CellArray;
use super::shards::{Shard, Shards};
use super::snapshot::Snapshot;
use super::statistic::Statistic;
use super::sums::Sums;
use crate::global::descriptor::{DropValue, Kind, Origin};
use crate::global::drop_in_place;
use crate::primitive::AtomicU64;
use crate::registry::{Construct, ResourceType};
use crate::resource::ResourceId;
use crate::thread::current;
use crate::token::Attached;

/// The statistics of one object that many threads use at once: each call counts in them and in the
/// process-wide set, without a locked instruction in either.
///
/// `Send` and `Sync`. Each thread that counts has a shard on the heap, which is made at its first count and
/// goes to another thread when it leaves; to find it is a walk to the thread's table. Where an object has one
/// user at a time, [`OwnedStatistics`](crate::stats::OwnedStatistics) are smaller and faster.
///
/// Nothing of it fails: where there can be no shard (there is no memory for one, or the runtime shuts down),
/// counts are added atomically to cells that all threads share.
///
/// ```
/// # #[tsrm::module]
/// # mod pool {
/// #     #[derive(tsrm::Statistics)]
/// #     pub enum Pool {
/// #         /// Connections handed out.
/// #         #[stat(counter)] Handed,
/// #     }
/// #     #[statistics]
/// #     pub static POOL: tsrm::Statistics<Pool>;
/// # }
/// # use pool::{POOL, Pool};
/// use tsrm::stats::SharedStatistics;
///
/// # let tsrm = tsrm::Runtime::start([pool::MODULE]).unwrap();
/// let one = SharedStatistics::new();
/// let other = SharedStatistics::new();
/// tsrm.attach(|here| {
///     one.inc(here, &POOL, Pool::Handed);
///     other.add(here, &POOL, Pool::Handed, 2);
/// });
/// assert_eq!(one.snapshot().count(Pool::Handed), 1);
/// assert_eq!(other.snapshot().count(Pool::Handed), 2);
/// assert_eq!(POOL.snapshot().count(Pool::Handed), 3);
/// ```
pub struct SharedStatistics<E: Statistic> {
    shards: Arc<Shards<E::Cells>>,
    /// What was counted without a shard, and the gauges, which guards take back from anywhere.
    together: Arc<E::Cells>,
    /// Its number as a resource of the runtime that last asked, or 0.
    id: AtomicU64,
}

/// A shard in its thread's table. Dropped there, it is given back.
struct Taken<E: Statistic> {
    shard: NonNull<Shard<E::Cells>>,
    _shards: Arc<Shards<E::Cells>>,
}

impl<E: Statistic> SharedStatistics<E> {
    /// All 0.
    pub fn new() -> Self {
        let (shards, together) = (Arc::new(Shards::new()), Arc::new(E::Cells::ZERO));
        Self { shards, together, id: AtomicU64::new(0) }
    }

    /// The calling thread's shard, if it has one.
    #[inline]
    fn shard<'t>(&self, here: Attached<'t>) -> Option<&'t E::Cells> {
        // Relaxed: it is looked up in this thread's own table.
        let id = ResourceId::from_bits(self.id.load(Ordering::Relaxed))?;
        let taken = id.own_value(here)?.cast::<Taken<E>>();
        // SAFETY: this object's number, so what is there is what `take_shard` has put there, in this
        // thread's table as long as the attach (I4, I12).
        let shard = unsafe { taken.as_ref() }.shard;
        // SAFETY: `taken` keeps the list alive (I13).
        Some(&unsafe { shard.as_ref() }.value)
    }

    #[inline]
    #[track_caller]
    fn count<D>(&self, here: Attached<'_>, process: &Statistics<D>, index: usize, event: Event)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        if is_counting::<D>() {
            self.count_now(here, process, index, event);
        }
    }

    #[inline]
    #[track_caller]
    fn count_now<D>(&self, here: Attached<'_>, process: &Statistics<D>, index: usize, event: Event)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        process.own(here).count(index, event);
        match self.shard(here).or_else(|| self.take_shard(here)) {
            Some(shard) => count::<E, Alone>(shard.cells(), index, event),
            None => count::<E, Together>(self.together.cells(), index, event),
        }
    }

    /// As [`Statistics::add`], in both.
    ///
    /// # Panics
    /// It is no counter.
    #[inline]
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
    #[inline]
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
    #[inline]
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
            for (counter, by) in counters {
                self.count_now(here, process, counter.index(), Event::Add(by));
            }
        }
    }

    /// As [`Statistics::raise`], in both.
    ///
    /// # Panics
    /// It is no peak.
    #[inline]
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
    #[inline]
    #[track_caller]
    pub fn record<D>(&self, here: Attached<'_>, process: &Statistics<D>, histogram: E, value: u64)
    where
        D: StatisticsDeclaration<Set = E>,
    {
        self.count(here, process, histogram.index(), Event::Record(value));
    }

    /// As [`Statistics::open`], in both; and both go down when the guard is dropped, wherever that is and
    /// whether this is still there. In this object's set it is counted atomically.
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
        guard.also_in(|| Arc::clone(&self.together))
    }

    /// What this set is now. Takes no lock; needs no token.
    pub fn snapshot(&self) -> Snapshot {
        let mut sums = Sums::of(Definition::of::<E>());
        let shards = self.shards.iter().map(|shard| shard.value.cells());
        let cells = shards.chain([self.together.cells()]);
        Sums::add_up(std::slice::from_mut(&mut sums), cells.map(|cells| (0, cells)));
        Snapshot::of_object(sums)
    }

    /// The calling thread's first count in this object, or the first one since another runtime was started.
    #[cold]
    #[inline(never)]
    fn take_shard<'t>(&self, here: Attached<'t>) -> Option<&'t E::Cells> {
        let id = self.number()?;
        let shards = Arc::clone(&self.shards);
        let shard = NonNull::from(shards.take(|| E::Cells::ZERO)?);
        let taken = Taken::<E> { shard, _shards: shards };
        // SAFETY: what `kind` describes, of a number that is this object's (I12).
        unsafe { id.put_own_value(here, Self::kind(), taken) }?;
        self.shard(here)
    }

    /// This object's number in the running runtime.
    fn number(&self) -> Option<ResourceId> {
        loop {
            let bits = self.id.load(Ordering::Relaxed);
            let known = ResourceId::from_bits(bits).filter(|id| id.is_registered());
            if known.is_some() {
                return known;
            }
            let generation = current::entry()?.generation;
            let resource = ResourceType {
                name: "statistics",
                type_name: std::any::type_name::<E>,
                kind: Self::kind(),
                // Its number is in reports, from where others may ask for a value.
                construct: Construct::Owner,
            };
            let new = ResourceId::add(resource, generation).ok()?;
            let new_bits = new.to_bits();
            let (relaxed, old) = (Ordering::Relaxed, bits);
            if self.id.compare_exchange(old, new_bits, relaxed, relaxed).is_err() {
                new.release();
            }
        }
    }

    fn kind() -> Kind {
        Kind {
            layout: Layout::new::<Taken<E>>(),
            drop: Some(DropValue::Rust(drop_in_place::<Taken<E>>)),
            origin: Origin::Resource("statistics"),
        }
    }
}

impl<E: Statistic> Drop for SharedStatistics<E> {
    fn drop(&mut self) {
        if let Some(id) = ResourceId::from_bits(self.id.load(Ordering::Relaxed)) {
            id.release();
        }
    }
}

impl<E: Statistic> Default for SharedStatistics<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Statistic> fmt::Debug for SharedStatistics<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedStatistics").field(&self.snapshot()).finish()
    }
}

impl<E: Statistic> Drop for Taken<E> {
    fn drop(&mut self) {
        // SAFETY: `_shards` keeps the list alive (I13).
        unsafe { self.shard.as_ref() }.give_back();
    }
}
