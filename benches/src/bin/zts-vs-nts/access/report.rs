//! The results as people read them.

use super::results::Numbers;
use super::targets;
use crate::builds::Profile;
use crate::machine::Machine;
use crate::report::{line, write_end};
use crate::table::{Table, count, number};

const INTRODUCTION: &str = "\
What it costs to reach a global in the single-threaded build (NTS) and the thread-safe one (ZTS).
  static, cached   add 1 to a field of a global in that storage, with the token in hand
  with             the same by `Global::with`, which attaches
  std-…, …         the same in `thread_local!`, by the `thread_local` crate, by pthread keys
  attach-…, detach again: on a registered thread; nested: inside another one; first: registers it
  vm-…             a small interpreter with all its state in globals, one run of its programs
  empty            nothing: what a call costs, which is in every row
";

const LEGEND: &str = "\
Differences below some 0.3 ns are those of code alignment: look at the instructions.
ns: one operation, called from a loop; the median of the rounds. net: less the call itself, which is
the row …-empty in the same round. instr.: instructions of the operation with its `ret`, counted by
callgrind; net: without the `ret`. ratio: to nts-static; of an attach to the same in NTS, of a vm row
to vm-nts; in time, the median of the ratios within each round.
A vm operation is one run of all its programs, in the median of eight layouts of the same code. A
first attach is a new thread's, with 100 unused globals declared; in NTS that thread renews the static
globals which the one before it has left.
";

/// A table for each profile, what it means, and the verdicts.
pub(super) fn of(results: &[Numbers], machine: &Machine, rounds: u32) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{INTRODUCTION}"));
    for profile in Profile::ALL {
        let table = table(results.iter().filter(|row| row.build == profile));
        line(&mut text, format_args!("{profile}, rounds: {rounds}\n\n{table}"));
    }
    line(&mut text, format_args!("{LEGEND}"));
    write_end(&mut text, machine, &targets::of(results));
    text
}

fn table<'r>(rows: impl Iterator<Item = &'r Numbers>) -> Table {
    let mut table = Table::new(["", "ns", "min–max", "net", "ratio", "instr.", "net", "ratio"]);
    for row in rows {
        table.row([
            row.name.to_owned(),
            number(Some(row.ns)),
            format!("{}–{}", number(Some(row.ns_min)), number(Some(row.ns_max))),
            number(row.ns_net),
            format!("{:.3}", row.ratio),
            count(row.instructions),
            count(row.instructions_net),
            row.instructions_ratio.map_or_else(|| number(None), |ratio| format!("{ratio:.4}")),
        ]);
    }
    table
}
