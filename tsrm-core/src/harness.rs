//! What `#[tsrm::main]` and `#[tsrm::test]` run.

#![deny(unsafe_code)]

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::error::refuse;
use crate::mode;
use crate::module::Module;
use crate::runtime::Runtime;

/// How long the end of a `main` or of a test binary's runtime waits for other threads.
const DEADLINE: Duration = Duration::from_secs(5);

/// Starts, runs, shuts down; also when `main` panics. A runtime that does not start ends the
/// process with a message and exit code 1.
pub fn run_main<R>(modules: &[Module], main: impl FnOnce(Runtime) -> R) -> R {
    let tsrm = match Runtime::start(modules.iter().copied()) {
        Ok(tsrm) => tsrm,
        Err(error) => {
            eprintln!("tsrm: {error}");
            std::process::exit(1)
        }
    };
    let result = catch_unwind(AssertUnwindSafe(|| main(tsrm)));
    // The program may have shut it down itself.
    if let Some(report) = tsrm.shutdown(DEADLINE).ok().filter(|report| !report.is_clean()) {
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "tsrm: {report}");
    }
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

/// The runtime that the tests of this process share, by the modules that they ask for.
static TESTS: Mutex<Tests> = Mutex::new(Tests { runtime: None, running: 0 });
static TEST_ENDED: Condvar = Condvar::new();

struct Tests {
    runtime: Option<(Vec<Module>, Runtime)>,
    running: usize,
}

/// Runs a test in a runtime with these modules, which is started for the first one and kept for
/// the others. Tests that list other modules, and in a single-threaded build all tests, wait until
/// those before them have ended. The test's thread is detached at its end.
pub fn run_test<R>(modules: &[Module], test: impl FnOnce(Runtime) -> R) -> R {
    let tsrm = begin_test(modules);
    let result = catch_unwind(AssertUnwindSafe(|| tsrm.detach_after(|| test(tsrm))));
    TESTS.lock().unwrap_or_else(PoisonError::into_inner).running -= 1;
    TEST_ENDED.notify_all();
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

fn begin_test(modules: &[Module]) -> Runtime {
    let mut tests = TESTS.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let fits = tests
            .runtime
            .as_ref()
            .is_some_and(|(present, tsrm)| present == modules && Runtime::current() == Some(*tsrm));
        let may_join = tests.running == 0 || (fits && !mode::SINGLE_THREADED);
        if !may_join {
            tests = TEST_ENDED.wait(tests).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        if !fits {
            if let Some((_, old)) = tests.runtime.take() {
                let _ = old.shutdown(DEADLINE);
            }
            let tsrm = match Runtime::start(modules.iter().copied()) {
                Ok(tsrm) => tsrm,
                Err(error) => refuse(error),
            };
            tests.runtime = Some((modules.to_vec(), tsrm));
        }
        tests.running += 1;
        if let Some((_, tsrm)) = &tests.runtime {
            return *tsrm;
        }
    }
}
