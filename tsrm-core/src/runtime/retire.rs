//! Retirement: how a module goes while threads run; and grace periods for whoever wants one.

use std::fmt;
use std::time::{Duration, Instant};

use super::Runtime;
use crate::error::{QuiesceError, RetireError};
use crate::module::Module;
use crate::registry::REGISTRY;
use crate::retire;
use crate::thread::entry::Phase;
use crate::thread::handle::Interrupt;
use crate::thread::identity::Straggler;
use crate::thread::{attach, current};

/// How far a retire has come.
#[derive(Clone, Debug)]
#[must_use = "the threads that still hold the module are named here"]
pub enum Retired {
    /// The module is down, and no thread has anything of it.
    Done,
    /// The module is down: its shared values are dropped, and it can be registered again. These threads sleep
    /// and have yet to drop their own values of it.
    Down {
        /// In the order of their registration.
        threads: Vec<Straggler>,
    },
    /// These threads hold it up: they are in an attach in which they may use it, or have yet to let go of
    /// it. It goes on by itself as they come to depth 0.
    Retiring {
        /// In the order of their registration. Empty if another thread is in the middle of stopping it.
        threads: Vec<Straggler>,
    },
}

impl Retired {
    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Whether the module is down: it can be registered again.
    pub fn is_down(&self) -> bool {
        matches!(self, Self::Done | Self::Down { .. })
    }
}

impl fmt::Display for Retired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, threads) = match self {
            Self::Done => return f.write_str("the module is down"),
            Self::Down { threads } => ("the module is down; asleep with values of it", threads),
            Self::Retiring { threads } => ("the module is held up", threads),
        };
        write!(f, "{what}: {} thread(s)", threads.len())?;
        threads.iter().try_for_each(|thread| write!(f, "\n  {thread}"))
    }
}

impl Runtime {
    /// Retires a module while threads run, and waits for that until `deadline` is over.
    ///
    /// An attach that a thread is in now, may go on using the module to its end, also for the first time what
    /// it has not used before. Attaches that begin from now on are refused it: globals on the heap and shared
    /// values are errors, static ones show their initial image. At its next depth 0 (or its end) each thread
    /// runs the module's `thread_shutdown` and drops its values of it. When all have, `module_shutdown` runs and
    /// the shared values are dropped, on this thread or on the last one to leave. Then the module is down, and
    /// may be [registered](Self::register) again, with fresh values.
    ///
    /// A thread that sleeps at depth 0 is waited for until the deadline. After that it delays nothing but
    /// its own values, which it drops without a hook when it wakes up: the answer is [`Retired::Down`]. Threads
    /// in an attach are always waited for: if the deadline passes first, the answer is [`Retired::Retiring`],
    /// and the rest happens when they leave. Their requests are then interrupted with [`Interrupt::RETIRE`];
    /// not by a deadline of zero, with which nobody has waited.
    ///
    /// Ask again to wait on; about the newest registration, if there were several. Of a module of which nothing
    /// is left the answer is [`Retired::Done`].
    ///
    /// Inside an attach this begins a retire and does not wait, since the calling thread is one that would
    /// be waited for.
    ///
    /// # Errors
    /// See [`RetireError`]; then nothing has happened.
    ///
    /// ```
    /// #[tsrm::module]
    /// mod plug {
    ///     #[global]
    ///     pub static BUFFER: Vec<u8> = Vec::with_capacity(1024);
    /// }
    /// use std::time::Duration;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tsrm = tsrm::Runtime::start([plug::MODULE])?;
    /// tsrm.attach(|here| assert_eq!(plug::BUFFER.get(here).capacity(), 1024));
    /// let thread = std::thread::spawn(move || tsrm.retire(plug::MODULE, Duration::ZERO));
    /// let retired = thread.join().unwrap()?;
    /// assert!(retired.is_down() && !retired.is_done(), "this thread has a buffer, which only it can drop");
    /// tsrm.attach(|here| assert!(plug::BUFFER.try_get(here).is_err()));
    /// # Ok(()) }
    /// ```
    pub fn retire(self, module: Module, deadline: Duration) -> Result<Retired, RetireError> {
        // Inside, this thread would wait for itself.
        let is_inside = current::entry()
            .is_some_and(|entry| entry.gate.depth() > 0 || entry.phase() != Phase::Active);
        let deadline = if is_inside { Duration::ZERO } else { deadline };
        let waits = !deadline.is_zero();
        // A deadline beyond the clock's range is none.
        let until = Instant::now().checked_add(deadline);
        let Some(entry) = REGISTRY.begin_retire(module.descriptor(), self.generation, waits)?
        else {
            return Ok(Retired::Done);
        };
        attach::come_by_now();
        REGISTRY.look_for_quiet();
        if waits {
            loop {
                // Somebody else may retire something meanwhile, or shut down, and wait for this thread.
                attach::come_by_or_leave();
                retire::settle_as_caller();
                if !REGISTRY.wait_for_module(&entry, until) {
                    break;
                }
            }
            REGISTRY.end_wait(&entry);
        }
        retire::settle();
        let (is_down, holders) = REGISTRY.retired(&entry);
        let threads: Vec<_> = holders.iter().map(|entry| entry.straggler()).collect();
        if is_down {
            return Ok(if threads.is_empty() { Retired::Done } else { Retired::Down { threads } });
        }
        for thread in holders.iter().filter(|_| waits) {
            if let Some(serial) = thread.interrupt.serial() {
                thread.interrupt.set(serial, Interrupt::RETIRE.code());
            }
        }
        Ok(Retired::Retiring { threads })
    }

