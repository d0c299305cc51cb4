//! The cells of a set and how they are written: by one thread, without a lock prefix.
//!
//! A shard is the cells that one thread writes. A relaxed load and a relaxed store compile to the same
//! instruction as `+=` on a plain number, and others may look at any time. What may be written from
//! anywhere, the totals, is added to atomically. Who adds up shards and totals does so while none of them is
//! being folded into the other; that is the registry's lock, or never.
//!
//! A gauge is two cells. Its *level* goes up where something is opened, and down again if the same thread
//! closes it: so no thread's level is ever below 0. What another thread closes is counted as *away*, by that
//! thread, and stays in the first one's level. Away is written with Release and read with Acquire, all of it
//! before any level: so the levels that are read next have at least what was closed away.
//!
//! Checked exhaustively by the model package, which compiles this file.

use crate::primitive::{AtomicU64, Ordering};

/// Owner: adds to a cell. Wraps at 2^64.
#[inline(always)]
pub(crate) fn add(cell: &AtomicU64, by: u64) {
    cell.store(cell.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

/// Owner: adds to a gauge's level, or to what it has away.
#[inline(always)]
pub(crate) fn add_to_gauge(cell: &AtomicU64, by: u64) {
    // Release: what is away pairs with the Acquire in `sum_away`, a level with the fence in `Sums::add_up`.
    cell.store(cell.load(Ordering::Relaxed).wrapping_add(by), Ordering::Release);
}

/// Owner: raises a peak.
#[inline(always)]
pub(crate) fn raise(cell: &AtomicU64, to: u64) {
    if to > cell.load(Ordering::Relaxed) {
        cell.store(to, Ordering::Relaxed);
    }
}

/// Anybody: adds to a cell of the totals.
pub(crate) fn add_together(cell: &AtomicU64, by: u64) {
    cell.fetch_add(by, Ordering::Relaxed);
}

/// Anybody: adds to a gauge's level, or to what it has away, in the totals.
pub(crate) fn add_to_gauge_together(cell: &AtomicU64, by: u64) {
    // Release: as in `add_to_gauge`.
    cell.fetch_add(by, Ordering::Release);
}

/// Anybody: raises a peak in the totals.
pub(crate) fn raise_together(cell: &AtomicU64, to: u64) {
    cell.fetch_max(to, Ordering::Relaxed);
}

/// Reader: adds up what gauges have away. Before their levels are added up, all of them.
pub(crate) fn sum_away(cells: &[AtomicU64], sums: &mut [u64]) {
    for (sum, cell) in sums.iter_mut().zip(cells) {
        // Acquire: pairs with the Release of who closed; what was opened before is seen in the levels.
        *sum = sum.wrapping_add(cell.load(Ordering::Acquire));
    }
}

/// Reader: adds up everything else that is added.
pub(crate) fn sum(cells: &[AtomicU64], sums: &mut [u64]) {
    for (sum, cell) in sums.iter_mut().zip(cells) {
        *sum = sum.wrapping_add(cell.load(Ordering::Relaxed));
    }
}

/// Reader: the greater of peaks.
pub(crate) fn greater(cells: &[AtomicU64], sums: &mut [u64]) {
    for (sum, cell) in sums.iter_mut().zip(cells) {
        *sum = (*sum).max(cell.load(Ordering::Relaxed));
    }
}

/// Owner, while nobody adds up: moves a shard into the totals and leaves it at 0. The peaks begin at `peaks`.
pub(crate) fn fold(shard: &[AtomicU64], totals: &[AtomicU64], peaks: usize) {
    for (index, (cell, total)) in shard.iter().zip(totals).enumerate() {
        let value = cell.load(Ordering::Relaxed);
        if value == 0 {
            continue;
        }
        if index < peaks {
            // Release: what is away takes along what was opened before.
            total.fetch_add(value, Ordering::Release);
        } else {
            total.fetch_max(value, Ordering::Relaxed);
        }
        cell.store(0, Ordering::Relaxed);
    }
}
