//! The macros of `tsrm-core`: entry points and their documentation.
//!
//! `parse` turns a module's items into a description and notes what is wrong at the user's own
//! tokens; `expand` writes the items out again, beside those `mistakes`; `launch` does both for
//! `main` and for tests; `statistics` is the derive. All emit the same tokens in both modes: which
//! storage a slot gets is decided by the macros that `tsrm-core` was compiled with.

#![forbid(unsafe_code)]

mod expand;
mod launch;
mod mistakes;
mod parse;
mod statistics;

use proc_macro::TokenStream;

/// Declares a module: per-thread globals, shared values, statistics and hooks, collected into a
/// constant `MODULE` that `Runtime::start` takes.
///
/// Put it on an inline `mod`; for a module that is a file of its own, write
/// [`file_module!`] around its items. Three arguments, in any order:
///
/// - `name = "…"`: what the module is called; else it is the last segment of its path.
/// - `requires = ["…", "…"]`: the names of modules that are up before this one. The runtime orders
///   its start by it, and none of them can be retired before this module is.
/// - `crate = path`: where `tsrm` is, if not at `::tsrm`.
///
/// Inside, `#[global]`, `#[shared]` and `#[statistics]` go on `static` items and turn them into
/// handles. A global is a value for each thread:
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
/// A set of statistics counts, on each thread for itself, and is summed up when it is read:
///
/// - `#[statistics] static CLIENT: Statistics<Client>;`, where `Client` is an enum with
///   [`#[derive(Statistics)]`](derive@Statistics), whose variants say what is counted.
///
/// It has no initial value: it counts from 0, and belongs to the process, so it goes on counting
/// when its module is started again. Readers and exporters know it by the names of the module and
/// of the `static`, that in lower case (`executor`, `client`). So the name of the `static` consists
/// of ASCII letters and digits, with one `_` between words, and is that of one set in its module in
/// whatever case. `Statistics` need not be imported; what is written there is `tsrm::Statistics`.
/// An enum may be that of several sets.
///
/// Other attributes, documentation and visibility stay with the item; lints and `cfg`s hold for
/// all that is made of it. The type of a value, or the enum of a set, is at least as visible as the
/// `static` (else the compiler refuses it, E0446). A value is what is written directly inside the module: a
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

/// Makes an enum one of statistics: each variant is something that is counted or measured.
///
/// ```ignore
/// /// What the client library counts.
/// #[derive(tsrm::Statistics)]
/// #[stat(switch)]
/// pub enum Client {
///     /// Bytes sent to the server.
///     #[stat(counter, unit = "bytes")]
///     BytesSent,
///     /// Connections open now.
///     #[stat(gauge)]
///     ActiveConnections,
///     /// The largest packet.
///     #[stat(peak, unit = "bytes", name = "largest_packet")]
///     Largest,
///     /// How long a query took.
///     #[stat(histogram, unit = "microseconds", max = 60_000_000)]
///     QueryTime,
/// }
/// ```
///
/// The enum stays as it is; what it counts is declared as `#[statistics] static CLIENT:
/// Statistics<Client>;` in a [`module`](macro@module), as often as there are sets. It is as visible as
/// those. It need not be `Copy`, and may have no variants, or thousands.
///
/// # What a variant is
///
/// A `#[stat(…)]` above each variant says of which kind it is, and more:
///
/// | kind | what is counted | how |
/// |---|---|---|
/// | `counter` | how often, how much: only grows | `add`, `inc` |
/// | `gauge` | how many there are now | `open`, which returns a guard |
/// | `peak` | the greatest value so far | `raise` |
/// | `histogram` | how values are distributed, their number and their sum | `record` |
///
/// | key | for | |
/// |---|---|---|
/// | `unit = "bytes"` | all | of what it is a number; without it, of things |
/// | `name = "largest_packet"` | all | what it is called, instead of after its variant |
/// | `max = 60_000_000` | histograms | the greatest value that is told from others: greater ones are counted together. A literal from 1; without it all of `u64`, which takes 2 KiB a thread |
///
/// Keys may be spread over several `#[stat(…)]`, each is there once.
///
/// # What stands above the enum
///
/// - `#[stat(switch)]`: the set can be switched off and on while the program runs, by
///   `set_enabled`. Each count then looks at the switch.
/// - `#[stat(off)]`: nothing is counted, and there is neither code nor memory for it; what counts
///   compiles as before. Typically by a feature: `#[cfg_attr(not(feature = "counts"), stat(off))]`.
///   It may stand beside `switch`, which then changes nothing.
/// - `#[stat(crate = path)]`: where `tsrm` is, if not at `::tsrm`.
///
/// # Names
///
/// A statistic is called after its variant, in snake case, or as `name` says. A word begins at an
/// upper-case letter behind a lower-case one or a digit, and at the last of several upper-case
/// letters if a lower-case one follows: `BytesSent` becomes `bytes_sent`, `HTTPRequests`
/// `http_requests`, `Rows2Send` `rows2_send` (and `URLs`, alas, `ur_ls`: write a name). A raw
/// identifier is called as without `r#`.
///
/// A name, and a unit as well, is `[a-z][a-z0-9]*(_[a-z0-9]+)*`. A name does not end in `_total`,
/// `_bucket`, `_sum`, `_count`, `_created` or `_info`, to which exporters give a meaning, nor is it one
/// of these words. No two variants are called the same.
///
/// # Units
///
/// Write them out and in the plural: `bytes`, `rows`, `microseconds`. What is counted or recorded is
/// a whole number of them. Exporters write times in seconds, whether they are `nanoseconds`,
/// `microseconds`, `milliseconds` or `seconds`, and other units as they are. The exported name has
/// the exported unit in it:
///
/// | | name | unit | exported as |
/// |---|---|---|---|
/// | without a unit: the name | `requests` | | `requests` |
/// | the name ends in the unit: the exported one instead | `query_microseconds` | `microseconds` | `query_seconds` |
/// | the exported unit is among the words: the name | `bytes_sent` | `bytes` | `bytes_sent` |
/// | else: the exported unit behind it | `query_time` | `microseconds` | `query_time_seconds` |
///
/// Before it come the names of the module and of the set (once, if they are the same), behind it what
/// the format adds for the kind: `_total` of a counter; `_bucket`, `_sum` and `_count` of a histogram.
/// The exported names of an enum differ too, and none has one of those endings by its unit.
///
/// # What is said of it
///
/// The first paragraph of a variant's documentation, on one line, is what is written beside its
/// numbers. Without documentation, or where a macro makes its text (`#[doc = include_str!(…)]`), it
/// is the words of the variant: `Bytes sent.`
///
/// # Errors
///
/// It does not compile if it is no enum, or a generic one; if a variant has fields or a number
/// (`= 1`), or no `#[stat(…)]`; if that has no kind, two, or something else in it, or something
/// twice; if a `max` is not a histogram's, or 0; and if a name or a unit is none, or a name is
/// another one's. All of these are told at once, each where it is.
#[proc_macro_derive(Statistics, attributes(stat))]
pub fn statistics(item: TokenStream) -> TokenStream {
    statistics::derive(item.into()).into()
}
