//! From what was measured to the numbers that are shown and written.

use serde::Serialize;

use super::rows::{ROWS, Row};
use crate::builds::{Build, Profile};
use crate::measure::{Measured, Measurements};
use crate::rounds::{Spread, compared, rounded};

/// The numbers of one row of one profile.
#[derive(Debug, Serialize)]
pub(super) struct Numbers {
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) row: &'static Row,
    pub(super) build: Profile,
    /// Nanoseconds per operation: the median of the rounds. The harness's call is in it.
    pub(super) ns: f64,
    pub(super) ns_min: f64,
    pub(super) ns_max: f64,
    /// Less what the empty operation took in the same round; the median. May be about 0, as a
    /// processor does other things during a call.
    pub(super) ns_net: Option<f64>,
    /// Instructions per operation, its `ret` included.
    pub(super) instructions: Option<f64>,
    /// Less those of the empty operation, which is that `ret`.
    pub(super) instructions_net: Option<f64>,
    /// `ns` to that of the row's baseline, taken in each round; the median.
    pub(super) ratio: f64,
    /// `instructions` to those of the row's baseline.
    pub(super) instructions_ratio: Option<f64>,
}

/// All rows of all profiles, in the order in which they are shown. A row that this system does not
/// have is left out.
pub(super) fn of(measurements: &Measurements) -> Vec<Numbers> {
    Profile::ALL
        .into_iter()
        .flat_map(|build| ROWS.iter().filter_map(move |row| numbers(measurements, build, row)))
        .collect()
}

fn numbers(measurements: &Measurements, profile: Profile, row: &'static Row) -> Option<Numbers> {
    let measured = |name: &str| {
        let build = Build { mode: Row::named(name)?.mode, profile };
        measurements.get(&(build, name.to_owned()))
    };
    let own = measured(row.name)?;
    let baseline = measured(row.baseline)?;
    let empty: Option<&Measured> = if row.has_net() { measured(row.empty) } else { None };
    let spread = Spread::of(own.ns.iter().copied())?;
    Some(Numbers {
        name: row.name,
        row,
        build: profile,
        ns: spread.median,
        ns_min: spread.min,
        ns_max: spread.max,
        ns_net: empty
            .and_then(|empty| compared(&own.ns, &empty.ns, |own, empty| rounded(own - empty))),
        instructions: own.instructions,
        instructions_net: empty.and_then(|empty| Some(own.instructions? - empty.instructions?)),
        ratio: compared(&own.ns, &baseline.ns, |own, baseline| rounded(own / baseline))?,
        instructions_ratio: own
            .instructions
            .zip(baseline.instructions)
            .map(|(own, baseline)| rounded(own / baseline)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builds::Mode;

    #[test]
    fn a_row_is_compared_with_its_baseline_and_freed_of_its_harness() {
        let measured = |ns: &[f64], instructions| Measured {
            ns: ns.to_vec(),
            instructions: Some(instructions),
        };
        let of_mode = |mode, profile, row: &str| (Build { mode, profile }, row.to_owned());
        let nts = |profile, row| of_mode(Mode::Nts, profile, row);
        let zts = |profile, row| of_mode(Mode::Zts, profile, row);
        let measurements = Measurements::from([
            (zts(Profile::FatLto, "zts-empty"), measured(&[1.0, 1.0], 1.0)),
            (nts(Profile::FatLto, "nts-static"), measured(&[2.0, 4.0], 2.0)),
            (zts(Profile::FatLto, "zts-static"), measured(&[3.0, 6.0], 3.0)),
            (nts(Profile::NoLto, "nts-static"), measured(&[9.0, 9.0], 9.0)),
        ]);
        let results = of(&measurements);
        // `zts-empty` has no baseline here.
        let names: Vec<_> = results.iter().map(|numbers| (numbers.build, numbers.name)).collect();
        assert_eq!(
            names,
            [
                (Profile::FatLto, "nts-static"),
                (Profile::FatLto, "zts-static"),
                (Profile::NoLto, "nts-static")
            ]
        );
        let json = serde_json::to_value(&results[1]).unwrap();
        let expected = serde_json::json!({
            "name": "zts-static", "build": "fat-lto",
            "ns": 4.5, "ns_min": 3.0, "ns_max": 6.0, "ns_net": 3.5,
            "instructions": 3.0, "instructions_net": 2.0,
            "ratio": 1.5, "instructions_ratio": 1.5,
        });
        assert_eq!(json, expected);
    }
}
