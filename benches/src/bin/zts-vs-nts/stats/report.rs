//! The results as people read them.

use super::checks::{Check, Outcome};
use super::results::{Cores, Numbers, Results};
use super::rows::{Form, Kind, READ_THREADS, ROWS, THREADS};
use super::targets;
use crate::builds::{Mode, Profile};
use crate::machine::Machine;
use crate::report::{line, write_end};
use crate::table::{Table, count, number};

const INTRODUCTION: &str = "\
What it costs to count, in the single-threaded build (NTS) and, with 1 to 16 threads that all count, in
the thread-safe one (ZTS). Nanoseconds on the processor for one count, out of a set of 163 counters:
  nothing          an empty operation: what a call costs, which is in every row
  plain            `+=` on a `static` array, as a single-threaded program would write it
  process, local   `CLIENT.inc(here, …)`, and by `CLIENT.local(here)`
  connection       in the set of an object with one owner, and the process's
  pool             in the set of an object that all threads use, and the process's
  switched-…       behind the switch at run time, on and off
  compiled-off     with `#[stat(off)]`
  add_all-…        two and three counters in one call
  histogram        a value into a histogram
  gauge            a gauge up and, by dropping the guard, down again
  mutex, …-twice   an array under a lock; that and another array of the thread's own under its lock
  fetch_add, …     relaxed, on an array that all threads share; that and an array of the thread's own;
                   each counter on a cache line of its own; 16 arrays which the threads share out
  thread_local-…   an array per thread by the `thread_local` crate, plain load and store
  prometheus-…     `prometheus-client`: by a handle, and with a look-up in a family
  metrics-…        `metrics` with a small recorder: by a handle, and by the macro, which looks it up
";

const LEGEND: &str = "\
ns: the time that the threads were on a processor over what they have counted: the median of the rounds.
Eight neighbouring counters in turn, each known when the program is compiled. called: each count is a
function of its own. inlined: the eight stand in the loop, as a count stands in its user's code, with a
barrier to the compiler in between. All rows alike, and nothing is taken off. instr.: instructions of a
called count with its `ret`, by callgrind. Differences of some 0.1 ns are those of code alignment.
ratio: of ours to plain on one thread, of a peer to ours with as many threads (of those that count twice,
to connection), each in the same process and the same form; the median of the rounds.
";

const READS: &str = "\
Reading the 163 counters of so many threads, in ns on the processor; and by the clock a thread's first
attach, and its end after it has counted everything (with 100 unused globals, and with 5 sets linked; the
same without any set are `attach-first` and `detach` of `zts-vs-nts access`):
";

const CHECKS: &str = "\
What threads have counted, in a loop that all run at once. racy: by plain load and store on one array;
if it has lost nothing, then neither would the others. The rest is ours: the threads leave and come again
after each 16,384 counts, and a reader adds it all up meanwhile and looks for what steps back.
";

/// The tables, what they mean, and the verdicts.
pub(super) fn of(results: &Results, checks: &[Check], machine: &Machine, rounds: u32) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{INTRODUCTION}"));
    for profile in Profile::ALL {
        let (called, inlined) = (called(results, profile), inlined(results, profile));
        let cores = cores(results, profile);
        line(
            &mut text,
            format_args!("{profile}, rounds: {rounds}; called, on one thread\n\n{called}"),
        );
        line(&mut text, format_args!("{profile}; inlined\n\n{inlined}{cores}"));
    }
    line(&mut text, format_args!("{LEGEND}\n{READS}\n{}", reads(results)));
    line(&mut text, format_args!("{CHECKS}\n{}", checked(checks)));
    if let Some(luck) = luck(checks) {
        line(&mut text, format_args!("{luck}\n"));
    }
    write_end(&mut text, machine, &targets::of(results, checks));
    text
}

