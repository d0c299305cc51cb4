//! Measures one build. Its arguments are those of `zts-vs-nts`, which runs it; it prints one line
//! of JSON per row:
//!
//! - `tsrm-workload time`: `{"row":"zts-static","ns":1.3}`
//! - `tsrm-workload count N`: runs each row `N` times, to be counted under callgrind, and says which
//!   calls to look for: `{"row":"zts-static","caller":"row_static","callee":"op_static"}`

#![forbid(unsafe_code)]

mod clock;
mod rows;

use std::process::ExitCode;
use std::time::Duration;

use tsrm::Runtime;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run: &dyn Fn(Runtime) = match arguments[..] {
        ["time"] => &time,
        ["count", n] => match n.parse() {
            Ok(n) => &move |tsrm| count(tsrm, n),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    let tsrm = tsrm_workload::start().expect("nothing has started a runtime yet");
    run(tsrm);
    let report = tsrm.shutdown(Duration::from_secs(1)).expect("this thread is at depth 0");
    assert!(report.is_clean(), "{report}");
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: tsrm-workload time | tsrm-workload count N");
    ExitCode::from(2)
}

fn time(tsrm: Runtime) {
    for row in rows::all() {
        rows::warm_up(tsrm);
        println!(r#"{{"row":"{}","ns":{:.4}}}"#, row.name, row.time(tsrm));
    }
}

fn count(tsrm: Runtime, n: u64) {
    for row in rows::all() {
        rows::warm_up(tsrm);
        row.count(tsrm, n);
        println!(r#"{{"row":"{}","caller":"{}","callee":"{}"}}"#, row.name, row.row, row.op);
    }
}
