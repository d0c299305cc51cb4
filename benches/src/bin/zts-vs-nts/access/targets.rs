//! What the project promises of these rows, and whether it holds.
//!
//! All of it with link-time optimisation, which is what a program that counts instructions uses.

use super::results::Numbers;
use crate::builds::Profile;
use crate::table;
use crate::targets::Target;

/// The interpreter's instructions, ZTS to NTS.
const INTERPRETER: f64 = 1.005;
const ATTACH_AGAIN_NS: f64 = 4.0;
const ATTACH_NESTED_NS: f64 = 3.0;
/// With a hundred globals declared.
const ATTACH_FIRST_NS: f64 = 5_000.0;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_neither_met_nor_missed() {
        assert_eq!(equal(Some(2.0), Some(2.0)).is_met, Some(true));
        assert_eq!(equal(Some(3.0), Some(2.0)).is_met, Some(false));
        let targets = of(&[]);
        assert_eq!(targets.len(), 8);
        assert!(targets.iter().all(|target| target.is_met.is_none()));
    }
}
