//! The error of writing statistics down.

#![deny(unsafe_code)]

use std::error::Error as StdError;
use std::fmt;

/// Why snapshots cannot be written down together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportError {
    /// A snapshot is one of an object's set, which has neither a module nor a name to be written under. What
    /// objects count is also in the process-wide set.
    Unnamed {
        /// Its place among the snapshots.
        index: usize,
    },
    /// Two statistics would be written under one name, and no reader takes that. The names of module, set and
    /// statistic come to the same, as `a_b` and `c` with `a` and `b_c`; or the snapshots have a set twice, or
    /// two builds of it, of which [`all`](crate::stats::all) has only the one that came up last.
    Duplicate {
        /// The name: a statistic's, or one of those that its kind makes of it (`…_count`).
        name: String,
    },
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unnamed { index } => write!(
                f,
                "snapshot {index} is one of an object's set, which has no name to be exported under: export \
                 the process-wide set, in which the object's counts are too"
            ),
            Self::Duplicate { name } => write!(
                f,
                "`{name}` would be exported twice: leave out one of the snapshots, or give a module another \
                 name with `#[tsrm::module(name = \"…\")]`"
            ),
        }
    }
}

impl StdError for ExportError {}
