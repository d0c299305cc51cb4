//! The errors of reaching values.

#![deny(unsafe_code)]

use std::error::Error as StdError;
use std::fmt;

use super::{AttachError, HookError};
use crate::module::Error;
use crate::resource::id::ResourceId;

/// Why a global or a shared value could not be reached.
#[derive(Debug)]
#[non_exhaustive]
pub enum AccessError {
    /// The thread could not be attached (only where the call attaches).
    Attach(AttachError),
    /// The module is not registered: it was not listed when the runtime started, nor registered since; or
    /// its startup is not over.
    ModuleNotStarted {
        /// The module that declares it.
        module: &'static str,
        /// The global or shared value.
        global: &'static str,
    },
    /// The module was retired, or is being retired and this thread has not begun with it.
    ModuleRetired {
        /// The module that declares it.
        module: &'static str,
        /// The global or shared value.
        global: &'static str,
    },
    /// This thread met the module in the middle of an attach, and its `thread_startup` failed.
    Hook(HookError),
    /// There is no memory for the value.
    OutOfMemory {
        /// The module that declares it.
        module: &'static str,
        /// The global or shared value.
        global: &'static str,
    },
    /// The global's own constructor asked for it.
    Initialising {
        /// The module that declares it.
        module: &'static str,
        /// The global or shared value.
        global: &'static str,
    },
}

/// Why a value cannot be built now, whatever it is.
pub(crate) enum NotNow {
    /// It is being built.
    Initialising,
    /// There is no memory to note that it is.
    OutOfMemory,
}

impl AccessError {
    pub(crate) fn not_now(why: NotNow, module: &'static str, global: &'static str) -> Self {
        match why {
            NotNow::Initialising => Self::Initialising { module, global },
            NotNow::OutOfMemory => Self::OutOfMemory { module, global },
        }
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attach(error) => error.fmt(f),
            Self::ModuleNotStarted { module, global } => write!(
                f,
                "`{module}::{global}`: module `{module}` is not started (list `{module}::MODULE` \
                 when the runtime starts, or register it)"
            ),
            Self::ModuleRetired { module, global } => {
                write!(f, "`{module}::{global}`: module `{module}` was retired")
            }
            Self::Hook(error) => error.fmt(f),
            Self::OutOfMemory { module, global } => {
                write!(f, "`{module}::{global}`: out of memory")
            }
            Self::Initialising { module, global } => {
                write!(f, "`{module}::{global}` was asked for by its own initialiser")
            }
        }
    }
}

impl StdError for AccessError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Attach(error) => error.source(),
            Self::Hook(error) => Some(error),
            _ => None,
        }
    }
}

impl From<AttachError> for AccessError {
    fn from(error: AttachError) -> Self {
        Self::Attach(error)
    }
}

/// Why a resource could not be reached.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResourceError {
    /// There is no such resource: it was released, or its runtime was shut down.
    Released(ResourceId),
    /// Its constructor failed; the next use tries again.
    Constructor {
        /// The name it was registered with.
        resource: &'static str,
        /// What the constructor returned.
        error: Error,
    },
    /// Its own constructor asked for it.
    Initialising(&'static str),
    /// There is no memory for the value.
    OutOfMemory(&'static str),
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Released(id) => write!(f, "{id} was released, or its runtime was shut down"),
            Self::Constructor { resource, error } => {
                write!(f, "the constructor of resource `{resource}` failed: {error}")
            }
            Self::Initialising(resource) => {
                write!(f, "resource `{resource}` was asked for by its own constructor")
            }
            Self::OutOfMemory(resource) => write!(f, "resource `{resource}`: out of memory"),
        }
    }
}

impl StdError for ResourceError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Constructor { error, .. } => Some(&**error),
            _ => None,
        }
    }
}
