//! From running to stopped.

use std::fmt;
use std::time::{Duration, Instant};

use super::Runtime;
use crate::error::{DetachError, ShutdownError};
use crate::fault;
use crate::registry::{Life, REGISTRY};
use crate::retire;
use crate::thread::entry::Phase;
use crate::thread::identity::Straggler;
use crate::thread::{attach, current};

/// How a shutdown went.
#[derive(Clone, Debug)]
#[must_use = "stragglers are named here and nowhere else"]
#[non_exhaustive]
pub struct ShutdownReport {
    /// The threads that were still registered at the deadline. Their values exist on; each drops
    /// its own, without hooks, when it next reaches depth 0, tries to attach, waits for others, or exits. If one of them was
    /// inside an attach, the shared values that it may have seen are leaked.
    pub stragglers: Vec<Straggler>,
    /// The modules that other threads were still starting or stopping at the deadline. They finish that on
    /// their own: a start is refused and taken back. The shared values of all modules are leaked, since
    /// theirs may stand on them.
    pub unfinished: Vec<&'static str>,
}

impl ShutdownReport {
    /// Whether every thread had left, and no module was in the middle of something.
    pub fn is_clean(&self) -> bool {
        self.stragglers.is_empty() && self.unfinished.is_empty()
    }
}

impl fmt::Display for ShutdownReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_clean() {
            return f.write_str("all threads have left");
        }
        write!(f, "{} thread(s) have not left", self.stragglers.len())?;
        if !self.unfinished.is_empty() {
            write!(
                f,
                ", modules in the middle of a start or stop: {}",
                self.unfinished.join(", ")
            )?;
        }
        if !self.stragglers.is_empty() {
            f.write_str(":")?;
        }
        self.stragglers.iter().try_for_each(|straggler| write!(f, "\n  {straggler}"))
    }
}

impl Runtime {
    /// Shuts the runtime down: nobody attaches any more, running requests are interrupted, this
    /// thread leaves, the others are waited for until `deadline` is over, and the modules are shut
    /// down in reverse. Then another runtime may be started.
    ///
    /// A thread has left when its values are dropped, which only it can do: when it leaves its
    /// outermost attach, tries another one, calls [`detach`](Self::detach), or exits. One that
    /// sleeps registered and does none of these is waited for in vain, and named in the report. A
    /// thread that looks at *this* thread's values ([`Global::for_each_thread`](crate::Global)) is
    /// waited for beyond the deadline.
    ///
    /// # Errors
    /// This runtime is not running (any more), or the calling thread is inside an attach, or in the middle
    /// of starting or stopping a module.
    pub fn shutdown(self, deadline: Duration) -> Result<ShutdownReport, ShutdownError> {
        caller_may_leave()?;
        // A deadline beyond the clock's range is none.
        let deadline = Instant::now().checked_add(deadline);
        if !REGISTRY.begin_shutdown(self.generation) {
            return Err(ShutdownError::NotRunning);
        }
        attach::detach(self.generation).map_err(ShutdownError::Caller)?;
        let change = REGISTRY.wait_and_begin_stop(self.generation, deadline);
        let stragglers = REGISTRY.stragglers(self.generation);
        let unfinished = REGISTRY.moving_modules(self.generation);
        stop_modules(self.generation, change, &stragglers);
        Ok(ShutdownReport { stragglers, unfinished })
    }
}

/// Asked before anything is begun, since a shutdown cannot be taken back.
fn caller_may_leave() -> Result<(), ShutdownError> {
    match current::entry() {
        Some(entry) if entry.gate.depth() > 0 => {
            Err(ShutdownError::Caller(DetachError::Attached { depth: entry.gate.depth() }))
        }
        Some(entry) if entry.phase() == Phase::Draining => {
            Err(ShutdownError::Caller(DetachError::Draining))
        }
        _ => match REGISTRY.driven_module() {
            Some(module) => Err(ShutdownError::InHook(module)),
            None => Ok(()),
        },
    }
}

/// Stops the modules of a runtime whose start has failed.
pub(super) fn stop_started(generation: u32) {
    let change = REGISTRY.begin_stop(generation);
    stop_modules(generation, change, &[]);
}

/// Stops the modules in reverse: each one's `module_shutdown`, then its shared values are dropped, or leak if
/// a straggler may see them. Then the runtime is stopped.
fn stop_modules(generation: u32, change: u64, stragglers: &[Straggler]) {
    REGISTRY.look_for_quiet();
    let is_out_of_use = REGISTRY.is_out_of_use(generation, change);
    while let Some(entry) = REGISTRY.next_to_stop() {
        retire::stop(&entry, stragglers, is_out_of_use);
        REGISTRY.set_down(&entry);
    }
    retire::settle();
    let mut state = REGISTRY.lock();
    REGISTRY.set_life(&mut state, Life::Stopped);
    // Dropped outside the lock (I3). What the hook captured may panic, which is nobody's (I8).
    let on_fault = state.on_fault.take();
    drop(state);
    let _ = fault::catch(|| drop(on_fault));
}
