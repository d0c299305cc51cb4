//! The errors of threads' ways in and out.

#![deny(unsafe_code)]

use std::error::Error as StdError;
use std::{fmt, io};

use super::HookError;
use crate::thread::identity::ThreadLabel;

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
    /// There is no memory for what the thread needs.
    OutOfMemory,
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
            Self::OutOfMemory => f.write_str("cannot attach: out of memory"),
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
