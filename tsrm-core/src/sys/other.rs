//! Systems without pthreads: no second layer behind the TLS destructor, and no fork.

#![deny(unsafe_code)]

use std::io;

use super::Handlers;

/// Without it, a thread whose TLS destructor has run cannot attach again.
pub(crate) const HAS_EXIT_BACKSTOP: bool = false;

/// Rounds of thread-exit hooks.
pub(crate) const EXIT_ROUNDS: u8 = 1;

/// Nothing to set up.
pub(crate) fn install(_handlers: Handlers) -> io::Result<()> {
    Ok(())
}

/// Nothing to arm.
pub(crate) fn arm_exit_backstop() -> io::Result<()> {
    Ok(())
}
