//! The cells of a set and how they are written: by one thread, without a lock prefix.
//!
//! A shard is the cells that one thread writes. A relaxed load and a relaxed store compile to the same
//! instruction as `+=` on a plain number, and others may look at any time. What may be written from
//! anywhere, the totals, is added to atomically. Who sums shards and totals does so while none of them is
//! being folded into the other; that is the registry's lock, or never.
//!
//! A gauge is two numbers, how much was opened and how much was closed. What is closed was opened before:
//! the closing half is written with Release and read with Acquire, and all closing halves are read before
//! any opening half. So a sum shows at least as much opened as closed, whichever thread closes.
//!
//! Checked exhaustively by the model package, which compiles this file.

use crate::primitive::{AtomicU64, Ordering};

/// Owner: adds to a cell. Wraps at 2^64.
#[inline(always)]
pub(crate) fn add(cell: &AtomicU64, by: u64) {
    cell.store(cell.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

/// Owner: adds to the closing half of a gauge.
#[inline(always)]
pub(crate) fn close(cell: &AtomicU64, by: u64) {
    // Release: pairs with the Acquire in `sum_closed`.
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
pub(crate) fn add_anywhere(cell: &AtomicU64, by: u64) {
    cell.fetch_add(by, Ordering::Relaxed);
}

/// Anybody: adds to a closing half in the totals.
pub(crate) fn close_anywhere(cell: &AtomicU64, by: u64) {
    // Release: pairs with the Acquire in `sum_closed`.
    cell.fetch_add(by, Ordering::Release);
}

/// Anybody: raises a peak in the totals.
pub(crate) fn raise_anywhere(cell: &AtomicU64, to: u64) {
    cell.fetch_max(to, Ordering::Relaxed);
}

/// Reader: adds closing halves to `sums`. Before [`sum_rest`] of any shard.
pub(crate) fn sum_closed(cells: &[AtomicU64], sums: &mut [u64]) {
    for (sum, cell) in sums.iter_mut().zip(cells) {
        // Acquire: pairs with the Release of who closed; what was opened before is seen by `sum_rest`.
        *sum = sum.wrapping_add(cell.load(Ordering::Acquire));
    }
}

/// Reader: adds everything that is added and is no closing half.
pub(crate) fn sum_rest(cells: &[AtomicU64], sums: &mut [u64]) {
    for (sum, cell) in sums.iter_mut().zip(cells) {
        *sum = sum.wrapping_add(cell.load(Ordering::Relaxed));
    }
}

/// Reader: the greater of peaks.
pub(crate) fn sum_peaks(cells: &[AtomicU64], sums: &mut [u64]) {
    for (sum, cell) in sums.iter_mut().zip(cells) {
        *sum = (*sum).max(cell.load(Ordering::Relaxed));
    }
}

/// Owner, while nobody sums: moves a shard into the totals and leaves it at 0. The peaks begin at `peaks`.
pub(crate) fn fold(shard: &[AtomicU64], totals: &[AtomicU64], peaks: usize) {
    for (index, (cell, total)) in shard.iter().zip(totals).enumerate() {
        // Acquire and Release: a closing half takes along what was opened before.
        let value = cell.load(Ordering::Acquire);
        if value == 0 {
            continue;
        }
        if index < peaks {
            total.fetch_add(value, Ordering::Release);
        } else {
            total.fetch_max(value, Ordering::Relaxed);
        }
        cell.store(0, Ordering::Relaxed);
    }
}
