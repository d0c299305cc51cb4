//! Per-thread globals at the cost of plain statics.
//!
//! A runtime for programs that run a stateful engine on many threads: script interpreters,
//! application servers, hosts of plugins. Such a program has *globals* (the executor's stack, the
//! compiler's tables, the output buffer), one set per thread. It is built in two ways from one
//! source, which differ in the Cargo feature `zts`:
//!
//! - **thread-safe** (ZTS, the default): each attached thread has its own set, in native TLS;
//! - **single-threaded** (NTS): one set for the process, reached like a plain `static`.
//!
//! The names come from PHP's Thread Safe Resource Manager. The idea to cache each global's address
//! in a native TLS variable, so that no pointer to the thread is passed through calls, is that of
//! the 2008 patch "ZTS as fast as non-ZTS" to PHP.
//!
//! ```
//! #[tsrm::module]
//! mod executor {
//!     use std::cell::Cell;
//!
//!     /// How deep calls are nested.
//!     #[global]
//!     pub static DEPTH: Cell<u32> = const { Cell::new(0) };
//! }
//! use executor::DEPTH;
//!
//! #[tsrm::main(executor)]
//! fn main(tsrm: tsrm::Runtime) {
//!     tsrm.attach(|here| {
//!         let depth = DEPTH.get(here); // a `&Cell<u32>`, for as long as the attach
//!         depth.set(depth.get() + 1);
//!         assert_eq!(depth.get(), 1);
//!     });
//! }
//! ```
//!
//! # Where to start
//!
//! | to | use |
//! |---|---|
//! | declare globals and hooks | [`module`](macro@module), [`file_module!`] |
//! | start, with settings | [`main`](macro@main), [`Runtime::builder`] |
//! | reach globals | [`Runtime::attach`], [`Global`] |
//! | serve jobs one after another | [`Runtime::request`] inside [`Runtime::detach_after`] |
//! | stop a request from outside | [`ThreadHandle::interrupt`], [`Attached::interrupted`] |
//! | run an attached thread | [`thread::spawn()`], [`thread::scope`] |
//! | test | [`test`](macro@test) |
//! | see what is going on | [`Runtime::report`] |
//! | end | [`Runtime::shutdown`] |
//!
//! Words: a module is *linked* if it is part of the program, *listed* if the runtime was started with
//! it. A thread is *registered* from its first attach until it detaches or ends; its *depth* is how many
//! attaches it is inside. To *drain* is to drop a thread's values. A *straggler* had not left when a
//! shutdown's deadline passed. The *serial* of a request counts the requests of its thread.
//!
//! # The modes
//!
//! The feature is `zts`. Forward it in every crate of yours (`zts = ["tsrm-core/zts", …]`) and depend
//! without default features, also between your own crates: one default-on edge switches the whole
//! build. [`assert_mode!`] makes a wrong build fail.
//!
//! **The rest of this page is for those who work on this crate.**
//!
//! # The idea: a zero-sized proof
//!
//! Everything per-thread takes a token, [`Attached<'_>`](Attached), to be had only inside
//! [`Runtime::attach`]. It is `Copy`, zero-sized and cannot leave the closure or the thread.
//!
//! - In a thread-safe build it proves that this thread is registered, so its values exist and will
//!   be dropped. The fast path has nothing to check.
//! - In a single-threaded build it proves that this is the *only* registered thread: another one's
//!   attach is an error. So plain loads and stores are sound, without a promise by the user.
//! - No reference that was got with it outlives the attach. So values are dropped only at attach
//!   depth 0, where no reference exists: the borrow checker proves quiescence.
//!
//! # The map
//!
//! From the top down; each imports from below it.
//!
//! | file | owns |
//! |---|---|
//! | `runtime/` | what users call: start, attach, requests, shutdown, reports |
//! | `global/` | the handles, what the macro writes of a global, the runtime's view of it |
//! | `registry/` | the one lock: which threads are registered, the runtime's life |
//! | `thread/` | a thread's entry, its way in and out, interrupts, spawning |
//! | `hooks.rs`, `fault.rs` | running users' code so that no panic gets out; what is told of one |
//! | `module.rs` | what a module is: names, globals, hooks; the list of what is linked |
//! | `token.rs` | the proof |
//! | `error.rs` | every way in which an operation can be refused |
//! | `fork.rs` | what a child of `fork` has |
//! | `mode/` | the two modes; the only home of `cfg(feature = "zts")` |
//! | `sys/` | the operating system; the only home of `cfg(unix)` and the like |
//! | `primitive.rs` | atomics, exchangeable for a model checker's; the only home of `cfg(loom)` |
//! | `private.rs` | what the macros' expansions may name |
//! | `harness.rs` | what `#[tsrm::main]` and `#[tsrm::test]` run |
//!
//! One access, `EG.get(here)`: [`Global::get`] asks the declaration for its slot, an inlined
//! function that the macro wrote with the mode's slot macro. Static storage: that is the address of
//! the value, a constant offset from the thread's TLS base (or a constant address). Cached storage:
//! a pointer is loaded from there; null leads to the `#[cold]` path, which runs the user's
//! initialiser and links the value into the thread's entry.
//!
//! One attach: a TLS load of the entry's address, one comparison (is this entry open for this
//! handle's runtime?), the depth up; and at the end the depth down, and at 0 one look at whether
//! somebody waits for this thread to leave.
//!
//! # Invariants
//!
//! `SAFETY` comments cite them by number.
//!
//! - **I1 Owner only.** A per-thread value is built, used and dropped on its own thread. The one
//!   exception is [`Global::for_each_thread`], which lends `&T` with `T: Sync` while the thread is
//!   pinned against every drop.
//! - **I2 Nothing moves** until teardown: neither values nor entries.
//! - **I3 No user code under the lock**, not even an allocator, which may hold a lock of its own
//!   across a fork. Initialisers, destructors and hooks may attach, panic, spawn. A pin is not a lock:
//!   it holds back the drops of one thread and nothing else.
//! - **I4 Depth 0.** Values are dropped only where their thread's depth is 0. A thread that ends at a
//!   greater depth or in the middle of its drain (`process::exit` inside an attach or a destructor
//!   runs TLS destructors) leaks its values and runs nothing. Its TLS block stays until the process
//!   ends, so nobody is waited for; only where the thread itself ends are pins waited for first.
//! - **I5 Hooks may use globals, destructors may not.** To leave is: `thread_shutdown` hooks,
//!   attached; then *draining*, in which attach, `with` and detach fail; then drops in reverse. So no
//!   destructor sees a half-dropped or refilled value. A slot is cleared before its value is dropped.
//! - **I6 A thread is the content of its TLS**, the pointer to its entry; never its OS id nor an
//!   address, which are reused. A fork's child forgets all other entries, and the pins on its own.
//! - **I7 One entry per thread.** Depth, phase, generation and interrupt live in it, and nowhere else.
//!   One TLS destructor for all of this crate's state on a thread, with the pthread-key destructor
//!   behind it for threads that attach from other destructors.
//! - **I8 No panic crosses a hook or a destructor**, nor does the drop of a panic's payload. It is
//!   caught, counted and handed to the fault hook with module, global and thread; teardown goes on.
//! - **I9 A single-threaded build has one registered thread.** The next one takes over under the
//!   registry's lock, after the last one's drain is complete for every *linked* global, listed at the
//!   start or not.
//! - **I10 Numbers never run out silently.** Generations are counted with a check, thread numbers
//!   have 64 bits, and failed registrations leave nothing behind.
//!
//! # What turned out otherwise than first designed
//!
//! - An attribute `module` and a macro `module!` cannot live side by side: attribute and
//!   function-like macros share a namespace. The second one is [`file_module!`].
//! - What is linked is listed by constructors at load time (`inventory`), not by a link section: the
//!   bounds of a section are those of one shared object, so with `-C prefer-dynamic` modules were
//!   missing, and their statics were dropped and not renewed.
//! - The attribute's expansion has no `unsafe` of its own. It can be made to name look-alikes (by
//!   `crate = …`, by `extern crate … as std`), and vouched for them. All `unsafe` is in macros of this
//!   crate, which do no harm whatever they are given.
//! - A drain takes each static's address out of the thread's table before it drops the value, so a
//!   global that is listed twice is dropped once; the lists need not be trusted.
//! - A single-threaded build has no variable that says who holds the globals: the holder is whoever
//!   is linked in the registry, and the lock orders one holder's drops before the next one's first
//!   use. One truth instead of two.
//! - A static global gets its initial image when its thread registers *again*, not when it was
//!   dropped: threads that end, which is most, pay nothing for it, and untouched pages stay so.
//! - The values of a thread that a shutdown did not wait for are not leaked for good: the thread
//!   drops them itself, without hooks, when it next reaches depth 0.
//! - Hooks of a thread run only while their modules are up, which is asked before each: a late
//!   thread's hooks would otherwise run after `module_shutdown`, or in the next runtime.
//! - Hooks return any error (`Result<(), Error>` where [`Error`] is the usual box), so `?` works in
//!   them whatever fails.
//! - Module startup runs before anybody can attach, also the starting thread.
//! - There is no feature for a literal `#[thread_local]`: with `const { }` and without a destructor
//!   `thread_local!` compiles to the same instruction on stable, which a test looks at.
//! - One word per static global is written down at a thread's first attach: the price of
//!   `for_each_thread` on static storage.
//!
//! # What is beyond reach
//!
//! - A thread that attaches from a pthread key's destructor in the very last round of those may leave
//!   its entry behind. Nobody looks at its values; in a single-threaded build nobody gets the globals
//!   after it. The same goes for an attach from a TLS destructor behind the exit guard on the main
//!   thread, for which `exit` runs no key destructors. (If it was the thread's first attach ever, on a
//!   thread that C made, in that last round, nothing tells it from an ordinary one: don't. On a thread
//!   that Rust made it is told by a caught panic of std, which with `panic = "abort"` aborts.)
//! - [`Global::for_each_thread`] holds back the teardown of the thread that it looks at. If its closure
//!   waits for that thread, or ends the process while that thread leaves, both wait.
//! - A child of `fork` must not go on looking at the values of threads that it does not have.
//! - Fork handlers that were installed before this crate was loaded must not use it.
//! - `pthread_exit` and `pthread_cancel` inside an attach unwind through Rust frames, which Rust
//!   forbids (it aborts).
//! - Modules of a library that is loaded while threads are registered: their statics are reset, not
//!   dropped, when such a thread leaves. Plugins are to come.

