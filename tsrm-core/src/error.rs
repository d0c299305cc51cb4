//! Every way in which an operation of this crate can be refused.
//!
//! One enum per operation, holding just what that operation can answer. The messages name the
//! module, the global and the thread, and say what to do.

#![deny(unsafe_code)]

use std::error::Error as StdError;
use std::fmt;
use std::io;

use crate::fault;
use crate::module::{Error, Hook};
use crate::thread::identity::ThreadLabel;

/// A hook that returned an error or panicked.
#[derive(Debug)]
#[non_exhaustive]
pub struct HookError {
    /// The module whose hook it was.
    pub module: &'static str,
    /// Which hook.
    pub hook: Hook,
    /// What it returned, or its panic message.
    pub cause: HookFailure,
}

/// How a hook failed.
#[derive(Debug)]
pub enum HookFailure {
    /// It returned this error.
    Returned(Error),
    /// It panicked with this message.
    Panicked(String),
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of module `{}` ", self.hook, self.module)?;
        match &self.cause {
            HookFailure::Returned(error) => write!(f, "failed: {error}"),
            HookFailure::Panicked(message) => write!(f, "panicked: {message}"),
        }
    }
}

impl StdError for HookError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.cause {
            HookFailure::Returned(error) => Some(&**error),
            HookFailure::Panicked(_) => None,
        }
    }
}

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
    /// The operating system refused what the runtime needs once (a TLS key, a fork handler).
    System(io::Error),
    /// This process has started 2³² − 1 runtimes.
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

/// Why a thread could not be attached.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttachError {
    /// No runtime is running (not started yet, still starting, or shut down).
    NotStarted,
    /// The handle belongs to a runtime that was shut down.
    Stale,
    /// The runtime is being shut down; threads that are attached may finish.
    ShuttingDown,
    /// Single-threaded build, and another thread is the registered one.
    SingleThreaded {
        /// The thread that holds the globals.
        holder: ThreadLabel,
    },
    /// This thread is dropping its values (the call came from a destructor).
    Draining,
    /// This thread is past the point where its values could still be dropped.
    ThreadExiting,
    /// A `thread_startup` hook failed. The thread has been unregistered again.
    Hook(HookError),
    /// The operating system refused to arm the exit guard.
    System(io::Error),
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str(
                "cannot attach: no runtime is running (`tsrm::Runtime::start` comes first)",
            ),
            Self::Stale => f.write_str(
                "cannot attach: this handle's runtime was shut down (if another one was started, it is \
                 `Runtime::current()`)",
            ),
            Self::ShuttingDown => f.write_str("cannot attach: the runtime is shutting down"),
            Self::SingleThreaded { holder } => write!(
                f,
                "cannot attach: this is a single-threaded build and {holder} holds the globals \
                 (have it call `detach()`, or build with the feature `zts`)"
            ),
            Self::Draining => f.write_str(
                "cannot attach: this thread is dropping its globals (destructors may not use \
                 globals; `#[thread_shutdown]` hooks may)",
            ),
            Self::ThreadExiting => f.write_str(
                "cannot attach: this thread has ended as far as its globals are concerned",
            ),
            Self::Hook(error) => write!(f, "cannot attach: {error}"),
            Self::System(error) => write!(f, "cannot attach: {error}"),
        }
    }
}

impl StdError for AttachError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Hook(error) => Some(error),
            Self::System(error) => Some(error),
            _ => None,
        }
    }
}

/// Why a global could not be reached.
#[derive(Debug)]
#[non_exhaustive]
pub enum AccessError {
    /// The thread could not be attached (only where the call attaches).
    Attach(AttachError),
    /// The global's module was not listed when the runtime started.
    ModuleNotStarted {
        /// The module that declares it.
        module: &'static str,
        /// The global.
        global: &'static str,
    },
    /// The global's own constructor asked for it.
    Initialising {
        /// The module that declares it.
        module: &'static str,
        /// The global.
        global: &'static str,
    },
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attach(error) => error.fmt(f),
            Self::ModuleNotStarted { module, global } => write!(
                f,
                "global `{global}`: module `{module}` is not started (list `{module}::MODULE` \
                 when the runtime starts)"
            ),
            Self::Initialising { module, global } => write!(
                f,
                "global `{global}` of module `{module}` was asked for by its own constructor"
            ),
        }
    }
}

impl StdError for AccessError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Attach(error) => error.source(),
            _ => None,
        }
    }
}

impl From<AttachError> for AccessError {
    fn from(error: AttachError) -> Self {
        Self::Attach(error)
    }
}

/// Why a request could not be run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// The thread could not be attached.
    Attach(AttachError),
    /// This thread is in the middle of a request.
    Nested,
    /// This thread is leaving: the call came from a `thread_shutdown` hook.
    Leaving,
    /// A `request_startup` hook failed. The requests already begun were ended.
    Hook(HookError),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attach(error) => error.fmt(f),
            Self::Nested => f.write_str(
                "cannot begin a request: this thread is in the middle of one (use `attach` \
                 inside a request)",
            ),
            Self::Leaving => f.write_str(
                "cannot begin a request: this thread is leaving (use `attach` in a \
                 `thread_shutdown` hook)",
            ),
            Self::Hook(error) => write!(f, "cannot begin a request: {error}"),
        }
    }
}

impl StdError for RequestError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Attach(error) => error.source(),
            Self::Hook(error) => Some(error),
            Self::Nested | Self::Leaving => None,
        }
    }
}

impl From<AttachError> for RequestError {
    fn from(error: AttachError) -> Self {
        Self::Attach(error)
    }
}

/// Why a thread could not be detached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DetachError {
    /// The thread is inside this many attaches.
    Attached {
        /// How deep.
        depth: u32,
    },
    /// The thread is dropping its values already.
    Draining,
    /// The thread is registered with a later runtime than the handle's.
    Stale,
}

impl fmt::Display for DetachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attached { depth } => write!(
                f,
                "cannot detach: this thread is inside {depth} attach(es), whose references must \
                 end first"
            ),
            Self::Draining => f.write_str("cannot detach: this thread is dropping its globals"),
            Self::Stale => f.write_str(
                "cannot detach: this thread is registered with a later runtime than this handle's",
            ),
        }
    }
}

impl StdError for DetachError {}

/// Why a runtime could not be shut down.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShutdownError {
    /// The handle's runtime is not running (any more).
    NotRunning,
    /// The calling thread cannot let go of its own globals.
    Caller(DetachError),
}

impl fmt::Display for ShutdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("cannot shut down: this runtime is not running"),
            Self::Caller(error) => write!(f, "cannot shut down from here: {error}"),
        }
    }
}

impl StdError for ShutdownError {}

/// The one place from which this crate panics on behalf of an error. The error may be a user's, whose
/// message and drop may panic: not in the middle of this panic, which would abort.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn refuse(error: impl StdError) -> ! {
    let text = fault::catch(|| error.to_string());
    let _ = fault::catch(|| drop(error));
    match text {
        Ok(text) => panic!("{text}"),
        Err(panic) => panic!("an error whose own message panics: {panic}"),
    }
}
