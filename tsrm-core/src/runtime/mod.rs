//! The runtime as its users see it: start, attach, requests, shutdown.
//!
//! All state is the registry's and the thread entries'; a [`Runtime`] is the number of a generation.

mod register;
mod report;
mod request;
mod retire;
mod shutdown;
mod start;

pub use report::{
    GlobalReport, ModuleReport, Report, ResourceReport, SharedReport, StatisticsReport,
    ThreadReport,
};
pub use retire::Retired;
pub use shutdown::ShutdownReport;
pub use start::Builder;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::error::{AttachError, DetachError, StartError};
use crate::module::Module;
use crate::registry::{REGISTRY, Wanted};
use crate::thread::attach;
use crate::thread::handle::ThreadHandle;
use crate::token::Attached;

/// A handle to the runtime of this process.
///
/// `Copy`, `Send` and `Sync`; dropping it does nothing. One runtime runs at a time. After its
/// [`shutdown`](Self::shutdown) another one may be started, and a handle to the old one is stale:
/// its operations return errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Runtime {
    generation: u32,
}

impl Runtime {
    /// Starts the runtime with these modules, in this order. [`builder`](Self::builder) does the
    /// same with settings.
    ///
    /// # Errors
    /// A runtime runs already, two modules share a name, or a `module_startup` hook failed; then
    /// the modules started before it have been shut down again.
    ///
    /// ```
    /// #[tsrm::module]
    /// mod counter {
    ///     use std::cell::Cell;
    ///     #[global]
    ///     pub static HITS: Cell<u64> = const { Cell::new(0) };
    /// }
    ///
    /// let tsrm = tsrm::Runtime::start([counter::MODULE])?;
    /// tsrm.attach(|here| {
    ///     let hits = counter::HITS.get(here);
    ///     hits.set(hits.get() + 1);
    ///     assert_eq!(hits.get(), 1);
    /// });
    /// # Ok::<(), tsrm::StartError>(())
    /// ```
    pub fn start(modules: impl IntoIterator<Item = Module>) -> Result<Self, StartError> {
        Self::builder().modules(modules).start()
    }

    /// Starts a runtime with settings and a fault hook.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// The running runtime, if there is one.
    pub fn current() -> Option<Self> {
        REGISTRY.running().map(|generation| Self { generation })
    }

    /// Runs `f` with this thread attached: `here` reaches the thread's globals.
    ///
    /// The first attach of a thread registers it and runs the `thread_startup` hooks. Attaches nest.
    /// After the outermost one the thread stays registered, with its values, until it calls
    /// [`detach`](Self::detach) or exits. If `f` panics, the thread leaves the attach all the same.
    ///
    /// Do not wait inside an attach for what another thread of a pool may do: executors that steal
    /// work (rayon) may run another job on this thread meanwhile, inside your attach.
    ///
    /// # Panics
    /// Where [`try_attach`](Self::try_attach) returns an error.
    #[inline]
    #[track_caller]
    pub fn attach<R>(self, f: impl for<'t> FnOnce(Attached<'t>) -> R) -> R {
        let _level = attach::enter_or_panic(Wanted::Generation(self.generation));
        // SAFETY: `_level` outlives the call, and the token its closure at no rate (I4).
        f(unsafe { Attached::assume() })
    }

    /// As [`attach`](Self::attach), but returns the error.
    ///
    /// # Errors
    /// See [`AttachError`]. In a single-threaded build that includes every thread but the first one
    /// (until that one has detached).
    #[inline]
    pub fn try_attach<R>(
        self,
        f: impl for<'t> FnOnce(Attached<'t>) -> R,
    ) -> Result<R, AttachError> {
        let _level = attach::enter(Wanted::Generation(self.generation))?;
        // SAFETY: `_level` outlives the call, and the token its closure at no rate (I4).
        Ok(f(unsafe { Attached::assume() }))
    }

    /// Lets go of this thread's globals: runs its `thread_shutdown` hooks and drops its values. The
    /// next attach starts afresh. Does nothing on a thread that is not registered.
    ///
    /// A thread that exits does this by itself, but only while its TLS is destroyed, which the end
    /// of a `std::thread::scope` does not wait for.
    ///
    /// # Errors
    /// The thread is inside an attach, dropping its values already, or registered with a later runtime
    /// than this handle's.
    pub fn detach(self) -> Result<(), DetachError> {
        attach::detach(self.generation)
    }

    /// Runs `f` and then detaches this thread, also if `f` panics: the frame of a thread that handles
    /// one request after another.
    ///
    /// Inside an attach it detaches nothing.
    ///
    /// ```
    /// # #[tsrm::main(crate = tsrm)] fn main(tsrm: tsrm::Runtime) {
    /// let jobs = [1, 2, 3];
    /// let worker = || tsrm.detach_after(|| {
    ///     for job in jobs {
    ///         tsrm.request(|_here| assert!(job > 0));
    ///         // Between two requests this thread is at depth 0.
    ///     }
    /// });
    /// std::thread::scope(|scope| scope.spawn(worker).join().unwrap());
    /// assert_eq!(tsrm.threads().len(), 0);
    /// # }
    /// ```
    pub fn detach_after<R>(self, f: impl FnOnce() -> R) -> R {
        let result = catch_unwind(AssertUnwindSafe(f));
        // Refused inside an attach, which then is not `f`'s to end.
        let _ = self.detach();
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// The registered threads, in the order of their registration.
    pub fn threads(self) -> Vec<ThreadHandle> {
        let mut threads = REGISTRY.threads();
        threads.retain(|entry| entry.generation == self.generation);
        threads.into_iter().map(ThreadHandle).collect()
    }

    pub(crate) fn generation(self) -> u32 {
        self.generation
    }

    pub(crate) fn of_generation(generation: u32) -> Self {
        Self { generation }
    }
}
