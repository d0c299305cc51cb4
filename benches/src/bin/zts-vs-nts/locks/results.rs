//! From what was measured to the numbers that are shown and written.

use serde::Serialize;

use super::rows::{CONTENDED, FLOOR, FREE, ROWS, Row, THREADS, key};
use crate::builds::{Build, Mode, Profile};
use crate::measure::Measurements;
use crate::rounds::{Spread, compared, rounded};

/// All of it.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) rows: Vec<Numbers>,
    pub(super) means: Vec<Mean>,
}

/// The numbers of one lock under one workload. Each is the median of the rounds.
#[derive(Debug, Serialize)]
pub(super) struct Numbers {
    pub(super) name: &'static str,
    pub(super) workload: &'static str,
    pub(super) threads: u32,
    pub(super) mode: Mode,
    pub(super) build: Profile,
    /// Millions of operations per second, of all threads together.
    pub(super) mops: f64,
    /// Nanoseconds per operation: of a free lock on the processor, else by the clock, as `mops`.
    pub(super) ns: f64,
    pub(super) ns_min: f64,
    pub(super) ns_max: f64,
    /// Of a free lock: `ns` to those of the two locked instructions, in the same round.
    pub(super) to_floor: Option<f64>,
    /// Of ours: to the best peer, in the same round. `ns` of a free lock, else `mops`.
    pub(super) ratio: Option<f64>,
    /// That peer.
    pub(super) ratio_to: Option<&'static str>,
    /// How long those wait that want the lock for update or exclusively.
    pub(super) wait_p50_ms: Option<f64>,
    pub(super) wait_p99_ms: Option<f64>,
    pub(super) wait_p999_ms: Option<f64>,
    pub(super) wait_max_ms: Option<f64>,
    /// How long readers wait.
    pub(super) read_wait_p99_ms: Option<f64>,
    pub(super) read_wait_max_ms: Option<f64>,
    /// On how many cores the threads were at once. If those of a lock whose waiters do not sleep had fewer than the
    /// machine has, others were there.
    pub(super) cores: Option<f64>,
}

/// A lock under all workloads, with all numbers of threads.
#[derive(Debug, Serialize)]
pub(super) struct Mean {
    pub(super) name: &'static str,
    /// The geometric mean of each round; the median of them.
    pub(super) mops: f64,
    /// Of ours: to the best peer, in the same round.
    pub(super) ratio: Option<f64>,
    /// That peer.
    pub(super) ratio_to: Option<&'static str>,
}

impl Results {
    /// One row. `None` if it was not measured.
    pub(super) fn find(
        &self,
        mode: Mode,
        name: &str,
        workload: &str,
        threads: u32,
    ) -> Option<&Numbers> {
        self.rows.iter().find(|row| {
            (row.mode, row.name, row.workload, row.threads) == (mode, name, workload, threads)
        })
    }

    /// One mean.
    pub(super) fn mean(&self, name: &str) -> Option<&Mean> {
        self.means.iter().find(|mean| mean.name == name)
    }
}

/// As far as it was measured, in the order in which it is shown.
pub(super) fn of(measurements: &Measurements) -> Results {
    let of_mode = |mode| Measured { measurements, build: Build { mode, profile: Profile::FatLto } };
    let mut rows = Vec::new();
    for mode in [Mode::Zts, Mode::Nts] {
        let cell = of_mode(mode);
        for workload in [FLOOR].into_iter().chain(FREE) {
            rows.extend(ROWS.iter().filter_map(|row| cell.free(row, workload)));
        }
        for workload in CONTENDED {
            for threads in THREADS {
                rows.extend(ROWS.iter().filter_map(|row| cell.contended(row, workload, threads)));
            }
        }
    }
    let means = ROWS.iter().filter_map(|row| of_mode(Mode::Zts).mean(row)).collect();
    Results { rows, means }
}

/// What was measured of one build.
#[derive(Clone, Copy)]
struct Measured<'m> {
    measurements: &'m Measurements,
    build: Build,
}

