//! Statistics: process-wide sets, at the cost of `+=`.
//!
//! A set is declared as an enum, by [`#[derive(Statistics)]`](derive@crate::Statistics), and in a module as a handle
//! to count by:
//!
//! ```
//! #[tsrm::module]
//! mod server {
//!     use tsrm::Statistics;
//!
//!     #[derive(tsrm::Statistics)]
//!     pub enum Server {
//!         /// Requests that were answered.
//!         #[stat(counter)]
//!         Requests,
//!         /// Requests that are being answered now.
//!         #[stat(gauge)]
//!         ActiveRequests,
//!         /// How long an answer took.
//!         #[stat(histogram, unit = "microseconds", max = 60_000_000)]
//!         AnswerTime,
//!     }
//!
//!     #[statistics]
//!     pub static SERVER: Statistics<Server>;
//! }
//! use server::{SERVER, Server};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tsrm = tsrm::Runtime::start([server::MODULE])?;
//! tsrm.attach(|here| {
//!     let _active = SERVER.open(here, Server::ActiveRequests); // until it is dropped
//!     SERVER.record(here, Server::AnswerTime, 1250);
//!     SERVER.inc(here, Server::Requests);
//! });
//! assert_eq!(SERVER.snapshot().count(Server::Requests), 1);
//! let page = tsrm::stats::prometheus(&tsrm::stats::all())?;
//! assert!(page.contains("server_requests_total 1\n"));
//! # Ok(()) }
//! ```
//!
//! | to count | use |
//! |---|---|
//! | for the process, with the token | [`Statistics`](struct@crate::Statistics) |
//! | … in a tight loop | [`Statistics::local`](crate::Statistics::local) |
//! | … without a token: in a `Drop`, on a thread that is not attached | [`Statistics::anywhere`](crate::Statistics::anywhere) |
//! | for an object that one thread at a time uses, and for the process | [`OwnedStatistics`] |
//! | for an object that many threads use, or that others read meanwhile | [`SharedStatistics`] |
//!
//! | to read | use |
//! |---|---|
//! | one set | [`Statistics::snapshot`](crate::Statistics::snapshot), [`Statistics::per_thread`](crate::Statistics::per_thread), the objects' `snapshot` |
//! | what came since | [`Snapshot::since`], [`Statistics::meter`](crate::Statistics::meter) |
//! | every set, one by name | [`all`], [`find`] |
//! | for Prometheus | [`prometheus`], [`open_metrics`] |
//! | as JSON and the like | a [`Snapshot`] is `serde::Serialize`: a map of the names |
//! | from C | [`C_HEADER`] |
//!
//! A statistic is used by the methods of its kind: `add` and `inc` count in counters, `open` makes a guard of a gauge,
//! `raise` raises a peak, `record` takes a value into a histogram. Others panic (if the set counts); where the variant
//! is written out, the compiler knows that they will or will not, and no check is left.
//!
//! The buckets of a histogram are exact up to 7; from there on each power of two is cut into four, so a
//! bucket is at most a quarter as wide as its lower end. One up to 60,000,000 has 105 of them, without a `max` 252; a
//! set has one number of 8 bytes for each, two for a gauge, one for any other statistic. Each thread of the process
//! has all of the declared sets, and so has each object that has one of its own.

mod c;
pub(crate) mod cells;
mod count;
pub(crate) mod declaration;
mod definition;
mod description;
mod export;
mod gauge;
mod handle;
mod histogram;
pub(crate) mod item;
mod list;
mod owned;
mod read;
pub(crate) mod set;
pub(crate) mod shard;
mod shards;
mod shared;
mod snapshot;
pub(crate) mod statistic;
pub(crate) mod sums;

pub use declaration::StatisticsDeclaration;
pub use export::{OPEN_METRICS_CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE, open_metrics, prometheus};
pub use gauge::GaugeGuard;
pub use handle::{Anywhere, Local, Meter, Statistics};
pub use item::Kind;
pub use owned::OwnedStatistics;
pub use read::{all, find};
pub use shared::SharedStatistics;
pub use snapshot::{Bucket, Histogram, PerThread, Reading, SetState, Snapshot, Value};
pub use statistic::{Statistic, Switched};

pub use crate::error::ExportError;

/// The C header `tsrm.h`, to be written to where a C compiler finds it: by a build script, say. The file is also
/// in this package, as `include/tsrm.h`. What it declares is exported by every `cdylib` that has this crate in it.
pub const C_HEADER: &str = include_str!("../../include/tsrm.h");
