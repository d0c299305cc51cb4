//! Running a workload's binary and reading its lines of JSON.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One line of `time`.
#[derive(Debug, Deserialize)]
struct Timed {
    row: String,
    ns: f64,
}

/// One line of `count`: whose calls of what are this row's operations.
#[derive(Debug, Deserialize)]
pub(crate) struct Counted {
    pub(crate) row: String,
    pub(crate) caller: String,
    pub(crate) callee: String,
}

/// Nanoseconds per operation, by row, of one round.
pub(crate) fn time(executable: &Path) -> Result<BTreeMap<String, f64>> {
    let rows: Vec<Timed> = lines(Command::new(executable).arg("time"))?;
    Ok(rows.into_iter().map(|timed| (timed.row, timed.ns)).collect())
}

/// Runs the command to its end; each line of its output is a value.
pub(crate) fn lines<T: DeserializeOwned>(command: &mut Command) -> Result<Vec<T>> {
    let program = command.get_program().display().to_string();
    let output = command.output().with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("{program} failed ({}):\n\n{}", output.status, messages.trim_end());
    }
    serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<serde_json::Result<_>>()
        .with_context(|| format!("{program} printed something else than JSON"))
}
