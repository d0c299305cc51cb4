//! `zts-vs-nts locks`: free locks, locks that many threads want, and how long these wait.
//!
//! - [`rows`]: what there is to measure, and what it is compared with;
//! - [`results`]: from what was measured to numbers;
//! - [`report`] prints them, and [`targets`] judges.

mod report;
mod results;
mod rows;
mod targets;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use crate::builds::{Build, Profile, Workspace};
use crate::json::Sink;
use crate::machine::Machine;
use crate::measure::{self, Plan};

/// How `locks` measures.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Fewer rounds: everything after the builds is over within two minutes
    #[arg(long)]
    quick: bool,

    /// How often the builds are run in turn [default: 27, with --quick 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,

    /// Write the results there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Options {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 7 } else { 27 })
    }
}

/// Measures, prints, and writes the results if asked to.
pub(crate) fn run(options: &Options) -> Result<()> {
    let sink = options.json.as_deref().map(Sink::open).transpose()?;
    let workspace = Workspace::find()?;
    let machine = Machine::here(workspace.root());
    let plan = Plan {
        binary: "workload-locks",
        features: &["locks"],
        builds: Build::of_profile(Profile::FatLto).into(),
        rounds: options.rounds(),
        // Where two locked instructions are nearly all there is, their number says little.
        is_counted: false,
    };
    let measured = measure::all(&workspace, &plan)?;
    let results = results::of(&measured);
    let text = report::of(&results, &machine, options.rounds());
    std::io::stdout().write_all(text.as_bytes())?;
    if let Some(sink) = sink {
        let locks = json!({ "rows": results.rows, "means": results.means });
        sink.write(&json!({ "locks": locks, "machine": machine }))?;
    }
    Ok(())
}