// So that the expansions' `::tsrm` works in this crate too.
extern crate self as tsrm;

mod error;
mod fault;
mod fork;
mod global;
mod harness;
mod hooks;
mod mode;
mod module;
mod primitive;
#[doc(hidden)]
pub mod private;
mod registry;
mod resource;
mod retire;
mod runtime;
mod shared;
mod sys;
pub mod thread;
mod token;

pub use error::{
    AccessError, AttachError, DetachError, HookError, HookFailure, QuiesceError, RegisterError,
    RequestError, ResourceError, RetireError, ShutdownError, StartError,
};
pub use fault::Fault;
pub use global::{Global, Storage};
/// `"ZTS"` in a thread-safe build, `"NTS"` in a single-threaded one.
pub use mode::NAME as MODE;
/// Whether this is a single-threaded build.
pub use mode::SINGLE_THREADED;
pub use module::{Error, Hook, Module, Shutdown, Startup};
pub use resource::{RawResource, Resource, ResourceId};
pub use runtime::{
    Builder, GlobalReport, ModuleReport, Report, ResourceReport, Retired, Runtime, SharedReport,
    ShutdownReport, ThreadReport,
};
pub use shared::Shared;
pub use thread::handle::{Interrupt, ThreadHandle};
pub use thread::identity::{Straggler, ThreadLabel};
pub use token::Attached;
pub use tsrm_macros::{file_module, main, module, test};
