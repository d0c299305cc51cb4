//! Instructions per operation, counted by valgrind's callgrind.
//!
//! An operation is a function that is never inlined; a row is a function that calls it. The cost of
//! an operation is the *inclusive* cost of the calls from that row to it, divided by their number:
//! with the operation's own `ret` and all that it calls, without the row's loop. Nothing is
//! subtracted here.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workload::{self, Counted};

/// How often each operation is run. Counts do not vary, so it need not be many times; more than
/// once, as the interpreter's globals carry state from run to run.
const RUNS: u32 = 20;

/// What valgrind calls itself, if it is there.
pub(crate) fn version() -> Option<String> {
    let output = Command::new("valgrind").arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| version.trim().to_owned())
}

/// Instructions per operation, by row. `directory` takes callgrind's output.
pub(crate) fn count(executable: &Path, directory: &Path) -> Result<HashMap<String, f64>> {
    let profile = directory.join("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--tool=callgrind"])
        // Whole names and absolute line numbers: nothing to be remembered from line to line.
        .args(["--compress-strings=no", "--compress-pos=no", "--demangle=no"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(executable)
        .args(["count", &RUNS.to_string()]);
    let rows: Vec<Counted> = workload::lines(&mut valgrind)?;
    let text = std::fs::read(&profile).context("valgrind wrote no profile")?;
    let calls = parse(&String::from_utf8_lossy(&text))?;
    rows.into_iter()
        .map(|Counted { row, caller, callee }| {
            let cost = calls.cost_per_call(&caller, &callee);
            let cost = cost.with_context(|| format!("no call of {callee} in {caller} was seen"))?;
            Ok((row, cost))
        })
        .collect()
}

/// All calls of a profile.
#[derive(Debug, Default)]
struct Calls {
    /// By the mangled names of caller and callee.
    by_names: HashMap<(String, String), Sum>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    calls: u64,
    instructions: u64,
}

impl Calls {
    /// Both functions are named as in the source.
    fn cost_per_call(&self, caller: &str, callee: &str) -> Option<f64> {
        // In both of Rust's manglings a path's part is its length and its name.
        let caller = format!("{}{caller}", caller.len());
        let callee = format!("{}{callee}", callee.len());
        let per_call = |is_it: &dyn Fn(&str) -> bool| {
            let mut sum = Sum::default();
            for ((from, to), part) in &self.by_names {
                // Also calls from the closures of the row.
                if from.contains(&caller) && is_it(to) {
                    sum.calls += part.calls;
                    sum.instructions += part.instructions;
                }
            }
            (sum.calls > 0).then(|| sum.instructions as f64 / sum.calls as f64)
        };
        // Functions with the same instructions may have become one, under another row's name.
        per_call(&|to| to.contains(&callee)).or_else(|| per_call(&is_operation))
    }
}

/// Whether a mangled path has a part that begins as operations do.
fn is_operation(path: &str) -> bool {
    path.match_indices("op_").any(|(at, _)| path[..at].ends_with(|c: char| c.is_ascii_digit()))
}

/// Reads the call records of a profile:
///
/// ```text
/// fn=caller
/// cfn=callee
/// calls=20 140        how often, and the callee's line
/// 69 40               the line of the call, and what the calls cost in all
/// ```
fn parse(profile: &str) -> Result<Calls> {
    if !profile.lines().any(|line| line == "events: Ir") {
        bail!("callgrind's profile does not count instructions only");
    }
    let mut found = Calls::default();
    let (mut caller, mut callee) = ("", "");
    let mut lines = profile.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("fn=") {
            caller = name;
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = name;
        } else if let Some(calls) = line.strip_prefix("calls=") {
            let calls = number(calls.split(' ').next());
            let instructions = number(lines.next().and_then(|line| line.split(' ').nth(1)));
            let (Some(calls), Some(instructions)) = (calls, instructions) else {
                bail!("callgrind's profile has a call that cannot be read: {line}");
            };
            let sum = found.by_names.entry((caller.to_owned(), callee.to_owned())).or_default();
            sum.calls += calls;
            sum.instructions += instructions;
        }
    }
    Ok(found)
}

fn number(text: Option<&str>) -> Option<u64> {
    text?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = "\
positions: line
events: Ir

fn=_ZN4rows10row_static17h0123456789abcdefE
143 5
cfi=/source/rows.rs
cfn=_ZN4rows9op_static17h0123456789abcdefE
calls=1 902
143 2
143 9
cfn=_ZN4rows9op_static17h0123456789abcdefE
calls=9 902
143 18
cfn=_ZN4rows8op_other17h0123456789abcdefE
calls=1 902
143 1000
fn=_ZN4rows10row_static28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE
cfn=_ZN4rows9op_static17h0123456789abcdefE
calls=10 902
143 40
fn=_ZN4rows7warm_up17h0123456789abcdefE
cfn=_ZN4rows9op_static17h0123456789abcdefE
calls=1 902
143 5000
";

    #[test]
    fn a_row_s_calls_are_summed_and_no_others() {
        let calls = parse(PROFILE).unwrap();
        assert_eq!(calls.cost_per_call("row_static", "op_static"), Some(3.0));
        // What is missing has become one with something else.
        assert_eq!(calls.cost_per_call("row_static", "op_missing"), Some(1060.0 / 21.0));
        assert_eq!(calls.cost_per_call("row_missing", "op_static"), None);
        assert_eq!(calls.cost_per_call("row", "op_static"), None);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        assert!(parse("events: Ir Dr\n").is_err());
        assert!(parse("events: Ir\nfn=a\ncfn=b\ncalls=x 1\n1 2\n").is_err());
        assert!(parse("events: Ir\nfn=a\ncfn=b\ncalls=1 1\n").is_err());
    }
}