    /// Waits until every thread that is in an attach now has left it, at most until `deadline` is over: a
    /// grace period. What was out of reach before, nobody has a reference to after.
    ///
    /// Threads that sleep at depth 0 are not waited for, nor are attaches that begin meanwhile.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicPtr, Ordering};
    /// use std::time::Duration;
    ///
    /// /// Read by all threads without a lock, replaced now and then.
    /// static PRICES: AtomicPtr<Vec<u32>> = AtomicPtr::new(std::ptr::null_mut());
    ///
    /// fn publish(prices: Vec<u32>) -> *mut Vec<u32> {
    ///     // Release: pairs with the Acquire of the readers; who sees the address sees the prices.
    ///     PRICES.swap(Box::into_raw(Box::new(prices)), Ordering::AcqRel)
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tsrm = tsrm::Runtime::start([])?;
    /// publish(vec![1, 2, 3]);
    /// tsrm.attach(|_here| {
    ///     // SAFETY: published, and freed only behind a grace period, which this attach holds up.
    ///     let prices = unsafe { &*PRICES.load(Ordering::Acquire) };
    ///     assert_eq!(prices[2], 3);
    /// });
    /// let old = publish(vec![4, 5, 6]);
    /// tsrm.quiesce(Duration::from_secs(10))?;
    /// // SAFETY: it was out of reach before the grace period, so nobody has it any more. (If that had failed, the
    /// // old prices would have to be kept until a later one.)
    /// drop(unsafe { Box::from_raw(old) });
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The deadline has passed, the runtime does not run, or the calling thread itself is inside an attach.
    pub fn quiesce(self, deadline: Duration) -> Result<(), QuiesceError> {
        if let Some(entry) = current::entry().filter(|entry| entry.gate.depth() > 0) {
            return Err(QuiesceError::Attached { depth: entry.gate.depth() });
        }
        let until = Instant::now().checked_add(deadline);
        let change = REGISTRY.begin_grace(self.generation).ok_or(QuiesceError::NotRunning)?;
        REGISTRY.look_for_quiet();
        while !REGISTRY.is_quiet_since(change) {
            // Somebody may retire something meanwhile, or shut down, and wait for this thread.
            attach::come_by_or_leave();
            if !REGISTRY.wait_for_quiet(change, until) {
                let busy = REGISTRY.busy_since(change);
                let threads = busy.iter().map(|entry| entry.straggler()).collect();
                return Err(QuiesceError::Busy { threads });
            }
        }
        Ok(())
    }
}
