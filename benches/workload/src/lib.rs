//! The globals that the benches measure, in a crate of their own: a global is mostly used in
//! another crate than the one that declares it, and that is where builds without link-time
//! optimisation pay.
//!
//! - [`globals`]: one struct, in static and in cached storage;
//! - [`peers`]: the same struct in what one would use without `tsrm`;
//! - [`crowd`]: a hundred globals that nobody uses, since a thread's first attach visits them all;
//! - [`vm`]: a stack machine that keeps all its state in globals;
//! - [`settings`]: one struct for all threads to read, as a shared value and in its peers;
//! - `statistics`: sets of counters, ours and its peers', with the feature `stats`;
//! - `locks`: ours and their peers, with the feature `locks`.
//!
//! A binary per subcommand of `zts-vs-nts` measures them, with what is in [`harness`]; the criterion
//! benches use them too.

#![deny(unsafe_code)]

pub mod crowd;
pub mod globals;
pub mod harness;
#[cfg(feature = "locks")]
pub mod locks;
pub mod peers;
pub mod settings;
#[cfg(feature = "stats")]
pub mod statistics;
pub mod vm;

use tsrm::{Runtime, StartError};

/// Starts the runtime with all modules of this crate but those of [`settings`] and `statistics`.
///
/// # Errors
/// As [`Runtime::start`].
pub fn start() -> Result<Runtime, StartError> {
    Runtime::start([
        globals::executor::MODULE,
        crowd::unused::MODULE,
        vm::in_static::MODULE,
        vm::in_cached::MODULE,
    ])
}
