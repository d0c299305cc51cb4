//! From what was measured to the numbers that are shown and written.

use serde::Serialize;

use super::PROFILE;
use super::rows::{BASELINE, EMPTY, ROWS, Row};
use crate::builds::{Build, Mode};
use crate::measure::{Measured, Measurements};
use crate::rounds::{Spread, compared, rounded};

/// The numbers of one row of one mode.
#[derive(Debug, Serialize)]
pub(super) struct Numbers {
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) row: &'static Row,
    pub(super) mode: Mode,
    /// Nanoseconds per operation: the median of the rounds. Of a read, the harness's call is in it.
    pub(super) ns: f64,
    pub(super) ns_min: f64,
    pub(super) ns_max: f64,
    /// Less what the empty operation took in the same round; the median.
    pub(super) ns_net: Option<f64>,
    /// Instructions per operation, its `ret` included.
    pub(super) instructions: Option<f64>,
    /// Less those of the empty operation, which is that `ret`.
    pub(super) instructions_net: Option<f64>,
    /// Of a read, `ns` to those of the peer in the same process; the median.
    pub(super) ratio: Option<f64>,
}

/// All rows of both modes, in the order in which they are shown, as far as they were measured.
pub(super) fn of(measurements: &Measurements) -> Vec<Numbers> {
    ROWS.iter()
        .flat_map(|row| Mode::ALL.into_iter().filter_map(|mode| numbers(measurements, mode, row)))
        .collect()
}

fn numbers(measurements: &Measurements, mode: Mode, row: &'static Row) -> Option<Numbers> {
    let build = Build { mode, profile: PROFILE };
    let measured = |name: &str| measurements.get(&(build, name.to_owned()));
    let of_a_read = |name| if row.has_net() { measured(name) } else { None };
    let (own, empty, baseline): (_, Option<&Measured>, Option<&Measured>) =
        (measured(row.name)?, of_a_read(EMPTY), of_a_read(BASELINE));
    let spread = Spread::of(own.ns.iter().copied())?;
    Some(Numbers {
        name: row.name,
        row,
        mode,
        ns: spread.median,
        ns_min: spread.min,
        ns_max: spread.max,
        ns_net: empty
            .and_then(|empty| compared(&own.ns, &empty.ns, |own, empty| rounded(own - empty))),
        instructions: own.instructions,
        instructions_net: empty.and_then(|empty| Some(own.instructions? - empty.instructions?)),
        ratio: baseline
            .and_then(|peer| compared(&own.ns, &peer.ns, |own, peer| rounded(own / peer))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_compared_with_its_peer_and_freed_of_its_harness() {
        let measured = |ns: &[f64], instructions| Measured { ns: ns.to_vec(), instructions };
        let of_mode = |mode, row: &str| (Build { mode, profile: PROFILE }, row.to_owned());
        let measurements = Measurements::from([
            (of_mode(Mode::Zts, "empty"), measured(&[1.0, 1.0], Some(1.0))),
            (of_mode(Mode::Zts, "shared"), measured(&[2.0, 3.0], Some(3.0))),
            (of_mode(Mode::Zts, "arc-swap"), measured(&[4.0, 6.0], Some(9.0))),
            (of_mode(Mode::Zts, "quiesce-16-busy"), measured(&[7.0, 9.0], None)),
            (of_mode(Mode::Nts, "shared"), measured(&[5.0, 5.0], Some(2.0))),
        ]);
        let results = of(&measurements);
        let names: Vec<_> = results.iter().map(|numbers| (numbers.mode, numbers.name)).collect();
        assert_eq!(
            names,
            [
                (Mode::Zts, "empty"),
                (Mode::Nts, "shared"),
                (Mode::Zts, "shared"),
                (Mode::Zts, "arc-swap"),
                (Mode::Zts, "quiesce-16-busy"),
            ]
        );
        let json = serde_json::to_value(&results[1..]).unwrap();
        let expected = serde_json::json!([
            {
                "name": "shared", "mode": "nts", "ns": 5.0, "ns_min": 5.0, "ns_max": 5.0,
                "ns_net": null, "instructions": 2.0, "instructions_net": null, "ratio": null,
            },
            {
                "name": "shared", "mode": "zts", "ns": 2.5, "ns_min": 2.0, "ns_max": 3.0,
                "ns_net": 1.5, "instructions": 3.0, "instructions_net": 2.0, "ratio": 0.5,
            },
            {
                "name": "arc-swap", "mode": "zts", "ns": 5.0, "ns_min": 4.0, "ns_max": 6.0,
                "ns_net": 4.0, "instructions": 9.0, "instructions_net": 8.0, "ratio": 1.0,
            },
            {
                "name": "quiesce-16-busy", "mode": "zts", "ns": 8.0, "ns_min": 7.0, "ns_max": 9.0,
                "ns_net": null, "instructions": null, "instructions_net": null, "ratio": null,
            },
        ]);
        assert_eq!(json, expected);
    }
}
