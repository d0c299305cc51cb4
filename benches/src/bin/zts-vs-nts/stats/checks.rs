//! Whether counts are lost: the workload counts, and says what should have been counted.

use std::process::Command;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{BINARY, FEATURES};
use crate::builds::{Build, Mode, Profile, Workspace};
use crate::workload;

/// What loses, so that it is seen that this can be seen.
const RACY: &str = "racy";

/// One check.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) mode: Mode,
    #[serde(flatten)]
    pub(super) outcome: Outcome,
}

/// As the workload tells it.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) threads: u32,
    pub(super) expected: u64,
    pub(super) counted: u64,
    /// How often a reader added it all up meanwhile.
    pub(super) reads: u64,
    /// How often a counter was then less than before.
    pub(super) backward: u64,
}

impl Check {
    /// Not ours.
    pub(super) fn is_racy(&self) -> bool {
        self.outcome.name == RACY
    }

    /// Whether ours has lost nothing. What is racy may.
    pub(super) fn is_passed(&self) -> bool {
        let Outcome { expected, counted, backward, .. } = self.outcome;
        self.is_racy() || (counted == expected && backward == 0)
    }
}

/// In both modes.
pub(super) fn run(workspace: &Workspace) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for build in Build::of_profile(Profile::FatLto) {
        let executable = build.compile(workspace, BINARY, FEATURES)?;
        let outcomes: Vec<Outcome> = workload::lines(Command::new(executable).arg("check"))?;
        let of_mode = |outcome| Check { mode: build.mode, outcome };
        checks.extend(outcomes.into_iter().map(of_mode));
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_must_not_lose_and_the_racy_one_may() {
        let check = |name: &str, counted, backward| {
            let outcome = Outcome {
                name: name.to_owned(),
                threads: 2,
                expected: 20,
                counted,
                reads: 5,
                backward,
            };
            Check { mode: Mode::Zts, outcome }.is_passed()
        };
        assert!(check("process", 20, 0) && check(RACY, 13, 0));
        assert!(!check("process", 19, 0) && !check("process", 21, 0) && !check("process", 20, 1));
    }
}
