//! From what was measured to the numbers that are shown and written.

use serde::Serialize;

use super::rows::{Form, READ_THREADS, ROWS, Row, THREADS, key};
use crate::builds::{Build, Mode, Profile};
use crate::measure::{Measured, Measurements};
use crate::rounds::{Spread, compared, rounded};

/// All of it.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) rows: Vec<Numbers>,
    pub(super) cores: Vec<Cores>,
}

/// The numbers of one row of one build, with so many threads.
#[derive(Debug, Serialize)]
pub(super) struct Numbers {
    pub(super) name: &'static str,
    pub(super) build: Profile,
    pub(super) mode: Mode,
    pub(super) form: Form,
    pub(super) threads: u32,
    /// Nanoseconds per operation on the processor: the median of the rounds. What the harness costs is in
    /// it.
    pub(super) ns: f64,
    pub(super) ns_min: f64,
    pub(super) ns_max: f64,
    /// Of a called one: instructions per operation, its `ret` included.
    pub(super) instructions: Option<f64>,
    /// `ns` to those of the row `ratio_to` in the same process; the median. As measured: nothing is taken
    /// off either of them.
    pub(super) ratio: Option<f64>,
    /// Name, and form or threads.
    pub(super) ratio_to: Option<String>,
    /// In the thread-safe build: `ns` to those of the same row in the single-threaded one, in the same
    /// round; the median.
    pub(super) zts_to_nts: Option<f64>,
    /// Likewise of the instructions.
    pub(super) instructions_zts_to_nts: Option<f64>,
}

/// How many cores the counting threads had at once. If that is less than the machine has, others were there,
/// and threads met each other less than they would have.
#[derive(Debug, Serialize)]
pub(super) struct Cores {
    pub(super) build: Profile,
    pub(super) threads: u32,
    pub(super) cores: f64,
}

impl Results {
    /// One row.
    pub(super) fn find(
        &self,
        build: Profile,
        mode: Mode,
        name: &str,
        form: Form,
        threads: u32,
    ) -> Option<&Numbers> {
        self.rows.iter().find(|row| {
            (row.build, row.mode, row.name, row.form, row.threads)
                == (build, mode, name, form, threads)
        })
    }
}

/// As far as it was measured, in the order in which it is shown.
pub(super) fn of(measurements: &Measurements) -> Results {
    let mut rows = Vec::new();
    let mut cores = Vec::new();
    for profile in Profile::ALL {
        for row in &ROWS {
            for mode in Mode::ALL {
                let build = Build { mode, profile };
                // In both there is one thread.
                let threads = THREADS.into_iter().chain(READ_THREADS.into_iter().skip(1));
                let inlined = threads.map(|threads| (Form::Inlined, threads));
                let forms = [(Form::Called, 1)].into_iter().chain(inlined);
                rows.extend(
                    forms.filter_map(|(form, n)| numbers(measurements, build, row, form, n)),
                );
            }
        }
        let build = Build { mode: Mode::Zts, profile };
        cores.extend(THREADS.into_iter().filter_map(|threads| {
            // Not a time, but told as all rows are.
            let measured = measurements.get(&(build, key("cores", Form::Inlined, threads)))?;
            let spread = Spread::of(measured.ns.iter().copied())?;
            Some(Cores { build: profile, threads, cores: spread.median })
        }));
    }
    Results { rows, cores }
}

