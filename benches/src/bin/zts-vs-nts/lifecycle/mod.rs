//! `zts-vs-nts lifecycle`: shared values; modules and resources that come and go while threads run.
//!
//! - [`rows`]: what there is to measure;
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

/// With link-time optimisation only: most of it is not a matter of single instructions.
const PROFILE: Profile = Profile::FatLto;

/// How `lifecycle` measures.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Fewer rounds: everything after the builds is over within 40 s
    #[arg(long)]
    quick: bool,

    /// How often the builds are run in turn [default: 9, with --quick 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,

    /// Write the results there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Options {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 3 } else { 9 })
    }
}

/// Measures, prints, and writes the results if asked to.
pub(crate) fn run(options: &Options) -> Result<()> {
    let sink = options.json.as_deref().map(Sink::open).transpose()?;
    let workspace = Workspace::find()?;
    let machine = Machine::here(workspace.root());
    let plan = Plan {
        binary: "workload-lifecycle",
        features: &[],
        builds: Build::of_profile(PROFILE).to_vec(),
        rounds: options.rounds(),
        is_counted: machine.valgrind.is_some(),
    };
    let measured = measure::all(&workspace, &plan)?;
    let results = results::of(&measured);
    let text = report::of(&results, &machine, options.rounds());
    std::io::stdout().write_all(text.as_bytes())?;
    if let Some(sink) = sink {
        let rows: Vec<_> = results.iter().filter(|numbers| !numbers.row.is_harness()).collect();
        sink.write(&json!({ "lifecycle": { "rows": rows }, "machine": machine }))?;
    }
    Ok(())
}
