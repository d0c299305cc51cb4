//! The hooks of a module: their types and names.

#![deny(unsafe_code)]

use std::fmt;

use super::phase::{Shutdown, Startup};
use crate::token::Attached;

/// The hooks of a module, each at most once.
///
/// The macro coerces a hook to these types. The `for<'t>` in them is what keeps a hook from asking
/// for an `Attached<'static>` and stashing a reference.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Once, before any thread attaches.
    pub module_startup: Option<StartupHook>,
    /// Once, after all threads have left.
    pub module_shutdown: Option<ShutdownHook>,
    /// On each thread, inside its first attach.
    pub thread_startup: Option<ThreadHook>,
    /// On each thread, before its values are dropped; attached.
    pub thread_shutdown: Option<EndHook>,
    /// At the beginning of each request.
    pub request_startup: Option<ThreadHook>,
    /// At the end of each request that this module has begun.
    pub request_shutdown: Option<EndHook>,
}

/// What a hook returns when it fails: any error, by `?` or `.into()`.
pub type Error = Box<dyn std::error::Error + Send + Sync + 'static>;

/// A hook that fills what the module needs before any thread attaches.
pub type StartupHook = fn(&mut Startup<'_>) -> Result<(), Error>;
/// A hook that takes it away again.
pub type ShutdownHook = fn(&mut Shutdown<'_>);
/// A hook that may refuse.
pub type ThreadHook = for<'t> fn(Attached<'t>) -> Result<(), Error>;
/// A hook that ends something and cannot refuse.
pub type EndHook = for<'t> fn(Attached<'t>);

impl Hooks {
    /// A module without hooks.
    pub const NONE: Self = Self {
        module_startup: None,
        module_shutdown: None,
        thread_startup: None,
        thread_shutdown: None,
        request_startup: None,
        request_shutdown: None,
    };
}

/// Names a hook in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `#[module_startup]`
    ModuleStartup,
    /// `#[module_shutdown]`
    ModuleShutdown,
    /// `#[thread_startup]`
    ThreadStartup,
    /// `#[thread_shutdown]`
    ThreadShutdown,
    /// `#[request_startup]`
    RequestStartup,
    /// `#[request_shutdown]`
    RequestShutdown,
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ModuleStartup => "module_startup",
            Self::ModuleShutdown => "module_shutdown",
            Self::ThreadStartup => "thread_startup",
            Self::ThreadShutdown => "thread_shutdown",
            Self::RequestStartup => "request_startup",
            Self::RequestShutdown => "request_shutdown",
        })
    }
}
