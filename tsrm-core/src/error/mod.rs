//! Every way in which an operation of this crate can be refused.
//!
//! One enum per operation, holding just what that operation can answer. The messages name the
//! module, the global and the thread, and say what to do.

#![deny(unsafe_code)]

mod access;
mod export;
mod runtime;
mod thread;

use std::error::Error as StdError;
use std::fmt;

pub(crate) use access::NotNow;
pub use access::{AccessError, ResourceError};
pub use export::ExportError;
pub use runtime::{QuiesceError, RegisterError, RetireError, ShutdownError, StartError};
pub use thread::{AttachError, DetachError, RequestError};

use crate::fault;
use crate::module::{Error, Hook};

/// What is said where a module is not there that another one needs.
fn missing(f: &mut fmt::Formatter<'_>, module: &str, requires: &str) -> fmt::Result {
    write!(
        f,
        "module `{module}` requires module `{requires}`, which is not there: list both when the runtime \
         starts, or register `{requires}` first"
    )
}

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