impl<'m> Measured<'m> {
    /// One figure, by round.
    fn figure(
        self,
        name: &str,
        workload: &str,
        threads: u32,
        figure: &str,
    ) -> Option<&'m Vec<f64>> {
        let key = key(name, workload, threads, figure);
        Some(&self.measurements.get(&(self.build, key))?.ns)
    }

    fn free(self, row: &'static Row, workload: &'static str) -> Option<Numbers> {
        let figure = |name| self.figure(name, workload, 1, "ns");
        let own = figure(row.name)?;
        let spread = Spread::of(own.iter().copied())?;
        // The least time.
        let best = best(row, |peer| Some(-median(figure(peer)?)?));
        let floor = self.figure(FLOOR, FLOOR, 1, "ns");
        Some(Numbers {
            mops: rounded(1e3 / spread.median),
            ns: spread.median,
            ns_min: spread.min,
            ns_max: spread.max,
            to_floor: floor.and_then(|floor| ratio(own, floor)),
            ratio: best.and_then(|best| ratio(own, figure(best)?)),
            ratio_to: best,
            ..self.nothing(row.name, workload, 1)
        })
    }

    fn contended(self, row: &'static Row, workload: &'static str, threads: u32) -> Option<Numbers> {
        let mops = |name| self.figure(name, workload, threads, "mops");
        let own = mops(row.name)?;
        let spread = Spread::of(own.iter().copied())?;
        let best = best(row, |peer| median(mops(peer)?));
        let other = |figure| median(self.figure(row.name, workload, threads, figure)?);
        let wait = |figure| other(figure).map(|ns| rounded(ns / 1e6));
        Some(Numbers {
            mops: spread.median,
            ns: rounded(1e3 / spread.median),
            ns_min: rounded(1e3 / spread.max),
            ns_max: rounded(1e3 / spread.min),
            ratio: best.and_then(|best| ratio(own, mops(best)?)),
            ratio_to: best,
            wait_p50_ms: wait("wait_p50"),
            wait_p99_ms: wait("wait_p99"),
            wait_p999_ms: wait("wait_p999"),
            wait_max_ms: wait("wait_max"),
            read_wait_p99_ms: wait("read_wait_p99"),
            read_wait_max_ms: wait("read_wait_max"),
            cores: other("cores"),
            ..self.nothing(row.name, workload, threads)
        })
    }

    fn mean(self, row: &'static Row) -> Option<Mean> {
        let own = self.means(row.name)?;
        let best = best(row, |peer| median(&self.means(peer)?));
        Some(Mean {
            name: row.name,
            mops: rounded(median(&own)?),
            ratio: best.and_then(|best| ratio(&own, &self.means(best)?)),
            ratio_to: best,
        })
    }

    /// By round. Of a lock that has all cells.
    fn means(self, name: &str) -> Option<Vec<f64>> {
        let cells = CONTENDED.into_iter().flat_map(|load| THREADS.map(|threads| (load, threads)));
        let mops = cells.map(|(workload, threads)| self.figure(name, workload, threads, "mops"));
        let mops: Vec<&Vec<f64>> = mops.collect::<Option<_>>()?;
        let rounds = mops.iter().map(|cell| cell.len()).min()?;
        let mean = |round: usize| {
            let logarithms = mops.iter().map(|cell| cell[round].ln());
            (logarithms.sum::<f64>() / mops.len() as f64).exp()
        };
        Some((0..rounds).map(mean).collect())
    }

    fn nothing(self, name: &'static str, workload: &'static str, threads: u32) -> Numbers {
        Numbers {
            name,
            workload,
            threads,
            mode: self.build.mode,
            build: self.build.profile,
            mops: 0.0,
            ns: 0.0,
            ns_min: 0.0,
            ns_max: 0.0,
            to_floor: None,
            ratio: None,
            ratio_to: None,
            wait_p50_ms: None,
            wait_p99_ms: None,
            wait_p999_ms: None,
            wait_max_ms: None,
            read_wait_p99_ms: None,
            read_wait_max_ms: None,
            cores: None,
        }
    }
}

