//! The exit guard: what makes a thread that ends without detaching let go of its globals.
//!
//! Two layers (I7). A TLS destructor, which runs before most other teardown of the thread; and
//! behind it the operating system's own thread-exit hook, for threads that attach so late that the
//! TLS destructor has run already or never will: from other TLS destructors, or from destructors of
//! pthread keys. Nobody else looks at the values of a thread that attaches so late: in the very last
//! round of key destructors its entry may stay behind, and the values are gone with the thread.

use std::cell::Cell;

use super::entry::{Phase, ThreadEntry};
use super::{current, teardown};
use crate::error::AttachError;
use crate::fault;
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
    if has_exited() || (is_late() && !sys::HAS_EXIT_BACKSTOP) {
        return Err(AttachError::ThreadExiting);
    }
    sys::arm_exit_backstop().map_err(AttachError::System)
}

/// Whether this thread's globals are beyond reach for good.
pub(super) fn has_exited() -> bool {
    ROUNDS.get() == EXITED
}

/// How the calling thread stands.
pub(super) struct Standing {
    /// The name that it was spawned with.
    pub(super) name: Option<Box<str>>,
    /// Its TLS destructors have run: it may end before anybody could be told.
    pub(super) is_late: bool,
}

/// Looked at before a registration.
pub(super) fn standing() -> Standing {
    let late = Standing { name: None, is_late: true };
    if is_late() {
        return late;
    }
    // Late in a thread's life std has forgotten it, and panics when asked. That happens where the
    // first layer seems to be still to come, since it was never set up while it could be.
    match fault::catch(|| std::thread::current().name().map(Box::from)) {
        Ok(name) => Standing { name, is_late: false },
        Err(_) => late,
    }
}

/// Whether the first layer has run on this thread, so that only the second one is left. Asking sets
/// the first layer up, if its time has not come yet.
fn is_late() -> bool {
    ROUNDS.get() > 0 || GUARD.try_with(|_| ()).is_err()
}

/// The thread ends, or the process does on this thread.
fn exit() {
    // Again, since what a leave ends with may attach.
    while let Some(entry) = current::entry() {
        if !is_quiet(entry) {
            ROUNDS.set(EXITED);
            return teardown::abandon(entry);
        }
        teardown::leave();
    }
}

fn is_quiet(entry: &ThreadEntry) -> bool {
    entry.gate.depth() == 0 && entry.phase() == Phase::Active
}

/// The second layer, once per round of key destructors in which the thread was armed. That it runs
/// shows that the thread ends, not the process.
pub(crate) fn backstop() {
    exit();
    if let Some(entry) = current::entry() {
        teardown::vanish(entry);
    }
    let rounds = ROUNDS.get().saturating_add(1);
    ROUNDS.set(if rounds >= sys::EXIT_ROUNDS { EXITED } else { rounds });
}
