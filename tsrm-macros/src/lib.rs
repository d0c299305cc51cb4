//! The macros of `tsrm-core`: entry points and their documentation.
//!
//! `parse` turns a module's items into a description and notes what is wrong at the user's own
//! tokens; `expand` writes the items out again, beside those `mistakes`; `launch` does both for
//! `main` and for tests. All emit the same tokens in both modes: which storage a slot gets is
//! decided by the macros that `tsrm-core` was compiled with.

#![forbid(unsafe_code)]

mod expand;
mod launch;
mod mistakes;
mod parse;

use proc_macro::TokenStream;

/// Declares a module: per-thread globals, shared values and hooks, collected into a constant
/// `MODULE` that `Runtime::start` takes.
///
/// Put it on an inline `mod`; for a module that is a file of its own, write
/// [`file_module!`] around its items. Three arguments, in any order:
///
/// - `name = "…"`: what the module is called; else it is the last segment of its path.
/// - `requires = ["…", "…"]`: the names of modules that are up before this one. The runtime orders
///   its start by it, and none of them can be retired before this module is.
/// - `crate = path`: where `tsrm` is, if not at `::tsrm`.
///
/// Inside, `#[global]` and `#[shared]` go on `static` items and turn them into handles. A global is
/// a value for each thread:
///
/// - `#[global] static EG: T = const { … };` has static storage: the value is in the thread's TLS
///   block itself.
/// - `#[global] static EG: T = …;` has cached storage: each thread builds its value at its first
///   use.
///
/// A shared value is one for all threads, and its type is `Send + Sync`. It is built anew each time
/// that the module is started, and no thread can reach it before the module is up:
///
/// - `#[shared] static CACHE: T = …;` is built when its module starts, before the `module_startup`
///   hook, which may fill it (`Startup::shared_mut`). The values of a module are built in the order
///   of their declaration.
/// - `#[shared(lazy)] static CACHE: T = …;` is built by the first use, on the thread that makes it.
///
/// Either is dropped after the `module_shutdown` hook, when no thread is left in an attach that may
/// have seen it, on whichever thread finds that out. A lazy one that nobody used is not there to be
/// dropped.
///
/// Other attributes, documentation and visibility stay with the item; lints and `cfg`s hold for
/// all that is made of it. The type of a value is at least as visible as the `static` (else the
/// compiler refuses it, E0446). A value is what is written directly inside the module: a
/// `macro_rules!` in there cannot make one, as `#[tsrm::module]` does not see what it expands to.
/// (One that makes the whole module, with the attribute on it, can.)
///
/// The hooks, each at most once:
///
/// | attribute | signature | runs |
/// |---|---|---|
/// | `#[module_startup]` | `fn(phase: &mut Startup<'_>) -> Result<(), Error>` | when the module starts, before anybody can reach it |
/// | `#[thread_startup]` | `fn(here: Attached<'_>) -> Result<(), Error>` | inside a thread's first attach |
/// | `#[request_startup]` | `fn(here: Attached<'_>) -> Result<(), Error>` | before a request |
/// | `#[request_shutdown]` | `fn(here: Attached<'_>)` | after it |
/// | `#[thread_shutdown]` | `fn(here: Attached<'_>)` | before the thread's values are dropped |
/// | `#[module_shutdown]` | `fn(phase: &mut Shutdown<'_>)` | when it is retired, or at `shutdown` (not at `process::exit`) |
///
/// A static global of a linked module that the runtime was not started with can be used, but that
/// module's hooks do not run; `Runtime::report()` shows it as linked, not started.
///
/// A startup hook that fails takes back what began before it; shutdown hooks run in reverse order
/// of the modules, and only where the module began.
#[proc_macro_attribute]
pub fn module(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(arguments.into(), item.into()).into()
}

/// As the attribute [`module`](macro@module), around the items of a file.
///
/// Its arguments are an inner attribute. Other inner attributes, and the documentation of the
/// module, stand above the macro, at the top of the file.
///
/// ```ignore
/// // executor.rs
/// //! Executor globals.
///
/// tsrm::file_module! {
///     #![module(name = "executor", requires = ["output"])]
///
///     #[global]
///     pub static EG: ExecutorGlobals = const { ExecutorGlobals::new() };
/// }
/// ```
#[proc_macro]
pub fn file_module(items: TokenStream) -> TokenStream {
    expand::function(items.into()).into()
}

/// Starts the runtime with these modules, runs `main` with a `Runtime`, and shuts it down.
///
/// The arguments are the modules' paths, in the order of their start as far as their `requires`
/// leave it, and perhaps `crate = path` as in [`module`](macro@module). The function takes one
/// argument, the `Runtime`; it is *not* attached: a `main` that is attached for ever would never
/// let go of its globals.
///
/// A start that fails prints to standard error and exits with code 1. At the end, also after a
/// panic or an `Err`, other threads are waited for up to 5 seconds; those that have not left by
/// then are printed to standard error, and the exit code stays the program's. For settings, a fault
/// hook or another deadline use `Runtime::builder` in a plain `main`.
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    launch::main(arguments.into(), item.into()).into()
}

/// A `#[test]` that is given a `Runtime` with these modules.
///
/// The runtime is started once and shared by the tests of a process that list the same modules.
/// Tests that list other ones, and in a single-threaded build all tests, wait for each other. The
/// test's thread is detached at its end.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    launch::test(arguments.into(), item.into()).into()
}
