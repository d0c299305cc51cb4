//! Builds a workload, runs the builds in turn, and counts their instructions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::builds::{Build, Workspace};
use crate::{callgrind, workload};

/// What is to be done.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The binary of the workload that a subcommand measures.
    pub(crate) binary: &'static str,
    /// What that binary is built with, beside its mode.
    pub(crate) features: &'static [&'static str],
    pub(crate) builds: Vec<Build>,
    /// How often each of them is run.
    pub(crate) rounds: u32,
    pub(crate) is_counted: bool,
}

/// What was measured of one row of one build.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Nanoseconds per operation, by round.
    pub(crate) ns: Vec<f64>,
    /// Instructions per operation, if they were counted.
    pub(crate) instructions: Option<f64>,
}

/// By build and name of the row.
pub(crate) type Measurements = HashMap<(Build, String), Measured>;

/// Everything. Progress goes to standard error: a bar on a terminal, else a line per step.
pub(crate) fn all(workspace: &Workspace, plan: &Plan) -> Result<Measurements> {
    let rounds = plan.rounds;
    let progress = progress(plan);
    let mut builds = Vec::new();
    for build in &plan.builds {
        announce(&progress, format!("building {build}"));
        let executable = build.compile(workspace, plan.binary, plan.features)?;
        builds.push((*build, executable));
        progress.inc(1);
    }
    let mut measurements = Measurements::new();
    for round in 1..=rounds {
        // In turn, so that a slow minute of the machine is one for all of them.
        for (build, executable) in &builds {
            announce(&progress, format!("round {round}/{rounds}: {build}"));
            for (row, ns) in workload::time(executable)? {
                measurements.entry((*build, row)).or_default().ns.push(ns);
            }
            progress.inc(1);
        }
    }
    if plan.is_counted {
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
            measurements.entry((*build, row)).or_default().instructions = Some(instructions);
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

fn progress(plan: &Plan) -> ProgressBar {
    let steps_of_a_build = 1 + u64::from(plan.rounds) + u64::from(plan.is_counted);
    let steps = plan.builds.len() as u64 * steps_of_a_build;
    // Hidden where standard error is not a terminal.
    let progress = ProgressBar::new(steps);
    let style = ProgressStyle::with_template("{spinner} [{elapsed_precise}] {bar:30} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    progress.set_style(style);
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}