fn numbers(
    measurements: &Measurements,
    build: Build,
    row: &'static Row,
    form: Form,
    threads: u32,
) -> Option<Numbers> {
    let measured = |build: Build, name: &str, threads: u32| -> Option<&Measured> {
        measurements.get(&(build, key(name, form, threads)))
    };
    let counted = |build: Build| measurements.get(&(build, row.name.to_owned()))?.instructions;
    let over = |own: &Measured, other: &Measured| {
        compared(&own.ns, &other.ns, |own, other| rounded(own / other))
    };
    let own = measured(build, row.name, threads)?;
    let spread = Spread::of(own.ns.iter().copied())?;
    let baseline = row.baseline(threads);
    let nts =
        (build.mode == Mode::Zts && threads == 1).then_some(Build { mode: Mode::Nts, ..build });
    let instructions = if form == Form::Called { counted(build) } else { None };
    Some(Numbers {
        name: row.name,
        build: build.profile,
        mode: build.mode,
        form,
        threads,
        ns: spread.median,
        ns_min: spread.min,
        ns_max: spread.max,
        instructions,
        ratio: baseline.and_then(|(name, n)| over(own, measured(build, name, n)?)),
        ratio_to: baseline.map(|(name, n)| key(name, form, n)),
        zts_to_nts: nts.and_then(|nts| over(own, measured(nts, row.name, 1)?)),
        instructions_zts_to_nts: nts.and_then(|nts| Some(rounded(instructions? / counted(nts)?))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_compared_with_plain_and_peers_with_ours() {
        let measured = |ns: &[f64], instructions| Measured { ns: ns.to_vec(), instructions };
        let of_mode = |mode, row: &str| (Build { mode, profile: Profile::FatLto }, row.to_owned());
        let measurements = Measurements::from([
            (of_mode(Mode::Nts, "process/called"), measured(&[2.0, 2.0], None)),
            (of_mode(Mode::Nts, "process"), measured(&[], Some(2.0))),
            (of_mode(Mode::Zts, "plain/called"), measured(&[1.0, 2.0], None)),
            (of_mode(Mode::Zts, "process/called"), measured(&[2.0, 4.0], None)),
            (of_mode(Mode::Zts, "process"), measured(&[], Some(3.0))),
            (of_mode(Mode::Zts, "process/2"), measured(&[3.0, 5.0], None)),
            (of_mode(Mode::Zts, "mutex/2"), measured(&[30.0, 50.0], None)),
            (of_mode(Mode::Zts, "snapshot/64"), measured(&[9.0, 7.0], None)),
            (of_mode(Mode::Zts, "cores/2"), measured(&[1.5, 2.0], None)),
        ]);
        let results = of(&measurements);
        let row = |name: &str, mode: &str, form: &str, threads: u32, ns: [f64; 3]| {
            serde_json::json!({
                "name": name, "build": "fat-lto", "mode": mode, "form": form, "threads": threads,
                "ns": ns[0], "ns_min": ns[1], "ns_max": ns[2], "instructions": null,
                "ratio": null, "ratio_to": null,
                "zts_to_nts": null, "instructions_zts_to_nts": null,
            })
        };
        let mut expected = [
            row("plain", "zts", "called", 1, [1.5, 1.0, 2.0]),
            row("process", "nts", "called", 1, [2.0, 2.0, 2.0]),
            row("process", "zts", "called", 1, [3.0, 2.0, 4.0]),
            row("process", "zts", "inlined", 2, [4.0, 3.0, 5.0]),
            row("mutex", "zts", "inlined", 2, [40.0, 30.0, 50.0]),
            row("snapshot", "zts", "inlined", 64, [8.0, 7.0, 9.0]),
        ];
        expected[1]["instructions"] = 2.0.into();
        // That build has no plain row here, and there is no inlined one.
        expected[1]["ratio_to"] = "plain/called".into();
        expected[2]["instructions"] = 3.0.into();
        expected[2]["ratio"] = 2.0.into();
        expected[2]["ratio_to"] = "plain/called".into();
        expected[2]["zts_to_nts"] = 1.5.into();
        expected[2]["instructions_zts_to_nts"] = 1.5.into();
        expected[3]["ratio_to"] = "plain/1".into();
        expected[4]["ratio"] = 10.0.into();
        expected[4]["ratio_to"] = "process/2".into();
        assert_eq!(serde_json::to_value(&results.rows).unwrap(), serde_json::json!(expected));
        assert_eq!((results.cores[0].threads, results.cores[0].cores), (2, 1.75));
    }
}
