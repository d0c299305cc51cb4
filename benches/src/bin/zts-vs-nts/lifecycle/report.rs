//! The results as people read them.

use super::PROFILE;
use super::results::Numbers;
use super::rows::{Kind, ROWS, Row};
use super::targets;
use crate::builds::Mode;
use crate::machine::Machine;
use crate::report::{line, write_end};
use crate::table::{Table, count, number};

const INTRODUCTION: &str = "\
What it costs to reach what threads share, and that modules and resources come and go while threads
run, in the single-threaded build (NTS) and the thread-safe one (ZTS). Times in ns.
";

const READS: &str = "\
Reads of one field, inside an attach:
  static, cached   of a per-thread global in that storage
  table            of a resource that was registered at run time
  shared, …-lazy   of a value for all threads, built by the module's start or by its first use
  arc-swap, …      by `ArcSwap::load`, by `crossbeam_epoch::pin` and a load, under a read lock of
                   std, by `OnceCell::get`: nobody writes, no other thread reads
  attach-again     not a read: an attach and its end, on a registered thread
  empty            nothing: what a call costs, which is in every row
";

const OPERATIONS: &str = "\
What comes and goes, by a registered thread at depth 0:
  register, retire a module with one cached global and one shared value
  touch-…          a thread's first use of such a late global: with the attach that it is the first
                   thing in; in the middle of an attach that was there before the module
  resource         to register and release one; …-touched: with an attach that uses it in between
  quiesce          a grace period
  …-asleep, …-busy beside so many threads that sleep at depth 0; that attach in a loop
";

const READERS: &str = "\
Beside 1,000 modules that come and go, one each half millisecond where the machine is fast enough, 64
readers (in NTS, 1) that attach again and again, and let others have their core in between:
  read             of a cached global inside the attach, 100 in each
  attach           the way in, up to the first read, and the way out, from the last one
  99.9, longest    at most so long took 99.9 % of them, and all of them
  …-own            less the time in which that reader was ready to run and had no core
  control          the same for as long, without modules that come and go
";

const LEGEND: &str = "\
Read rows: one operation, called from a loop; differences below some 0.3 ns are those of code alignment.
net: less the call itself, which is the row empty in the same round. instr.: instructions of the
operation with its `ret`, counted by callgrind. ratio: of ZTS to arc-swap, the median of the ratios
within each round.
All times are medians of the rounds; a round takes the median of at least 3 times (reading the clock,
20 to 30 ns, is in it), but of readers it takes what is said. A hundred globals more are declared.
Busy threads that outnumber the cores stand still most of the time, many of them in the middle of an
attach, and there is no way to be past that before each of them had its turn: with 16 or 64 of them on
a few cores, retire and quiesce take a round or two of the scheduler. To retire also waits for all that
have begun with the module, as busy threads have.
With more readers than cores the longest is the scheduler's too, so look at its control. The own time is
that by the clock less what Linux counts as waiting for a core (schedstat). In it is what the time on
the processor alone would hide: a reader that sleeps on a lock, perhaps for a round of the scheduler, if
the lock's holder has lost its core. In it are also interrupts, such as those by which a retire makes
the other cores fence. An attach is where a reader meets what has come, one after the other of up to 128
modules, and lets go of what goes.
";

/// The three tables, what they mean, and the verdicts.
pub(super) fn of(results: &[Numbers], machine: &Machine, rounds: u32) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{INTRODUCTION}\n{PROFILE}, rounds: {rounds}\n"));
    for (introduction, table) in
        [(READS, reads(results)), (OPERATIONS, operations(results)), (READERS, readers(results))]
    {
        line(&mut text, format_args!("{introduction}\n{table}"));
    }
    line(&mut text, format_args!("{LEGEND}"));
    write_end(&mut text, machine, &targets::of(results));
    text
}

fn reads(results: &[Numbers]) -> Table {
    let mut table = Table::new([
        "",
        "NTS",
        "min–max",
        "net",
        "instr.",
        "ZTS",
        "min–max",
        "net",
        "instr.",
        "ratio",
    ]);
    for row in rows(&[Kind::Empty, Kind::Read]) {
        let [nts, zts] = both(results, row.name);
        table.row([
            row.name.to_owned(),
            ns(nts),
            spread(nts),
            number(nts.and_then(|row| row.ns_net)),
            count(nts.and_then(|row| row.instructions)),
            ns(zts),
            spread(zts),
            number(zts.and_then(|row| row.ns_net)),
            count(zts.and_then(|row| row.instructions)),
            zts.and_then(|row| row.ratio)
                .map_or_else(|| number(None), |ratio| format!("{ratio:.3}")),
        ]);
    }
    table
}

fn operations(results: &[Numbers]) -> Table {
    let mut table = Table::new(["", "NTS", "min–max", "ZTS", "min–max"]);
    for row in rows(&[Kind::Operation]) {
        let [nts, zts] = both(results, row.name);
        table.row([row.name.to_owned(), ns(nts), spread(nts), ns(zts), spread(zts)]);
    }
    table
}

fn readers(results: &[Numbers]) -> Table {
    let mut table = Table::new(["", "NTS", "control", "ZTS", "control"]);
    for row in rows(&[Kind::Reader]) {
        let [nts, zts] = both(results, row.name);
        let [nts_control, zts_control] = both(results, &format!("{}-control", row.name));
        table.row([row.name.to_owned(), ns(nts), ns(nts_control), ns(zts), ns(zts_control)]);
    }
    table
}

fn rows(kinds: &'static [Kind]) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| kinds.contains(&row.kind))
}

/// A row in each mode, if it is there.
fn both<'r>(results: &'r [Numbers], name: &str) -> [Option<&'r Numbers>; 2] {
    Mode::ALL.map(|mode| results.iter().find(|row| row.mode == mode && row.name == name))
}

fn ns(row: Option<&Numbers>) -> String {
    number(row.map(|row| row.ns))
}

fn spread(row: Option<&Numbers>) -> String {
    row.map_or_else(
        || number(None),
        |row| format!("{}–{}", number(Some(row.ns_min)), number(Some(row.ns_max))),
    )
}
