//! What is asked of the operating system. The only home of `cfg(target_os)`, `cfg(unix)` and the
//! like.
//!
//! Each file supplies [`install`], [`arm_exit_backstop`], [`HAS_EXIT_BACKSTOP`] and
//! [`EXIT_ROUNDS`].

#[cfg(unix)]
#[path = "unix.rs"]
mod imp;

#[cfg(not(unix))]
#[path = "other.rs"]
mod imp;

pub(crate) use imp::{EXIT_ROUNDS, HAS_EXIT_BACKSTOP, arm_exit_backstop, install};
