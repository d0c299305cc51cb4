//! What the project promises of these rows, and whether it holds.
//!
//! All of it of [`SUX`] in the thread-safe build. Nothing is taken off either number of a ratio.

use super::results::{Numbers, Results};
use super::rows::{CONTENDED, HALF, MANY, PARKING_LOT, ROWS, SUX, THREADS, UPGRADED};
use crate::builds::Mode;
use crate::table;
use crate::targets::Target;

/// A free lock to two locked instructions, and to the best peer.
const TO_FLOOR: f64 = 1.10;
const TO_BEST_FREE: f64 = 1.10;
/// Taken for update, upgraded, and back.
const TO_PARKING_LOT: f64 = 0.9;
/// Operations of all threads to the best peer's, in each cell; and over all of them.
const TO_BEST: f64 = 0.9;
const TO_BEST_MEAN: f64 = 1.0;
/// Waits to the best peer's, of those that do about as much: it is easy to let nobody wait and do little.
const TO_BEST_WAIT: f64 = 1.2;
const ABOUT_AS_MUCH: f64 = 0.2;

/// All promises.
pub(super) fn of(results: &Results) -> Vec<Target> {
    let mut targets = Vec::new();
    for mode in ["S", "U", "X"] {
        let own = results.find(Mode::Zts, SUX, mode, 1);
        let (to_floor, ratio) = (own.and_then(|row| row.to_floor), own.and_then(|row| row.ratio));
        let what = format!("{mode}, to two locked instructions");
        targets.push(Target::at_most(&what, to_floor, TO_FLOOR, "", 3));
        let best = named_best(own);
        let what = format!("{mode}, to the best peer");
        targets.push(with(Target::at_most(&what, ratio, TO_BEST_FREE, "", 3), best));
    }
    targets.push(upgraded(results));
    for workload in CONTENDED {
        for threads in THREADS {
            let own = results.find(Mode::Zts, SUX, workload, threads);
            let what = format!("{workload}, {threads} threads, to the best peer");
            let ratio = own.and_then(|row| row.ratio);
            let target = with(Target::at_least(&what, ratio, TO_BEST, "", 3), named_best(own));
            let is_missed = target.is_met == Some(false);
            targets
                .push(with(target, own.filter(|_| is_missed).and_then(|own| price(results, own))));
        }
    }
    targets.push(mean(results));
    targets.extend(waits(results));
    targets
}

/// What else there is to say of what was measured.
fn with(mut target: Target, more: Option<String>) -> Target {
    if let Some(more) = more {
        target.measured.push_str(&format!("; {more}"));
    }
    target
}

fn named_best(row: Option<&Numbers>) -> Option<String> {
    row.and_then(|row| row.ratio_to).map(str::to_owned)
}

/// What the best peer of a cell does that with: the longest waits.
fn price(results: &Results, own: &Numbers) -> Option<String> {
    let best = results.find(own.mode, own.ratio_to?, own.workload, own.threads)?;
    let [theirs, ours] = [best, own].map(|row| table::number(row.wait_max_ms));
    Some(format!("longest wait there {theirs} ms, here {ours} ms"))
}

/// To the better one of parking_lot's.
fn upgraded(results: &Results) -> Target {
    let ns = |name: &str| results.find(Mode::Zts, name, UPGRADED, 1).map(|row| row.ns);
    let theirs = PARKING_LOT.into_iter().filter_map(|name| Some((name, ns(name)?)));
    let best = theirs.min_by(|(_, one), (_, other)| one.total_cmp(other));
    let ratio = best.and_then(|(_, theirs)| Some(ns(SUX)? / theirs));
    let target = Target::at_most("U-X-U, to parking_lot", ratio, TO_PARKING_LOT, "", 3);
    with(target, best.map(|(name, _)| name.to_owned()))
}

fn mean(results: &Results) -> Target {
    let own = results.mean(SUX);
    let what = "geometric mean over all cells, to the best peer";
    let target = Target::at_least(what, own.and_then(|mean| mean.ratio), TO_BEST_MEAN, "", 4);
    with(target, own.and_then(|mean| mean.ratio_to).map(str::to_owned))
}

