//! The cells of many shards, added up.

use std::sync::atomic::{Ordering, fence};

use super::cells;
use super::definition::Definition;
use super::item::Parts;
use crate::primitive::AtomicU64;

/// Cells that are being added up.
pub(crate) struct Sums {
    pub(crate) definition: &'static Definition,
    pub(crate) cells: Box<[u64]>,
    /// What gauges have away, read again.
    again: Box<[u64]>,
    /// What gauges have away and their levels, as they are going to be answered.
    best: Box<[u64]>,
    /// How good that is, gauge by gauge.
    found: Box<[Found]>,
}

/// What is known of a gauge.
#[derive(Clone, Copy)]
struct Found {
    value: i64,
    /// Nothing was closed away while it was read.
    is_exact: bool,
}

impl Found {
    const NOTHING: Self = Self { value: i64::MIN, is_exact: false };
}

/// How often gauges are read, at most, for a moment in which nothing is closed away.
const ATTEMPTS: u32 = 8;

impl Sums {
    /// Of nothing.
    pub(crate) fn of(definition: &'static Definition) -> Self {
        let zeroes = |count| vec![0; count].into_boxed_slice();
        let Parts { gauges, end, .. } = definition.parts;
        let found = vec![Found::NOTHING; gauges].into_boxed_slice();
        let (cells, again, best) = (zeroes(end), zeroes(gauges), zeroes(2 * gauges));
        Self { definition, cells, again, best, found }
    }

    /// Adds up shards, each in the sums of its number. Nobody may fold any of them meanwhile. All sums are of
    /// the same definition and of nothing so far. Does not allocate or panic.
    ///
    /// Levels that are read behind what is away are too high by what was opened and closed away in between. So
    /// what is away is read again: if it is the same, the levels fit. If it is not, the levels less the later
    /// away are not more than what was up at some moment; the most of several attempts is answered.
    pub(crate) fn add_up<'c>(
        sums: &mut [Self],
        shards: impl Iterator<Item = (usize, &'c [AtomicU64])> + Clone,
    ) {
        let each = |sums: &mut [Self], add: fn(&mut Self, &[AtomicU64])| {
            shards.clone().for_each(|(index, cells)| add(&mut sums[index], cells));
        };
        for _ in 0..ATTEMPTS {
            sums.iter_mut().for_each(Self::clear_gauges);
            each(sums, Self::add_away);
            each(sums, Self::add_levels);
            // Pairs with the Release of levels: who opened because he saw something closed away, has this see
            // that too.
            fence(Ordering::Acquire);
            each(sums, Self::add_away_again);
            if Self::keep_best(sums) {
                break;
            }
        }
        for sums in &mut *sums {
            sums.cells[..sums.best.len()].copy_from_slice(&sums.best);
        }
        each(sums, Self::add_rest);
    }

    /// Keeps the gauges that were read better than before; says whether all are exact.
    fn keep_best(sums: &mut [Self]) -> bool {
        let Some(gauges) = sums.first().map(|sums| sums.again.len()) else { return true };
        let mut are_exact = true;
        for gauge in 0..gauges {
            let before = sums[0].found[gauge];
            if before.is_exact {
                continue;
            }
            let is_exact = sums.iter().all(|sums| sums.again[gauge] == sums.cells[gauge]);
            let one = |sums: &Self| sums.cells[gauges + gauge].wrapping_sub(sums.again[gauge]);
            let all = sums.iter().map(one).fold(0, u64::wrapping_add);
            let now = Found { value: all as i64, is_exact };
            are_exact &= is_exact;
            if is_exact || now.value > before.value {
                for sums in &mut *sums {
                    sums.found[gauge] = now;
                    sums.best[gauge] = sums.again[gauge];
                    sums.best[gauges + gauge] = sums.cells[gauges + gauge];
                }
            }
        }
        are_exact
    }

    fn clear_gauges(&mut self) {
        self.cells[..2 * self.definition.parts.gauges].fill(0);
        self.again.fill(0);
    }

    fn add_away(&mut self, shard: &[AtomicU64]) {
        let Parts { gauges, .. } = self.definition.parts;
        cells::sum_away(shard, &mut self.cells[..gauges]);
    }

    fn add_away_again(&mut self, shard: &[AtomicU64]) {
        cells::sum_away(shard, &mut self.again);
    }

    fn add_levels(&mut self, shard: &[AtomicU64]) {
        let Parts { gauges, .. } = self.definition.parts;
        cells::sum(part(shard, gauges), &mut self.cells[gauges..2 * gauges]);
    }

    fn add_rest(&mut self, shard: &[AtomicU64]) {
        let Parts { gauges, peaks, .. } = self.definition.parts;
        cells::sum(part(shard, 2 * gauges), &mut self.cells[2 * gauges..peaks]);
        cells::greater(part(shard, peaks), &mut self.cells[peaks..]);
    }
}

/// The cells from that one on. (A forged enum's may be too few; nothing panics under the registry's lock.)
fn part(cells: &[AtomicU64], first: usize) -> &[AtomicU64] {
    cells.get(first..).unwrap_or_default()
}
