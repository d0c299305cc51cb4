//! Statistics: how they are counted, that none is lost, who may count and read when.
//!
//! Sets belong to the process and are never reset, so each test has a set of its own, in a module of its own.

mod churn;
mod exact;
mod guards;
mod hooks;
mod kinds;
mod memory;
mod objects;
mod states;
mod switches;
mod texts;
mod together;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use tsrm::stats::{Snapshot, Value};

/// One of each kind, and a second counter.
#[derive(Clone, Copy, Debug, PartialEq, tsrm::Statistics)]
pub(crate) enum Work {
    /// Rows looked at.
    #[stat(counter, unit = "rows")]
    Rows,
    /// Queries run.
    #[stat(counter)]
    Queries,
    /// Connections
    /// open now.
    ///
    /// Not of interest to others.
    #[stat(gauge, name = "connections_open", unit = "connections")]
    Open,
    /// Rows in the largest result.
    #[stat(peak)]
    Largest,
    /// How long queries took.
    #[stat(histogram, unit = "microseconds", max = 100)]
    Time,
}

/// Modules each of which has a set of this.
macro_rules! work {
    ($($name:ident)*) => {
        $(
            #[tsrm::module]
            mod $name {
                #[statistics]
                pub(super) static WORK: Statistics<crate::statistics::Work>;
            }
        )*
    };
}
use work;

/// The numbers of a set: rows, queries, open, largest; of the histogram how many values and their sum.
fn numbers(snapshot: &Snapshot) -> [u64; 6] {
    let count = |statistic| snapshot.count(statistic);
    let Value::Histogram(time) = snapshot.value(Work::Time) else { panic!("{snapshot:?}") };
    let buckets: u64 = time.buckets().map(|bucket| bucket.count).sum();
    assert_eq!((time.count(), count(Work::Time)), (buckets, buckets));
    let [rows, queries] = [Work::Rows, Work::Queries].map(count);
    [rows, queries, count(Work::Open), count(Work::Largest), buckets, time.sum()]
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (None, Some(text)) => (*text).to_owned(),
        (None, None) => "?".to_owned(),
    }
}

/// What it panics with.
#[track_caller]
fn panics<T>(f: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("it did not panic"),
        Err(panic) => said(&*panic),
    }
}

/// Tells the other threads of a test to stop when this one is done, also by a panic.
struct StopAtEnd<'s>(&'s AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// As many threads as the mode allows.
fn threads(count: usize) -> usize {
    if tsrm::SINGLE_THREADED { 1 } else { count }
}
