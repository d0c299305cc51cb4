//! A library that a program in C links: `tests/c.rs` builds both.

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tsrm::Runtime;
use tsrm::stats::GaugeGuard;

/// The module under test.
#[tsrm::module]
pub mod client {
    /// All kinds.
    #[derive(tsrm::Statistics)]
    pub enum Client {
        /// Bytes sent.
        #[stat(counter, unit = "bytes")]
        BytesSent,
        /// Connections open now.
        #[stat(gauge)]
        Connections,
        /// Rows in the largest "result".
        #[stat(peak)]
        LargestResult,
        /// How long queries took.
        #[stat(histogram, unit = "microseconds", max = 10)]
        QueryTime,
    }

    /// The first set.
    #[statistics]
    pub static CLIENT: tsrm::Statistics<Client>;

    /// Nothing is counted.
    #[derive(tsrm::Statistics)]
    #[stat(off)]
    pub enum Off {
        /// Not counted.
        #[stat(counter)]
        Uses,
    }

    /// A set without cells.
    #[statistics]
    pub static OFF: tsrm::Statistics<Off>;

    /// Another set.
    #[derive(tsrm::Statistics)]
    pub enum Second {
        /// Größe.
        #[stat(counter)]
        Uses,
    }

    /// It is the last one.
    #[statistics]
    pub static SECOND: tsrm::Statistics<Second>;
}
use client::{CLIENT, Client, OFF, Off, SECOND, Second};

/// The same module in another version.
#[tsrm::module(name = "client")]
pub mod later {
    /// Only this is left.
    #[derive(tsrm::Statistics)]
    pub enum Client {
        /// Queries.
        #[stat(counter)]
        Queries,
    }

    /// Named as before.
    #[statistics]
    pub static CLIENT: tsrm::Statistics<Client>;
}

/// What is open until [`host_close`].
static OPEN: Mutex<Vec<GaugeGuard<Client>>> = Mutex::new(Vec::new());

/// 0, or -1.
fn answer(is_done: bool) -> c_int {
    if is_done { 0 } else { -1 }
}

/// With the running runtime.
fn run<R>(f: impl FnOnce(Runtime) -> Option<R>) -> c_int {
    answer(Runtime::current().and_then(f).is_some())
}

/// Which build this is.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_is_single_threaded() -> c_int {
    c_int::from(tsrm::SINGLE_THREADED)
}

/// Starts the runtime.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_start() -> c_int {
    answer(Runtime::start([client::MODULE]).is_ok())
}

/// Calls a function inside an attach.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_attach(f: extern "C" fn(*mut c_void), data: *mut c_void) -> c_int {
    run(|tsrm| tsrm.try_attach(|_| f(data)).ok())
}

/// Adds to a counter.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_add(bytes: u64) -> c_int {
    run(|tsrm| tsrm.try_attach(|here| CLIENT.add(here, Client::BytesSent, bytes)).ok())
}

/// Counts one of everything.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_count() -> c_int {
    let count = |here: tsrm::Attached<'_>| {
        CLIENT.add(here, Client::BytesSent, 512);
        CLIENT.raise(here, Client::LargestResult, 20);
        CLIENT.record(here, Client::QueryTime, 9);
        CLIENT.record(here, Client::QueryTime, 1000);
        OFF.inc(here, Off::Uses);
        SECOND.inc(here, Second::Uses);
        let open = CLIENT.open(here, Client::Connections);
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).push(open);
    };
    run(|tsrm| tsrm.try_attach(count).ok())
}

/// Closes one of what was opened.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_close() -> c_int {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner).pop();
    answer(open.is_some())
}

/// Detaches the calling thread.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_detach() -> c_int {
    run(|tsrm| tsrm.detach().ok())
}

/// Retires the module.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_retire() -> c_int {
    let retire = |tsrm: Runtime| tsrm.retire(client::MODULE, Duration::from_secs(5)).ok();
    run(|tsrm| retire(tsrm).filter(|retired| retired.is_done()))
}

/// Registers its later version.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_register_later() -> c_int {
    run(|tsrm| tsrm.register(later::MODULE).ok())
}

/// Shuts the runtime down.
// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
pub extern "C" fn host_shutdown() -> c_int {
    let shut_down = |tsrm: Runtime| tsrm.shutdown(Duration::from_secs(5)).ok();
    run(|tsrm| shut_down(tsrm).filter(|report| report.is_clean()))
}
