//! The results as people read them.

use super::results::{Numbers, Results};
use super::rows::{CONTENDED, FLOOR, FREE, HALF, ROWS, SUX, THREADS};
use super::targets;
use crate::builds::Mode;
use crate::machine::Machine;
use crate::report::{line, write_end};
use crate::table::{Table, number};

const INTRODUCTION: &str = "\
What it costs to take a lock that nobody else wants, and to give it back, in the single-threaded build (NTS)
and the thread-safe one (ZTS); what many threads get done with one lock (ZTS); and how long they wait.
  floor            two locked instructions, `cmpxchg` and `xadd`, which is what a lock cannot do without
  SuxLock          shared (S), update (U) and exclusive (X) access, and U upgraded to X and back
  SrwMutex         X only
  raw-…            the locks beneath them by `lock_api`, without a token; the same in both builds
  parking_lot-…    version 0.13, and 0.12
";

const FREE_LEGEND: &str = "\
ns on the processor for taking and giving back, in a loop that does nothing else: the median of the rounds, in
each of which all rows take turns. floor: to the two locked instructions. best: to the best peer, of a mutex to
the best mutex; the median of the ratios within each round.
";

const CONTENDED_LEGEND: &str = "\
Millions of operations per second, of so many threads together. 99/1 and 50/50: so many read and write; U-mix:
20 % are for update, of which 5 % are upgraded; X-empty: all write, and do nothing. In the others a section takes
200 ns. Locks without U use X, mutexes do for everything. best: ours to the best peer.
";

const WAITS_LEGEND: &str = "\
How long those wait that want it for update or exclusively: p50 / p99 / p99.9 / max in ms, each the median of the
rounds. In X-empty, of every 64th. No longer one can be seen than the threads run: 80 ms, and at 50/50 with 64
threads 320 ms. Locks whose waiters sleep while one thread goes on look fast in the tables above: look here.
";

/// The tables, what they mean, and the verdicts.
pub(super) fn of(results: &Results, machine: &Machine, rounds: u32) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{INTRODUCTION}"));
    line(&mut text, format_args!("free locks, fat-lto, rounds: {rounds}\n\n{}", free(results)));
    line(&mut text, format_args!("{FREE_LEGEND}"));
    for workload in CONTENDED {
        line(&mut text, format_args!("{workload}\n\n{}", throughput(results, workload)));
    }
    line(&mut text, format_args!("{CONTENDED_LEGEND}"));
    line(
        &mut text,
        format_args!("all of that: geometric mean, the median of the rounds\n\n{}", means(results)),
    );
    line(&mut text, format_args!("{}", cores(results, machine)));
    for workload in CONTENDED {
        line(&mut text, format_args!("{workload}: writers' waits\n\n{}", waits(results, workload)));
    }
    line(&mut text, format_args!("{HALF}: readers' waits\n\n{}", readers(results)));
    line(&mut text, format_args!("{WAITS_LEGEND}"));
    write_end(&mut text, machine, &targets::of(results));
    text
}

fn free(results: &Results) -> Table {
    let mut table = Table::new([
        "ns", "S", "U", "X", "U-X-U", "floor: S", "U", "X", "best: S", "U", "X", "U-X-U",
    ]);
    for mode in [Mode::Zts, Mode::Nts] {
        for row in &ROWS {
            let find = |workload| results.find(mode, row.name, workload, 1);
            // The floor is no lock: it stands where mutexes do.
            let [s, u, x, upgraded] =
                if row.name == FLOOR { [None, None, find(FLOOR), None] } else { FREE.map(find) };
            let cells = [s, u, x, upgraded];
            if cells.iter().all(Option::is_none) {
                continue;
            }
            let [ns_s, ns_u, ns_x, ns_upgraded] = cells.map(|row| number(row.map(|row| row.ns)));
            let [floor_s, floor_u, floor_x] =
                [s, u, x].map(|row| number(row.and_then(|row| row.to_floor)));
            let [best_s, best_u, best_x, best_upgraded] = cells.map(ratio);
            table.row([
                format!("{mode} {}", row.name),
                ns_s,
                ns_u,
                ns_x,
                ns_upgraded,
                floor_s,
                floor_u,
                floor_x,
                best_s,
                best_u,
                best_x,
                best_upgraded,
            ]);
        }
    }
    table
}

