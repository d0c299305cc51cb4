//! What the binaries have in common: their arguments, which are those that `zts-vs-nts` runs them
//! with, and what they print, one line of JSON per row.
//!
//! - `… time`: `{"row":"zts-static","ns":1.3}`
//! - `… count N`: runs each row `N` times, to be counted under callgrind, and says which calls to
//!   look for: `{"row":"zts-static","caller":"row_static","callee":"op_static"}`

pub mod clock;
pub mod cpu;
pub mod row;

use std::process::ExitCode;
use std::time::Duration;

use tsrm::Runtime;

/// Runs one of the two in a runtime with the modules of [`start`](crate::start).
///
/// # Panics
/// A runtime runs already, or something is left behind in this one.
pub fn main(time: fn(Runtime), count: fn(Runtime, u64)) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["time"] => run(time),
        ["count", n] => match n.parse() {
            Ok(n) => run(|tsrm| count(tsrm, n)),
            Err(_) => usage(),
        },
        _ => usage(),
    }
}

/// Runs something else likewise.
///
/// # Panics
/// As [`main`].
pub fn run(run: impl FnOnce(Runtime)) -> ExitCode {
    let tsrm = crate::start().expect("nothing has started a runtime yet");
    run(tsrm);
    let report = tsrm.shutdown(Duration::from_secs(1)).expect("this thread is at depth 0");
    assert!(report.is_clean(), "{report}");
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: … time | … count N");
    ExitCode::from(2)
}

/// Prints the time of a row.
pub fn print(row: &str, ns: f64) {
    println!(r#"{{"row":"{row}","ns":{ns:.4}}}"#);
}