/// The peer of the row that has most of it.
fn best(row: &Row, value: impl Fn(&'static str) -> Option<f64>) -> Option<&'static str> {
    let values = row.peers().filter_map(|peer| Some((peer.name, value(peer.name)?)));
    values.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(name, _)| name)
}

fn median(values: &[f64]) -> Option<f64> {
    Spread::of(values.iter().copied()).map(|spread| spread.median)
}

fn ratio(own: &[f64], other: &[f64]) -> Option<f64> {
    compared(own, other, |own, other| rounded(own / other))
}

#[cfg(test)]
mod tests {
    use super::super::rows::{HALF, SUX};
    use super::*;
    use crate::measure;

    fn measured(values: &[f64]) -> measure::Measured {
        measure::Measured { ns: values.to_vec(), instructions: None }
    }

    fn key_of(
        mode: Mode,
        name: &str,
        workload: &str,
        threads: u32,
        figure: &str,
    ) -> (Build, String) {
        (Build { mode, profile: Profile::FatLto }, key(name, workload, threads, figure))
    }

    #[test]
    fn ours_is_compared_with_the_best_peer_and_with_the_floor() {
        let zts = |name: &str, workload: &str, threads, figure: &str, values: &[f64]| {
            (key_of(Mode::Zts, name, workload, threads, figure), measured(values))
        };
        let measurements = Measurements::from([
            zts(FLOOR, FLOOR, 1, "ns", &[4.0, 5.0]),
            zts(SUX, "X", 1, "ns", &[8.0, 5.0]),
            zts("std-Mutex", "X", 1, "ns", &[4.0, 5.0]),
            zts("usync-RwLock", "X", 1, "ns", &[20.0, 25.0]),
            zts(SUX, HALF, 64, "mops", &[2.0, 8.0]),
            zts(SUX, HALF, 64, "wait_max", &[3e6, 5e6]),
            zts("std-RwLock", HALF, 64, "mops", &[4.0, 4.0]),
            zts("std-Mutex", HALF, 64, "mops", &[2.0, 3.0]),
            (key_of(Mode::Nts, SUX, "X", 1, "ns"), measured(&[0.5, 1.0])),
        ]);
        let results = of(&measurements);
        assert!(results.means.is_empty());
        let names: Vec<_> =
            results.rows.iter().map(|row| (row.mode, row.name, row.workload)).collect();
        let expected = [
            (Mode::Zts, FLOOR, FLOOR),
            (Mode::Zts, SUX, "X"),
            (Mode::Zts, "usync-RwLock", "X"),
            (Mode::Zts, "std-Mutex", "X"),
            (Mode::Zts, SUX, HALF),
            (Mode::Zts, "std-RwLock", HALF),
            (Mode::Zts, "std-Mutex", HALF),
            (Mode::Nts, SUX, "X"),
        ];
        assert_eq!(names, expected);
        let row = |name: &str, workload: &str, threads: u32| {
            serde_json::json!({
                "name": name, "workload": workload, "threads": threads,
                "mode": "zts", "build": "fat-lto", "to_floor": null,
                "wait_p50_ms": null, "wait_p99_ms": null, "wait_p999_ms": null, "wait_max_ms": null,
                "read_wait_p99_ms": null, "read_wait_max_ms": null, "cores": null,
            })
        };
        let with = |mut row: serde_json::Value, more: serde_json::Value| {
            row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            row
        };
        let free = with(
            row(SUX, "X", 1),
            serde_json::json!({
                "mops": 153.846_154, "ns": 6.5, "ns_min": 5.0, "ns_max": 8.0,
                "to_floor": 1.5, "ratio": 1.5, "ratio_to": "std-Mutex",
            }),
        );
        let contended = with(
            row(SUX, HALF, 64),
            serde_json::json!({
                "mops": 5.0, "ns": 200.0, "ns_min": 125.0, "ns_max": 500.0,
                "ratio": 1.25, "ratio_to": "std-RwLock", "wait_max_ms": 4.0,
            }),
        );
        assert_eq!(serde_json::to_value(&results.rows[1]).unwrap(), free);
        assert_eq!(serde_json::to_value(&results.rows[4]).unwrap(), contended);
    }

    #[test]
    fn a_mean_is_of_all_cells_and_compared_within_a_round() {
        let mut measurements = Measurements::new();
        for (number, workload) in CONTENDED.into_iter().enumerate() {
            for threads in THREADS {
                let mut insert = |name, values: &[f64]| {
                    let key = key_of(Mode::Zts, name, workload, threads, "mops");
                    measurements.insert(key, measured(values));
                };
                let slow = if number % 2 == 0 { 2.0 } else { 8.0 };
                insert(SUX, &[slow, 9.0 * slow]);
                insert("std-Mutex", &[4.0, 9.0]);
                insert("std-RwLock", &[1.0, 1.0]);
            }
        }
        let results = of(&measurements);
        let json = serde_json::to_value(results.mean(SUX).unwrap()).unwrap();
        let expected = serde_json::json!({
            "name": SUX, "mops": 20.0, "ratio": 2.5, "ratio_to": "std-Mutex",
        });
        assert_eq!(json, expected);
        assert_eq!(results.mean("std-RwLock").unwrap().mops, 1.0);
        measurements.remove(&key_of(Mode::Zts, SUX, HALF, 64, "mops"));
        assert!(of(&measurements).mean(SUX).is_none());
    }
}
