//! The contract with `tsrm-macros`: what an expansion may name. Not public API.
//!
//! Everything here by which a caller could break an invariant is `unsafe`, as it can be named
//! although it is hidden.

pub use linkme;

pub use crate::global::{
    CachedDeclaration, Declaration, GlobalDescriptor, StaticDeclaration, build_cached, build_static,
};
pub use crate::harness::{run_main, run_test};
pub use crate::mode::{CachedSlot, Image, StaticSlot};
pub use crate::module::{
    EndHook, Hooks, LINKED, Link, ModuleDescriptor, ShutdownHook, StartupHook, ThreadHook,
    last_segment,
};
pub use crate::{__tsrm_cached_slot as cached_slot, __tsrm_static_slot as static_slot};
