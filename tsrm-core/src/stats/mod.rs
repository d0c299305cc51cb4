//! Statistics: process-wide sets, at the cost of `+=`.
//!
//! A set is declared as an enum ([`Statistic`]) and, in a module, as a handle to count by
//! ([`Statistics`](struct@crate::Statistics)). Objects may have sets of their own: [`OwnedStatistics`] those with
//! one owner, [`SharedStatistics`] those that many threads use at once. What is read is a [`Snapshot`];
//! [`all`] reads every set of the process, [`prometheus`] and [`open_metrics`] write them down.

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
mod item;
mod list;
mod owned;
mod read;
pub(crate) mod set;
pub(crate) mod shard;
mod shards;
mod shared;
mod snapshot;
mod statistic;
pub(crate) mod sums;

pub use declaration::{StatisticsDeclaration, StatisticsDescriptor, StatisticsRef};
pub use export::{OPEN_METRICS_CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE, open_metrics, prometheus};
pub use gauge::GaugeGuard;
pub use handle::{Anywhere, Local, Meter, Statistics};
pub use item::{CellArray, Counting, Item, Kind, cell_count, lay_out};
pub use owned::OwnedStatistics;
pub use read::{all, find};
pub use shared::SharedStatistics;
pub use snapshot::{Bucket, Histogram, PerThread, Reading, SetState, Snapshot, Value};
pub use statistic::{DefinitionSlot, Statistic, Switched, cells_of};

pub use crate::error::ExportError;
