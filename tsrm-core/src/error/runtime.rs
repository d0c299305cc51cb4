//! The errors of a runtime's and of modules' lives.

#![deny(unsafe_code)]

use std::error::Error as StdError;
use std::{fmt, io};

use super::{DetachError, HookError, missing};
use crate::thread::identity::Straggler;

/// Why [`Runtime::start`](crate::Runtime::start) refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// A runtime is starting, running or shutting down in this process.
    AlreadyStarted,
    /// Two modules of one name were listed, or one module twice.
    DuplicateModule(&'static str),
    /// A module is not in the list of what is linked: its library's constructors have not run.
    NotLinked(&'static str),
    /// A setting names a module that is not listed, or none of that module's settings.
    UnknownSetting(String),
    /// A module's startup hook failed. The modules started before it have been shut down again.
    Hook(HookError),
    /// A module requires one that is not listed.
    Missing {
        /// The module that requires it.
        module: &'static str,
        /// What it requires.
        requires: &'static str,
    },
    /// Modules require each other in a circle; this is one of them.
    Circular(&'static str),
    /// The operating system refused what the runtime needs once (a TLS key, a fork handler).
    System(io::Error),
    /// This process has used up its numbers for something: it has started 2³² − 1 runtimes.
    Exhausted,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyStarted => f.write_str(
                "a runtime is already started in this process: shut it down first, or use \
                 `Runtime::current()`",
            ),
            Self::DuplicateModule(name) => write!(
                f,
                "module `{name}` is listed twice: list each module once, and give modules of \
                 equal names other ones with `#[tsrm::module(name = \"…\")]`"
            ),
            Self::NotLinked(name) => write!(
                f,
                "module `{name}` is not linked yet: start the runtime after its library was loaded"
            ),
            Self::UnknownSetting(key) => write!(
                f,
                "setting `{key}` is not read by anybody: settings are called `module.setting`, after a \
                 listed module whose startup hook asks for them"
            ),
            Self::Missing { module, requires } => missing(f, module, requires),
            Self::Circular(name) => {
                write!(f, "module `{name}` requires itself, by way of the modules that it requires")
            }
            Self::Hook(error) => write!(f, "the runtime did not start: {error}"),
            Self::System(error) => write!(f, "the runtime did not start: {error}"),
            Self::Exhausted => f.write_str("this process has used up its runtime generations"),
        }
    }
}

impl StdError for StartError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Hook(error) => Some(error),
            Self::System(error) => Some(error),
            _ => None,
        }
    }
}

/// Why a module, or a resource, could not be registered.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegisterError {
    /// The handle's runtime is not running.
    NotRunning,
    /// The runtime is being shut down.
    ShuttingDown,
    /// The module, or another one of its name, is registered.
    AlreadyRegistered(&'static str),
    /// The module is being retired: threads in attaches may still use it.
    Retiring(&'static str),
    /// The module is not in the list of what is linked: its library's constructors have not run.
    NotLinked(&'static str),
    /// The module requires one that is not registered.
    Missing {
        /// The module that requires it.
        module: &'static str,
        /// What it requires.
        requires: &'static str,
    },
    /// The module does not ask for this setting.
    UnknownSetting(String),
    /// Its startup hook failed, or the initialiser of a shared value panicked.
    Hook(HookError),
    /// There is no memory for it.
    OutOfMemory,
    /// There are no numbers left for it.
    Exhausted,
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("cannot register: this runtime is not running"),
            Self::ShuttingDown => f.write_str("cannot register: the runtime is shutting down"),
            Self::AlreadyRegistered(name) => {
                write!(f, "cannot register: there is a module `{name}` already")
            }
            Self::Retiring(name) => write!(
                f,
                "cannot register: module `{name}` is being retired, and may still be in use (wait until \
                 `retire` says that it is down)"
            ),
            Self::NotLinked(name) => write!(
                f,
                "cannot register: module `{name}` is not linked yet; its library has to be loaded first"
            ),
            Self::Missing { module, requires } => missing(f, module, requires),
            Self::UnknownSetting(key) => write!(
                f,
                "cannot register: setting `{key}` is not read by anybody; settings are called \
                 `module.setting`"
            ),
            Self::Hook(error) => write!(f, "cannot register: {error}"),
            Self::OutOfMemory => f.write_str("cannot register: out of memory"),
            Self::Exhausted => f.write_str("cannot register: there are no numbers left"),
        }
    }
}

impl StdError for RegisterError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Hook(error) => Some(error),
            _ => None,
        }
    }
}

/// Why a module could not be retired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetireError {
    /// The handle's runtime is not running, or is being shut down.
    NotRunning,
    /// The module has not been registered with this runtime, or its startup failed.
    NotRegistered(&'static str),
    /// Another module needs it.
    NeededBy {
        /// The module that was to be retired.
        module: &'static str,
        /// One that has to be retired first.
        by: &'static str,
    },
    /// The module is being started.
    Starting(&'static str),
    /// The module is being stopped by the calling thread: the call came from its `module_shutdown`.
    Stopping(&'static str),
}

impl fmt::Display for RetireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("cannot retire: this runtime is not running"),
            Self::NotRegistered(name) => {
                write!(f, "cannot retire: module `{name}` is not registered")
            }
            Self::NeededBy { module, by } => write!(
                f,
                "cannot retire: module `{module}` is required by module `{by}`, which has to be retired \
                 first"
            ),
            Self::Starting(name) => {
                write!(f, "cannot retire: module `{name}` has not finished its startup")
            }
            Self::Stopping(name) => {
                write!(f, "cannot retire: module `{name}` is being stopped by this very thread")
            }
        }
    }
}

impl StdError for RetireError {}

/// Why a grace period did not end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum QuiesceError {
    /// The handle's runtime is not running.
    NotRunning,
    /// The calling thread is inside this many attaches, and would wait for itself.
    Attached {
        /// How deep.
        depth: u32,
    },
    /// These threads have not left the attach that they were in.
    Busy {
        /// In the order of their registration.
        threads: Vec<Straggler>,
    },
}

impl fmt::Display for QuiesceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("no grace period: this runtime is not running"),
            Self::Attached { depth } => write!(
                f,
                "no grace period: this thread is inside {depth} attach(es), and would wait for itself"
            ),
            Self::Busy { threads } => {
                write!(f, "no grace period: {} thread(s) are still in an attach:", threads.len())?;
                threads.iter().try_for_each(|thread| write!(f, "\n  {thread}"))
            }
        }
    }
}

impl StdError for QuiesceError {}

/// Why a runtime could not be shut down.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownError {
    /// The handle's runtime is not running (any more).
    NotRunning,
    /// The calling thread cannot let go of its own globals.
    Caller(DetachError),
    /// The calling thread is starting or stopping this module: the call came from its `module_startup` or
    /// `module_shutdown`, or from one of its shared values.
    InHook(&'static str),
}

impl fmt::Display for ShutdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("cannot shut down: this runtime is not running"),
            Self::Caller(error) => write!(f, "cannot shut down from here: {error}"),
            Self::InHook(module) => write!(
                f,
                "cannot shut down from here: this thread is starting or stopping module `{module}`"
            ),
        }
    }
}

impl StdError for ShutdownError {}
