//! One count: from a variant to the instruction.
//!
//! All of it is inlined and, for a constant variant, known to the compiler: the item is an element of a
//! constant table, so neither the check of its kind nor that of the cell's number is left.

use std::sync::atomic::Ordering;

use super::cells;
use super::declaration::StatisticsDeclaration;
use super::histogram;
use super::item::{Counting, Item, Kind};
use super::statistic::Statistic;
use crate::primitive::AtomicU64;

/// How cells are written.
pub(super) trait Write {
    fn add(cell: &AtomicU64, by: u64);
    fn add_to_gauge(cell: &AtomicU64, by: u64);
    fn raise(cell: &AtomicU64, to: u64);
}

/// By the one thread that writes them.
pub(super) struct Alone;

impl Write for Alone {
    #[inline(always)]
    fn add(cell: &AtomicU64, by: u64) {
        cells::add(cell, by);
    }

    #[inline(always)]
    fn add_to_gauge(cell: &AtomicU64, by: u64) {
        cells::add_to_gauge(cell, by);
    }

    #[inline(always)]
    fn raise(cell: &AtomicU64, to: u64) {
        cells::raise(cell, to);
    }
}

/// By any number of threads.
pub(super) struct Together;

impl Write for Together {
    #[inline]
    fn add(cell: &AtomicU64, by: u64) {
        cells::add_together(cell, by);
    }

    #[inline]
    fn add_to_gauge(cell: &AtomicU64, by: u64) {
        cells::add_to_gauge_together(cell, by);
    }

    #[inline]
    fn raise(cell: &AtomicU64, to: u64) {
        cells::raise_together(cell, to);
    }
}

/// What is counted.
#[derive(Clone, Copy)]
pub(super) enum Event {
    /// A counter goes up.
    Add(u64),
    /// A peak may go up.
    Raise(u64),
    /// A histogram gets a value.
    Record(u64),
    /// A gauge goes up.
    Open(u64),
    /// A gauge goes down, in the cells in which it went up.
    Close(u64),
    /// A gauge goes down, in other cells.
    CloseAway(u64),
}

impl Event {
    #[inline(always)]
    const fn kind(self) -> Kind {
        match self {
            Self::Add(_) => Kind::Counter,
            Self::Raise(_) => Kind::Peak,
            Self::Record(_) => Kind::Histogram,
            Self::Open(_) | Self::Close(_) | Self::CloseAway(_) => Kind::Gauge,
        }
    }
}

/// Counts in the cells of one set.
#[inline(always)]
#[track_caller]
pub(super) fn count<E: Statistic, W: Write>(cells: &[AtomicU64], index: usize, event: Event) {
    let item = &E::ITEMS[index];
    if item.kind as u32 != event.kind() as u32 {
        wrong_kind(item, event.kind());
    }
    let first = item.first as usize;
    match event {
        Event::Add(by) => W::add(&cells[first], by),
        Event::Raise(to) => W::raise(&cells[first], to),
        Event::Record(value) => {
            W::add(&cells[first + histogram::bucket_of(value, item.max)], 1);
            W::add(&cells[first + histogram::buckets(item.max)], value);
        }
        Event::Open(by) => W::add_to_gauge(&cells[first], by),
        Event::Close(by) => W::add_to_gauge(&cells[first], by.wrapping_neg()),
        Event::CloseAway(by) => W::add_to_gauge(&cells[item.away as usize], by),
    }
}

/// Whether a declared set counts just now.
#[inline(always)]
pub(super) fn is_counting<D: StatisticsDeclaration>() -> bool {
    match <D::Set as Statistic>::COUNTING {
        Counting::Always => true,
        // Relaxed: who switches does not wait for those who count.
        Counting::Switched => D::switch().load(Ordering::Relaxed),
        Counting::Off => false,
    }
}

/// The calling thread's shard.
///
/// # Safety
/// On an attached thread, for `'t`: then nobody else writes there (I1, I9).
#[inline(always)]
pub(super) unsafe fn shard<'t, D: StatisticsDeclaration>() -> &'t <D::Set as Statistic>::Cells {
    // SAFETY: the caller's promise (I9).
    let shard = unsafe { D::slot() };
    // SAFETY: static storage of this thread, in which nobody makes a `&mut`; it outlives the attach (I13).
    unsafe { &*shard }
}

#[cold]
#[inline(never)]
#[track_caller]
fn wrong_kind(item: &Item, wanted: Kind) -> ! {
    let (is, does) = match item.kind {
        Kind::Counter => ("a counter", "`add` and `inc` count in it"),
        Kind::Gauge => ("a gauge", "`open` makes a guard of it"),
        Kind::Peak => ("a peak", "`raise` raises it"),
        Kind::Histogram => ("a histogram", "`record` takes its values"),
    };
    let wanted = match wanted {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Peak => "peak",
        Kind::Histogram => "histogram",
    };
    panic!("statistic `{}` is {is}, not a {wanted}: {does}", item.name)
}
