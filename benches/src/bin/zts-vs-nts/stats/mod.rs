//! `zts-vs-nts stats`: counting in statistics, by one thread and by many; reading them; lost counts.
//!
//! - [`rows`]: what there is to measure, and what each row is compared with;
//! - [`results`]: from what was measured to numbers;
//! - [`checks`]: whether counts are lost;
//! - [`report`] prints them, and [`targets`] judges.

mod checks;
mod report;
mod results;
mod rows;
mod targets;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;

use crate::builds::{Build, Workspace};
use crate::json::Sink;
use crate::machine::Machine;
use crate::measure::{self, Plan};

const BINARY: &str = "workload-stats";
const FEATURES: &[&str] = &["stats"];

/// How `stats` measures.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Fewer rounds: everything after the builds is over within a minute
    #[arg(long)]
    quick: bool,

    /// How often the builds are run in turn [default: 9, with --quick 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,

    /// Write the results there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Options {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 5 } else { 9 })
    }
}

/// Measures, prints, and writes the results if asked to.
///
/// # Errors
/// Also if counts were lost.
pub(crate) fn run(options: &Options) -> Result<()> {
    let sink = options.json.as_deref().map(Sink::open).transpose()?;
    let workspace = Workspace::find()?;
    let machine = Machine::here(workspace.root());
    let plan = Plan {
        binary: BINARY,
        features: FEATURES,
        builds: Build::all(),
        rounds: options.rounds(),
        is_counted: machine.valgrind.is_some(),
    };
    let measured = measure::all(&workspace, &plan)?;
    let checks = checks::run(&workspace)?;
    let results = results::of(&measured);
    let text = report::of(&results, &checks, &machine, options.rounds());
    std::io::stdout().write_all(text.as_bytes())?;
    if let Some(sink) = sink {
        let stats = json!({ "rows": results.rows, "cores": results.cores, "checks": checks });
        sink.write(&json!({ "stats": stats, "machine": machine }))?;
    }
    if !checks.iter().all(checks::Check::is_passed) {
        bail!("counts were lost");
    }
    Ok(())
}
