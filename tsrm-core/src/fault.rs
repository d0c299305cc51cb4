//! Faults: what went wrong where nobody could be told by a return value (I8).

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::module::Hook;
use crate::thread::identity::ThreadLabel;

/// A panic in a shutdown hook or in a value's destructor. Teardown went on behind it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The module it happened in; `None` for a resource that was registered by itself.
    pub module: Option<&'static str>,
    /// The global, shared value or resource whose value was dropped, if that is where.
    pub global: Option<&'static str>,
    /// The hook that ran, if that is where.
    pub hook: Option<Hook>,
    /// The thread, if it was a registered one.
    pub thread: Option<ThreadLabel>,
    /// The panic's message.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.module, self.global, self.hook) {
            (Some(module), Some(global), _) => {
                write!(f, "the destructor of global `{global}` of module `{module}`")?;
            }
            (None, Some(resource), _) => write!(f, "the destructor of resource `{resource}`")?,
            (Some(module), None, Some(hook)) => write!(f, "{hook} of module `{module}`")?,
            (module, None, _) => write!(f, "module `{}`", module.unwrap_or_default())?,
        }
        match &self.thread {
            Some(thread) => write!(f, " panicked on {thread}: {}", self.message),
            None => write!(f, " panicked: {}", self.message),
        }
    }
}

/// What is told of faults.
pub(crate) type FaultHook = dyn Fn(&Fault) + Send + Sync;

/// Runs user code; a panic becomes its message. The panic's payload is dropped here, and if that
/// panics too, the second payload leaks: dropping it could go on like this for ever.
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let message = message(&*payload);
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        message
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}