fn called(results: &Results, profile: Profile) -> Table {
    let mut table = Table::new(["called", "NTS", "instr.", "ZTS", "instr.", "ZTS/NTS", "ratio"]);
    for row in ROWS.iter().filter(|row| row.kind != Kind::Read) {
        let [nts, zts] =
            Mode::ALL.map(|mode| results.find(profile, mode, row.name, Form::Called, 1));
        table.row([
            row.name.to_owned(),
            ns(nts),
            instructions(nts),
            ns(zts),
            instructions(zts),
            number(zts.and_then(|row| row.zts_to_nts)),
            ratio(zts),
        ]);
    }
    table
}

fn inlined(results: &Results, profile: Profile) -> Table {
    let mut table = Table::new([
        "threads", "NTS: 1", "ZTS: 1", "2", "8", "16", "ZTS/NTS", "ratio: 1", "2", "8", "16",
    ]);
    for row in ROWS.iter().filter(|row| row.kind != Kind::Read) {
        let find = |mode, threads| results.find(profile, mode, row.name, Form::Inlined, threads);
        let zts = THREADS.map(|threads| find(Mode::Zts, threads));
        let [ns_1, ns_2, ns_8, ns_16] = zts.map(ns);
        let [ratio_1, ratio_2, ratio_8, ratio_16] = zts.map(ratio);
        table.row([
            row.name.to_owned(),
            ns(find(Mode::Nts, 1)),
            ns_1,
            ns_2,
            ns_8,
            ns_16,
            number(zts[0].and_then(|row| row.zts_to_nts)),
            ratio_1,
            ratio_2,
            ratio_8,
            ratio_16,
        ]);
    }
    table
}

/// Whether the machine was there for the threads.
fn cores(results: &Results, profile: Profile) -> String {
    let of_profile = results.cores.iter().filter(|cores| cores.build == profile);
    let cores: Vec<_> =
        of_profile.map(|Cores { threads, cores, .. }| format!("{threads} on {cores:.1}")).collect();
    format!("The threads were on so many cores at once: {}.\n", cores.join(", "))
}

fn reads(results: &Results) -> Table {
    let find =
        |mode, name, threads| results.find(Profile::FatLto, mode, name, Form::Inlined, threads);
    let mut table = Table::new(["threads", "NTS: 1", "ZTS: 1", "min–max", "64", "min–max"]);
    for row in ROWS.iter().filter(|row| row.kind == Kind::Read) {
        let nts = find(Mode::Nts, row.name, 1);
        let [one, many] = READ_THREADS.map(|n| find(Mode::Zts, row.name, n));
        table.row([row.name.to_owned(), ns(nts), ns(one), spread(one), ns(many), spread(many)]);
    }
    table
}

fn checked(checks: &[Check]) -> Table {
    let mut table =
        Table::new(["", "threads", "expected", "counted", "lost", "reads", "steps back"]);
    for Check { mode, outcome } in checks {
        let Outcome { name, threads, expected, counted, reads, backward } = outcome;
        table.row([
            format!("{mode} {name}"),
            threads.to_string(),
            expected.to_string(),
            counted.to_string(),
            (i128::from(*expected) - i128::from(*counted)).to_string(),
            reads.to_string(),
            backward.to_string(),
        ]);
    }
    table
}

/// If the racy check proves nothing.
fn luck(checks: &[Check]) -> Option<&'static str> {
    let has_lost = |check: &Check| check.outcome.counted != check.outcome.expected;
    let is_proof = checks.iter().filter(|check| check.is_racy()).all(has_lost);
    (!is_proof).then_some(
        "What is racy has lost nothing, however often it was tried: see nothing in the others.",
    )
}

fn ns(row: Option<&Numbers>) -> String {
    number(row.map(|row| row.ns))
}

fn instructions(row: Option<&Numbers>) -> String {
    count(row.and_then(|row| row.instructions))
}

fn ratio(row: Option<&Numbers>) -> String {
    number(row.and_then(|row| row.ratio))
}

fn spread(row: Option<&Numbers>) -> String {
    row.map_or_else(
        || number(None),
        |row| format!("{}–{}", number(Some(row.ns_min)), number(Some(row.ns_max))),
    )
}
