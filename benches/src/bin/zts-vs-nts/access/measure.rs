//! Builds the workload, runs the builds in turn, and counts their instructions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::builds::{Build, Profile, Workspace};
use crate::{callgrind, workload};

const PACKAGE: &str = "tsrm-workload";

/// What was measured of one row of one profile.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// Nanoseconds per operation, by round.
    pub(super) ns: Vec<f64>,
    /// Instructions per operation, if they were counted.
    pub(super) instructions: Option<f64>,
}

/// By profile and name of the row.
pub(super) type Measurements = HashMap<(Profile, String), Measured>;

/// Everything. Progress goes to standard error: a bar on a terminal, else a line per step.
pub(super) fn all(workspace: &Workspace, rounds: u32, is_counted: bool) -> Result<Measurements> {
    let progress = progress(rounds, is_counted);
    let mut builds = Vec::new();
    for build in Build::all() {
        announce(&progress, format!("building {build}"));
        let executable = build.compile(workspace, PACKAGE)?;
        builds.push((build, executable));
        progress.inc(1);
    }
    let mut measurements = Measurements::new();
    for round in 1..=rounds {
        // In turn, so that a slow minute of the machine is one for all of them.
        for (build, executable) in &builds {
            announce(&progress, format!("round {round}/{rounds}: {build}"));
            for (row, ns) in workload::time(executable)? {
                measurements.entry((build.profile, row)).or_default().ns.push(ns);
            }
            progress.inc(1);
        }
    }
    if is_counted {
        count(&builds, &mut measurements, &progress)?;
    }
    progress.finish_and_clear();
    Ok(measurements)
}

fn count(
    builds: &[(Build, PathBuf)],
    measurements: &mut Measurements,
    progress: &ProgressBar,
) -> Result<()> {
    let directory = tempfile::tempdir().context("no temporary directory for callgrind")?;
    for (build, executable) in builds {
        announce(progress, format!("counting instructions: {build}"));
        let counts = callgrind::count(executable, directory.path())
            .with_context(|| format!("cannot count the instructions of {build}"))?;
        for (row, instructions) in counts {
            measurements.entry((build.profile, row)).or_default().instructions = Some(instructions);
        }
        progress.inc(1);
    }
    Ok(())
}

fn announce(progress: &ProgressBar, step: String) {
    if progress.is_hidden() {
        eprintln!("{step}");
    }
    progress.set_message(step);
}

fn progress(rounds: u32, is_counted: bool) -> ProgressBar {
    let builds = Build::all().count() as u64;
    let steps = builds * (1 + u64::from(rounds) + u64::from(is_counted));
    // Hidden where standard error is not a terminal.
    let progress = ProgressBar::new(steps);
    let style = ProgressStyle::with_template("{spinner} [{elapsed_precise}] {bar:30} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    progress.set_style(style);
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}
