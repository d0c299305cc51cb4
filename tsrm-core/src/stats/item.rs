//! The items of a set, laid out at compile time.
//!
//! A set is an array of 64-bit cells. The gauges come first, the peaks last:
//!
//! | cells | of | two of them become one by |
//! |---|---|---|
//! | `0..gauges` | gauges: what they have away (see [`cells`](super::cells)) | adding, before the others are looked at |
//! | `gauges..2 * gauges` | gauges: their levels | adding |
//! | `2 * gauges..peaks` | counters; histograms: buckets, then the sum | adding |
//! | `peaks..` | peaks | the greater one |

use super::histogram;
use crate::primitive::AtomicU64;

/// When a set counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// All the time.
    Always,
    /// While it is switched on.
    Switched,
    /// Never; the code is not there.
    Off,
}

/// What kind of statistic a variant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// How often, how much: only grows.
    Counter = 1,
    /// How many there are now.
    Gauge = 2,
    /// The greatest value so far.
    Peak = 3,
    /// How values are distributed.
    Histogram = 4,
}

/// One statistic of a set.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub(crate) name: &'static str,
    /// Empty if there is none.
    pub(crate) unit: &'static str,
    pub(crate) help: &'static str,
    pub(crate) kind: Kind,
    /// Histograms: the greatest value that has a bucket of its own kind.
    pub(crate) max: u64,
    /// Its first cell; of a gauge the one of its level.
    pub(crate) first: u32,
    /// Gauges: the cell of what is away.
    pub(crate) away: u32,
}

impl Item {
    const fn new(
        kind: Kind,
        name: &'static str,
        unit: &'static str,
        help: &'static str,
        max: u64,
    ) -> Self {
        Self { name, unit, help, kind, max, first: 0, away: 0 }
    }

    /// Of a counter.
    pub const fn counter(name: &'static str, unit: &'static str, help: &'static str) -> Self {
        Self::new(Kind::Counter, name, unit, help, 0)
    }

    /// Of a gauge.
    pub const fn gauge(name: &'static str, unit: &'static str, help: &'static str) -> Self {
        Self::new(Kind::Gauge, name, unit, help, 0)
    }

    /// Of a peak.
    pub const fn peak(name: &'static str, unit: &'static str, help: &'static str) -> Self {
        Self::new(Kind::Peak, name, unit, help, 0)
    }

    /// Of a histogram: values greater than `max` share one bucket.
    pub const fn histogram(
        name: &'static str,
        unit: &'static str,
        help: &'static str,
        max: u64,
    ) -> Self {
        Self::new(Kind::Histogram, name, unit, help, max)
    }

    /// How many cells it has, beside the one of what is away.
    pub(crate) const fn cells(&self) -> usize {
        match self.kind {
            Kind::Counter | Kind::Gauge | Kind::Peak => 1,
            Kind::Histogram => histogram::buckets(self.max) + 1,
        }
    }
}

/// Where the parts of a set begin: see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) gauges: usize,
    pub(crate) peaks: usize,
    pub(crate) end: usize,
}

/// The parts of a set with these items.
pub(crate) const fn parts(items: &[Item]) -> Parts {
    let (mut gauges, mut summed, mut peaks) = (0, 0, 0);
    let mut index = 0;
    while index < items.len() {
        match items[index].kind {
            Kind::Gauge => gauges += 1,
            Kind::Counter | Kind::Histogram => summed += items[index].cells(),
            Kind::Peak => peaks += 1,
        }
        index += 1;
    }
    Parts { gauges, peaks: 2 * gauges + summed, end: 2 * gauges + summed + peaks }
}

/// How many cells a set with these items has.
pub const fn cell_count(items: &[Item], counting: Counting) -> usize {
    if matches!(counting, Counting::Off) { 0 } else { parts(items).end }
}

/// Gives each item its cells.
pub const fn lay_out<const N: usize>(mut items: [Item; N]) -> [Item; N] {
    let Parts { gauges, mut peaks, .. } = parts(&items);
    let (mut gauge, mut summed, mut index) = (0, 2 * gauges, 0);
    while index < N {
        let item = &mut items[index];
        match item.kind {
            Kind::Gauge => {
                item.away = gauge as u32;
                item.first = (gauges + gauge) as u32;
                gauge += 1;
            }
            Kind::Counter | Kind::Histogram => {
                item.first = summed as u32;
                summed += item.cells();
            }
            Kind::Peak => {
                item.first = peaks as u32;
                peaks += 1;
            }
        }
        index += 1;
    }
    items
}

/// An array of cells; implemented for those of all lengths, and for nothing else.
pub trait CellArray: sealed::Sealed + Send + Sync + 'static {
    /// How many there are.
    const LENGTH: usize;

    /// All 0.
    const ZERO: Self;

    /// The cells.
    fn cells(&self) -> &[AtomicU64];
}

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [crate::primitive::AtomicU64; N] {}
}

impl<const N: usize> CellArray for [AtomicU64; N] {
    const LENGTH: usize = N;
    const ZERO: Self = [const { AtomicU64::new(0) }; N];

    #[inline(always)]
    fn cells(&self) -> &[AtomicU64] {
        self
    }
}
