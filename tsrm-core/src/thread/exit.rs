//! The exit guard: what makes a thread that ends without detaching let go of its globals.
//!
//! Two layers (I7). A TLS destructor, which runs before most other teardown of the thread; and
//! behind it the operating system's own thread-exit hook, for threads that attach so late that the
//! TLS destructor has run already or never will: from other threads' TLS destructors, or from
//! destructors of pthread keys. An attach made in the very last round of key destructors, by a key
//! that comes after ours, is beyond reach: it takes foreign code that re-arms its own key round
//! after round.

use std::cell::Cell;

use super::entry::Phase;
use super::{current, teardown};
use crate::error::AttachError;
use crate::sys;

thread_local! {
    /// Its destructor is the first layer.
    static GUARD: ExitGuard = const { ExitGuard };
    /// How often the second layer has run here; [`EXITED`] once nothing would run any more.
    static ROUNDS: Cell<u8> = const { Cell::new(0) };
}

const EXITED: u8 = u8::MAX;

struct ExitGuard;

impl Drop for ExitGuard {
    fn drop(&mut self) {
        exit();
    }
}

/// Makes sure that [`exit`] will run when the calling thread ends.
pub(super) fn arm() -> Result<(), AttachError> {
    if ROUNDS.get() == EXITED {
        return Err(AttachError::ThreadExiting);
    }
    if !first_layer_stands() && !sys::HAS_EXIT_BACKSTOP {
        return Err(AttachError::ThreadExiting);
    }
    sys::arm_exit_backstop().map_err(AttachError::System)
}

/// The name that the calling thread was spawned with. Late in a thread's life std has forgotten it
/// (and panics when asked), so then it is nameless.
pub(super) fn thread_name() -> Option<Box<str>> {
    if first_layer_stands() { std::thread::current().name().map(Box::from) } else { None }
}

/// Whether the TLS destructor is still to come. Asking also sets it up.
fn first_layer_stands() -> bool {
    GUARD.try_with(|_| ()).is_ok()
}

/// The thread ends.
fn exit() {
    match current::entry() {
        None => {}
        Some(entry) if entry.depth() == 0 && entry.phase() == Phase::Active => teardown::leave(),
        Some(_) => {
            ROUNDS.set(EXITED);
            teardown::abandon();
        }
    }
}

/// The second layer, once per round of key destructors in which the thread was armed.
pub(crate) fn backstop() {
    exit();
    let rounds = ROUNDS.get().saturating_add(1);
    ROUNDS.set(if rounds >= sys::EXIT_ROUNDS { EXITED } else { rounds });
}
