//! Rows whose operation is run many times, in one harness.
//!
//! An operation is a function `op_…` that is never inlined, and a row is a function `row_…` that is
//! never inlined either and calls it `n` times. So nothing can be hoisted out of the loop or folded
//! over its iterations: not the address of a TLS variable, not a cached pointer, not ten increments
//! to one. That is what an interpreter's opcode pays, which is a call of its own. What it does not
//! show is a loop that takes the reference once: there all rows are alike.
//!
//! The price is a call and a return in every row, which hide part of the operation on an
//! out-of-order machine. The rows `…empty` are that price alone. `zts-vs-nts` shows each row as
//! measured and also less that one.
//!
//! Instructions are counted in the operation alone, as the inclusive cost of the calls from the row
//! to it: with its `ret`, without the row's `call` and loop.
//!
//! The names of the functions are looked for in callgrind's output, in which they are mangled: an
//! operation's name must not be the beginning of other words.

use std::time::Duration;

use tsrm::Runtime;

use super::{clock, print};

/// Of 2 ms each; the median counts.
const BATCHES: usize = 11;
/// For each of the layouts.
const LAYOUT_BATCHES: usize = 3;

/// One row of the results.
#[derive(Debug)]
pub struct Row {
    /// Its name in the results.
    pub name: &'static str,
    /// The function that calls `op`, for callgrind.
    pub row: &'static str,
    /// The function that is the operation.
    pub op: &'static str,
    /// How it is run.
    pub kind: Kind,
}

/// How often an operation can be run.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any number of times on one thread.
    Loop(fn(Runtime, u64)),
    /// The same, in several layouts of the code: the median of them.
    Layouts([fn(Runtime, u64); 8]),
    /// Once per thread; on a fresh one, and says how long it took.
    Once(fn(Runtime) -> Duration),
}

/// A vector of rows: `name => Kind(argument): row_function op_function, …`
#[macro_export]
macro_rules! rows {
    ($($name:expr => $kind:ident($argument:expr): $row:ident $op:ident),+ $(,)?) => {
        vec![$($crate::harness::row::Row {
            name: $name,
            row: stringify!($row),
            op: stringify!($op),
            kind: $crate::harness::row::Kind::$kind($argument),
        }),+]
    };
}

impl Row {
    /// Prints the nanoseconds per operation.
    pub fn time(&self, tsrm: Runtime) {
        let ns = match self.kind {
            Kind::Loop(run) => clock::per_iteration(BATCHES, |n| run(tsrm, n)),
            Kind::Layouts(runs) => {
                let time =
                    |run: fn(Runtime, u64)| clock::per_iteration(LAYOUT_BATCHES, |n| run(tsrm, n));
                clock::median(runs.map(time).to_vec())
            }
            Kind::Once(run) => clock::per_thread(|| run(tsrm)),
        };
        print(self.name, ns);
    }

    /// Runs the operation `n` times, and prints where.
    pub fn count(&self, tsrm: Runtime, n: u64) {
        match self.kind {
            Kind::Loop(run) => run(tsrm, n),
            Kind::Layouts(runs) => runs.iter().for_each(|run| run(tsrm, n)),
            Kind::Once(run) => (0..n).for_each(|_| {
                run(tsrm);
            }),
        }
        println!(r#"{{"row":"{}","caller":"{}","callee":"{}"}}"#, self.name, self.row, self.op);
    }
}
