//! What the project promises of these rows, and whether it holds.
//!
//! All of it with link-time optimisation, which is what a program that counts instructions uses.

use super::results::Numbers;
use crate::builds::Profile;
use crate::table;

/// The interpreter's instructions, ZTS to NTS.
const INTERPRETER: f64 = 1.005;
const ATTACH_AGAIN_NS: f64 = 4.0;
const ATTACH_NESTED_NS: f64 = 3.0;
/// With a hundred globals declared.
const ATTACH_FIRST_NS: f64 = 5_000.0;

/// One promise.
#[derive(Debug, PartialEq)]
pub(super) struct Target {
    pub(super) promise: String,
    /// What was measured.
    pub(super) measured: String,
    /// `None` if it was not measured.
    pub(super) is_met: Option<bool>,
}

/// All promises.
pub(super) fn of(results: &[Numbers]) -> Vec<Target> {
    let find =
        |name: &str| results.iter().find(|row| row.build == Profile::FatLto && row.name == name);
    let instructions = |name| find(name).and_then(|row| row.instructions);
    let mut targets = vec![
        equal(instructions("zts-static"), instructions("nts-static")),
        Target::at_most(
            "interpreter, instructions ZTS/NTS",
            find("vm-zts-static").and_then(|row| row.instructions_ratio),
            INTERPRETER,
            "",
            4,
        ),
    ];
    for (name, limit) in [
        ("nts-attach-again", ATTACH_AGAIN_NS),
        ("attach-again", ATTACH_AGAIN_NS),
        ("nts-attach-nested", ATTACH_NESTED_NS),
        ("attach-nested", ATTACH_NESTED_NS),
        ("nts-attach-first", ATTACH_FIRST_NS),
        ("attach-first", ATTACH_FIRST_NS),
    ] {
        let ns = find(name).map(|row| row.ns);
        targets.push(Target::at_most(name, ns, limit, " ns", 2));
    }
    targets
}

fn equal(zts: Option<f64>, nts: Option<f64>) -> Target {
    let both = zts.zip(nts);
    Target {
        promise: "static accessor: as many instructions in ZTS as in NTS".to_owned(),
        measured: both.map_or_else(
            || table::number(None),
            |(zts, nts)| format!("{zts} and {nts}, the `ret` included"),
        ),
        is_met: both.map(|(zts, nts)| zts == nts),
    }
}

impl Target {
    fn at_most(what: &str, value: Option<f64>, limit: f64, unit: &str, digits: usize) -> Self {
        Self {
            promise: format!("{what} ≤ {limit}{unit}"),
            measured: value
                .map_or_else(|| table::number(None), |value| format!("{value:.digits$}{unit}")),
            is_met: value.map(|value| value <= limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_still_met_and_nothing_is_neither() {
        let target = |value| Target::at_most("x", value, 1.005, "", 4);
        assert_eq!(target(Some(1.005)).is_met, Some(true));
        assert_eq!(target(Some(1.0051)).is_met, Some(false));
        assert_eq!(target(None).is_met, None);
        assert_eq!(target(Some(1.0)).measured, "1.0000");
        assert_eq!(equal(Some(2.0), Some(2.0)).is_met, Some(true));
        assert_eq!(equal(Some(3.0), Some(2.0)).is_met, Some(false));
        assert_eq!(of(&[]).len(), 8);
    }
}
