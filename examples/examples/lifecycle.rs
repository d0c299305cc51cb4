//! The life of a runtime: all six hooks, settings, faults, shutdown and reports.
#![forbid(unsafe_code)]

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tsrm::{Attached, Interrupt, Runtime};

#[tsrm::module]
mod journal {
    use std::cell::RefCell;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tsrm::{Attached, Error, Shutdown, Startup};

    /// What happened, in order. Not a global of a thread but a plain static of the process, so it
    /// locks.
    pub(crate) static EVENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// A setting. The startup hook writes it before any thread reads it.
    static LIMIT: AtomicUsize = AtomicUsize::new(0);

    /// The lines that this thread has not written out yet.
    #[global]
    pub(crate) static LINES: RefCell<Lines> = RefCell::new(Lines(Vec::new()));

    /// Lines that want to be written out.
    pub(crate) struct Lines(Vec<String>);

    impl Drop for Lines {
        fn drop(&mut self) {
            // A destructor may not use globals any more. And it should not panic; this one does, to
            // show where the panic goes (its message also goes to standard error, as any panic's).
            assert!(self.0.is_empty(), "{} line(s) were not written", self.0.len());
        }
    }

    /// Adds a line; beyond the limit it is dropped.
    pub(crate) fn write(here: Attached<'_>, line: &str) {
        LINES.with_borrow_mut(here, |lines| {
            if lines.0.len() < LIMIT.load(Ordering::Relaxed) {
                lines.0.push(line.to_owned());
            }
        });
    }

    fn happened(event: impl Into<String>) {
        EVENTS.lock().expect("no panic inside").push(event.into());
    }

    /// First of all, on the thread that starts the runtime. No thread is attached yet, so there is
    /// no token: this is for what the whole process shares. An error keeps the runtime from
    /// starting.
    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        LIMIT.store(phase.setting("limit")?.unwrap_or(100), Ordering::Relaxed);
        happened("module up");
        Ok(())
    }

    /// On each thread, inside its first attach. An error keeps the thread from attaching.
    #[thread_startup]
    fn born(_here: Attached<'_>) -> Result<(), Error> {
        happened("thread up");
        Ok(())
    }

    /// At the beginning of each request. An error refuses the request.
    #[request_startup]
    fn begin(here: Attached<'_>) -> Result<(), Error> {
        write(here, "begin");
        happened("request up");
        Ok(())
    }

    /// At the end of each request, also of one that panicked.
    #[request_shutdown]
    fn end(here: Attached<'_>) {
        let lines = LINES.with_borrow_mut(here, |lines| std::mem::take(&mut lines.0));
        happened(format!("request down: {}", lines.join(" ")));
    }

    /// Before a thread's values are dropped: the last moment in which globals can be used.
    #[thread_shutdown]
    fn dies(_here: Attached<'_>) {
        happened("thread down");
    }

    /// Last of all, when every thread has left or the deadline is over.
    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        happened(format!("module down, {} straggler(s)", phase.stragglers().len()));
    }
}

/// A request that goes on until somebody wants it to stop. Returns why.
fn long_request(here: Attached<'_>) -> Option<Interrupt> {
    while !here.interrupted() {
        std::hint::spin_loop();
    }
    here.take_interrupt()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What `#[tsrm::main]` does by itself, written out.
    let faults = Arc::new(Mutex::new(Vec::new()));
    let tsrm = Runtime::builder()
        .module(journal::MODULE)
        .set("journal.limit", 2)
        .on_fault({
            // Nobody waits for the result of a shutdown hook or a destructor. A panic in one is
            // caught, told here, and the others still run.
            let faults = Arc::clone(&faults);
            move |fault| faults.lock().expect("no panic inside").push(fault.to_string())
        })
        .start()?;

    tsrm.request(|here| {
        journal::write(here, "work");
        journal::write(here, "more work, which is beyond the limit");
    });
    // A line outside of all requests: nobody writes it out, so the destructor panics.
    tsrm.attach(|here| journal::write(here, "forgotten"));

    let report = tsrm.report();
    println!("{report}");
    assert_eq!((report.mode, report.faults, report.threads.len()), (tsrm::MODE, 0, 1));

    // This thread lets go of its values. In a single-threaded build, another one can attach now.
    tsrm.detach()?;
    assert_eq!(tsrm.report().faults, 1);

    let (begin, begun) = channel();
    let worker = thread::Builder::new().name("worker".to_owned()).spawn(move || {
        tsrm.request(|here| {
            begin.send(()).expect("main waits");
            long_request(here)
        })
    })?;
    begun.recv()?;
    // Nobody can attach any more; the running request is interrupted, ends, and its thread leaves.
    // A thread that has not left after this time would be named in the report, and its values
    // would stay as they are: the runtime never takes anything away under a running thread.
    let report = tsrm.shutdown(Duration::from_secs(10))?;
    let reason = worker.join().expect("no panic");
    assert_eq!(reason, Some(Interrupt::SHUTDOWN));
    assert!(report.is_clean(), "{report}");

    let events = std::mem::take(&mut *journal::EVENTS.lock()?);
    println!("{}: {}", tsrm::MODE, events.join("; "));
    assert_eq!(
        events,
        [
            "module up",
            "thread up",
            "request up",
            "request down: begin work",
            "thread down",
            "thread up",
            "request up",
            "request down: begin",
            "thread down",
            "module down, 0 straggler(s)",
        ]
    );
    let faults = faults.lock().expect("no panic inside");
    println!("faults: {faults:?}");
    assert_eq!(faults.len(), 1);
    Ok(())
}
