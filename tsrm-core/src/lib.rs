//! Draft.
#![doc = ""]

// So that the macros' `::tsrm` works in this crate too.
extern crate self as tsrm;

mod error;
mod global;
mod harness;
mod mode;
mod module;
mod primitive;
#[doc(hidden)]
pub mod private;
mod registry;
mod runtime;
mod sys;
pub mod thread;

pub use error::{
    AccessError, AttachError, DetachError, Error, HookError, HookFailure, RequestError,
    ShutdownError, StartError, Straggler, ThreadLabel,
};
pub use global::{Global, Storage};
pub use mode::{NAME as MODE, SINGLE_THREADED};
pub use module::{Hook, Module, Shutdown, Startup};
pub use runtime::{
    Attached, Builder, Fault, GlobalReport, ModuleReport, Report, Runtime, ShutdownReport,
    ThreadReport,
};
pub use thread::{Interrupt, ThreadHandle};
pub use tsrm_macros::{file_module, main, module, test};