fn throughput(results: &Results, workload: &str) -> Table {
    let mut table = Table::new(["threads", "2", "4", "16", "64", "best: 2", "4", "16", "64"]);
    for (name, cells) in contended(results, workload) {
        let [two, four, sixteen, many] = cells.map(|row| number(row.map(|row| row.mops)));
        let [best_two, best_four, best_sixteen, best_many] = cells.map(ratio);
        table.row([
            name.to_owned(),
            two,
            four,
            sixteen,
            many,
            best_two,
            best_four,
            best_sixteen,
            best_many,
        ]);
    }
    table
}

fn waits(results: &Results, workload: &str) -> Table {
    let mut table = Table::new(["threads", "2", "4", "16", "64"]);
    for (name, cells) in contended(results, workload) {
        let [two, four, sixteen, many] = cells.map(|row| {
            row.map_or_else(
                || number(None),
                |row| joined([row.wait_p50_ms, row.wait_p99_ms, row.wait_p999_ms, row.wait_max_ms]),
            )
        });
        table.row([name.to_owned(), two, four, sixteen, many]);
    }
    table
}

/// p99 and max.
fn readers(results: &Results) -> Table {
    let mut table = Table::new(["threads, p99 / max", "2", "4", "16", "64"]);
    for (name, cells) in contended(results, HALF) {
        let [two, four, sixteen, many] = cells.map(|row| {
            row.map_or_else(
                || number(None),
                |row| joined([row.read_wait_p99_ms, row.read_wait_max_ms]),
            )
        });
        table.row([name.to_owned(), two, four, sixteen, many]);
    }
    table
}

fn means(results: &Results) -> Table {
    let mut table = Table::new(["", "M/s", "best"]);
    for mean in &results.means {
        table.row([mean.name.to_owned(), number(Some(mean.mops)), number(mean.ratio)]);
    }
    table
}

/// Whether the machine was there for the threads.
fn cores(results: &Results, machine: &Machine) -> String {
    let of_all = |threads| {
        let cells = CONTENDED.map(|workload| results.find(Mode::Zts, SUX, workload, threads));
        let cores: Vec<f64> =
            cells.iter().filter_map(|row| row.and_then(|row| row.cores)).collect();
        cores.iter().sum::<f64>() / cores.len().max(1) as f64
    };
    let cores = THREADS.map(|threads| (threads, of_all(threads)));
    let told = cores.map(|(threads, cores)| format!("{threads} on {cores:.1}")).join(", ");
    let has_others = |(threads, cores)| {
        let there = machine.cores.unwrap_or(1).min(threads as usize);
        cores < 0.8 * there as f64
    };
    let warning = if cores.into_iter().any(has_others) {
        "\nOthers were on the machine: threads that do not run at once do not meet. See little in these tables."
    } else {
        ""
    };
    format!("SuxLock's threads were on so many cores at once: {told}.{warning}\n")
}

/// The locks that have it.
fn contended<'r>(
    results: &'r Results,
    workload: &'r str,
) -> impl Iterator<Item = (&'static str, [Option<&'r Numbers>; 4])> {
    ROWS.iter().filter_map(move |row| {
        let cells = THREADS.map(|threads| results.find(Mode::Zts, row.name, workload, threads));
        cells.iter().any(Option::is_some).then_some((row.name, cells))
    })
}

fn ratio(row: Option<&Numbers>) -> String {
    number(row.and_then(|row| row.ratio))
}

fn joined<const N: usize>(waits: [Option<f64>; N]) -> String {
    waits.map(milliseconds).join(" / ")
}

/// From less than a microsecond to many milliseconds.
fn milliseconds(wait: Option<f64>) -> String {
    match wait {
        None => number(None),
        Some(wait) if wait < 0.0005 => "0".to_owned(),
        Some(wait) if wait < 0.0995 => format!("{wait:.3}"),
        Some(wait) if wait < 9.95 => format!("{wait:.1}"),
        Some(wait) => format!("{wait:.0}"),
    }
}