/// Writers' waits where they are many. The best peer is the one that lets nobody wait so long: with one that lets a few
/// threads go on and starves the others, nearly all acquisitions are those of the few, and nearly no one waits.
fn waits(results: &Results) -> [Target; 2] {
    let find = |name: &str| results.find(Mode::Zts, name, HALF, MANY);
    let own = find(SUX);
    let does_as_much = |peer: &&Numbers| {
        own.is_some_and(|own| (peer.mops / own.mops - 1.0).abs() <= ABOUT_AS_MUCH)
    };
    let peers = ROWS.iter().filter(|row| row.is_peer()).filter_map(|row| find(row.name));
    let with_max = peers.filter(does_as_much).filter_map(|peer| Some((peer, peer.wait_max_ms?)));
    let best = with_max.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(peer, _)| peer);
    let target = |name, of: fn(&Numbers) -> Option<f64>| {
        let (ours, theirs) = (own.and_then(of), best.and_then(of));
        let ratio = theirs.and_then(|theirs| Some(ours? / theirs));
        let what = format!("writers' {name} at {HALF}, {MANY} threads, to the best peer's");
        let mut target = Target::at_most(&what, ratio, TO_BEST_WAIT, "", 2);
        match (ours, best) {
            (Some(ours), Some(best)) => {
                let theirs = table::number(theirs);
                let waits = format!("; {ours:.2} ms, {} {theirs} ms", best.name);
                target.measured.push_str(&waits);
            }
            (Some(ours), None) => {
                target.measured = format!("{ours:.2} ms; no peer does about as much");
                target.is_met = Some(true);
            }
            (None, _) => {}
        }
        target
    };
    [target("p99", |row| row.wait_p99_ms), target("max", |row| row.wait_max_ms)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::{Build, Profile};
    use crate::locks::{results, rows};
    use crate::measure::{Measured, Measurements};

    fn of_half(figures: &[(&str, &str, f64)]) -> Vec<Target> {
        let measurements: Measurements = figures
            .iter()
            .map(|&(name, figure, value)| {
                let build = Build { mode: Mode::Zts, profile: Profile::FatLto };
                let measured = Measured { ns: vec![value], instructions: None };
                ((build, rows::key(name, HALF, MANY, figure)), measured)
            })
            .collect();
        of(&results::of(&measurements))
    }

    #[test]
    fn nothing_is_neither_met_nor_missed() {
        assert!(of_half(&[]).iter().all(|target| target.is_met.is_none()));
    }

    #[test]
    fn a_cell_that_is_missed_tells_the_price() {
        let figures = [
            (SUX, "mops", 2.0),
            (SUX, "wait_max", 4e6),
            ("std-RwLock", "mops", 3.2),
            ("std-RwLock", "wait_max", 63e6),
        ];
        let targets = of_half(&figures);
        let missed: Vec<_> = targets.iter().filter(|target| target.is_met == Some(false)).collect();
        let promise = "50/50, 64 threads, to the best peer ≥ 0.9";
        let measured = "0.625; std-RwLock; longest wait there 63.00 ms, here 4.00 ms";
        assert_eq!(missed.len(), 1);
        assert_eq!(missed[0].to_string(), format!("MISSED: {promise} ({measured})"));
    }

    #[test]
    fn waits_are_compared_among_those_that_do_about_as_much() {
        let mut figures = vec![
            (SUX, "mops", 4.0),
            (SUX, "wait_max", 4e6),
            (PARKING_LOT[0], "mops", 3.3),
            (PARKING_LOT[0], "wait_max", 3.2e6),
            ("std-Mutex", "mops", 4.0),
            ("std-Mutex", "wait_max", 9e6),
            ("std-RwLock", "mops", 3.0),
            ("std-RwLock", "wait_max", 1e6),
        ];
        let max = |figures: &[_]| of_half(figures).pop().unwrap().to_string();
        let promise = "writers' max at 50/50, 64 threads, to the best peer's ≤ 1.2";
        assert_eq!(
            max(&figures),
            format!("MISSED: {promise} (1.25; 4.00 ms, parking_lot-RwLock 3.20 ms)")
        );
        figures[2].2 = 3.1;
        figures[4].2 = 4.9;
        assert_eq!(max(&figures), format!("met: {promise} (4.00 ms; no peer does about as much)"));
    }
}
