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
//! | have one value for all threads | `#[shared]` in a module, [`Shared`] |
//! | count, process-wide and for one object | `#[derive(Statistics)]`, `#[statistics]`, [`struct@Statistics`], [`stats`] |
//! | lock shared values | [`sync`]: [`SuxLock`](sync::SuxLock), [`SrwMutex`](sync::SrwMutex) |
//! | export what was counted | [`stats::all`], [`stats::prometheus`], [`stats::open_metrics`] |
//! | serve jobs one after another | [`Runtime::request`] inside [`Runtime::detach_after`] |
//! | stop a request from outside | [`ThreadHandle::interrupt`], [`Attached::interrupted`] |
//! | run an attached thread | [`thread::spawn()`], [`thread::scope`] |
//! | bring modules up and take them down while threads run | [`Runtime::register`], [`Runtime::retire`] |
//! | have per-thread values that are not declared | [`Runtime::register_resource`] |
//! | wait until nobody can have a reference | [`Runtime::quiesce`] |
//! | test | [`test`](macro@test) |
//! | see what is going on | [`Runtime::report`] |
//! | end | [`Runtime::shutdown`] |
//!
//! Words: a module is *linked* if it is part of the program, *listed* if the runtime was started with
//! it, *up* when its startup is over. To *retire* it is to take it down while threads run. A thread is
//! *registered* from its first attach until it detaches or ends; its *depth* is how many attaches it is
//! inside. To *drain* is to drop a thread's values. A *straggler* had not left when a
//! shutdown's deadline passed. The *serial* of a request counts the requests of its thread. A *grace
//! period* is over when every thread that was inside an attach at its beginning has been at depth 0 since.
//!
//! # The modes
//!
//! The feature is `zts`. Forward it in every crate of yours (`zts = ["tsrm-core/zts", …]`) and depend
//! without default features, also between your own crates: one default-on edge switches the whole
//! build. [`assert_mode!`] makes a wrong build fail.
//!
//! Two more features are for locks, for tests and for measuring: `deadlock-detection` and `lock-statistics`; see [`sync`].
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
//! | `runtime/` | what users call: start, attach, requests, registration, retirement, shutdown, reports |
//! | `global/`, `shared/` | the handles, what the macro writes of a value, the runtime's view of it |
//! | `stats/` | what is counted: declared sets and those of objects, shards, snapshots, exporters |
//! | `sync/` | locks: their guards and tokens, the algorithms, what watches them |
//! | `resource.rs` | values that are not declared but registered |
//! | `thread/` | a thread's entry, its values, its way in and out, interrupts, spawning |
//! | `retire.rs` | what is done for retired modules outside the lock |
//! | `registry/` | the one lock: the runtime's life, which threads and modules there are, grace periods |
//! | `hooks.rs`, `fault.rs` | running users' code so that no panic gets out; what is told of one |
//! | `module/` | what a module is: names, globals, hooks; the list of what is linked; one registration of it |
//! | `token.rs` | the proof |
//! | `error.rs` | every way in which an operation can be refused |
//! | `fork.rs` | what a child of `fork` has |
//! | `mode/` | the two modes; the only home of `cfg(feature = …)` |
//! | `sys/` | the operating system; the only home of `cfg(unix)` and the like |
//! | `primitive.rs` | atomics, exchangeable for a model checker's; the only home of `cfg(loom)` |
//! | `private.rs` | what the macros' expansions may name |
//! | `harness.rs` | what `#[tsrm::main]` and `#[tsrm::test]` run |
//!
//! One access, `EG.get(here)`: [`Global::get`] asks the declaration for its slot, an inlined
//! function that the macro wrote with the mode's slot macro. Static storage: that is the address of
//! the value, a constant offset from the thread's TLS base (or a constant address). Cached storage:
//! a pointer is loaded from there; null leads to the `#[cold]` path, which runs the user's
//! initialiser and puts the value into the thread's table. Table storage: there is no such pointer, each
//! access walks to the table.
//!
//! One attach: a TLS load of the entry's address, one comparison (is this entry open for this
//! handle's runtime?), the depth up; and at the end the depth down, and at 0 one look at whether
//! somebody wants something of this thread. Whoever does, closes its gate: then attach and leave go the
//! slow way, by the registry.
//!
//! One shared value, `CACHE.get(here)`: one load of its address; null leads to the `#[cold]` path. One
//! retire: the addresses of the shared values are taken away and every thread is called; each comes by at its
//! next depth 0, runs the module's `thread_shutdown` and drops its values of it; when each has been at depth 0
//! the module is stopped.
//!
//! One count, `CLIENT.inc(here, Client::Queries)`: the macro's slot of the set, which is an array of atomic
//! cells in static storage; the variant is a constant, so its cell is a constant offset from there; a relaxed
//! load and store, which is one `inc`. Nothing is looked up or checked. One read, `CLIENT.snapshot()`: under the
//! registry's lock, the cells of all linked threads and the totals of those that left are added up.
//!
//! One lock, `CACHE.get(here).shared(here)`: the guard takes the lock by one locked instruction on its word
//! (`raw/sux_word.rs`; in a single-threaded build by a plain store, `mode/flags.rs`). If that is not free, the `#[cold]` path
//! looks again a few times, writes into the word that it sleeps, and sleeps (`sys/`). The guard's drop is one
//! addition, whose answer says whether anybody is to be woken.
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
//! - **I10 Numbers never run out silently.** Generations are counted with a check, numbers of threads,
//!   modules and changes have 64 bits, a place in the threads' tables whose generations are used up is not
//!   used again, and failed registrations leave nothing behind.
//! - **I11 Grace.** A shared value is reached by its published address, inside an attach. It is dropped when
//!   the address was taken away and every linked thread, also a straggler of an earlier runtime, was found
//!   at depth 0 behind that (until then those that were not, find it by the registry), and none runs hooks for
//!   its module. To be found there, either the thread comes by, or it sleeps and an asymmetric
//!   fence stands between: the attach's half keeps the compiler in order and costs nothing, the other half
//!   is `membarrier`. Where the system refuses that, at the start or later, gates stay closed and every
//!   outermost attach fences; a thread that has not attached since is not taken to be at depth 0.
//! - **I12 Blocks.** A value on the heap stands in a block of its own, with its header right in front. The
//!   header is written before anybody knows the block and freed with it; only the owner links and unlinks
//!   it. The layout and the functions in it are those of the value's own type, or what its resource was
//!   registered with.
//! - **I13 Counts.** A shard is an array of atomics in static storage of one thread, which alone writes it,
//!   attached or at depth 0. Others read it under the registry's lock while the thread is linked and has
//!   listed it; it is folded into the totals in the critical section in which the thread is unlinked, and in
//!   a fork's child before anything else runs there. C may read one for as long as the attach in which it
//!   asked for it; what it passes here is as the header says. Definitions, sets and their totals are on the
//!   heap and are never freed.
//! - **I14 Locks.** Each hold of a lock is acquired once and released once, in its mode, and stands as a guard on one
//!   thread or as a token; both keep the lock where it is. While there is an exclusive hold there is no
//!   other, and it alone may lend `&mut`; all others lend `&`. Holds that are leaked stay. A thread that sleeps
//!   is linked under the mutex of its bucket, and gone from there before it goes on.
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
//! - Cached storage is table storage with the address in a TLS slot besides: one container for all that a
//!   thread has on its heap. A module has a place in the table too, which says that a thread has begun with
//!   it; so who holds a module can be seen from outside, and needs no counting (which a `fork` would upset).
//! - Grace periods use the gate that shutdowns had: no sequence number per attach, nothing more on the fast
//!   path. In the fallback the gate just never opens, so the fast path does not ask which build it is.
//! - A retire takes the addresses of the shared values away at once. A thread in an attach from before, or in
//!   its hooks for the module, still reaches them by the slow path, and may build values of its own; so what
//!   an attach can reach does not change in the middle of it, running requests do not fail, and one grace
//!   period is enough. A sleeping thread is waited for as long as the caller of `retire` has patience; after
//!   that it costs the others nothing, and it drops its own values without hooks, whose module is down.
//! - `retire` inside an attach begins it and answers at once, instead of refusing: modules may ask for their
//!   own end.
//! - Pins are counted by two turns, so that a thread can drop a part of its values while new readers of the
//!   others come and go, and is neither skipped by them nor starved.
//! - A failing `thread_startup` of a late module fails the attach, not the thread: it stays registered with
//!   what it had. In the middle of an attach it fails the access.
//! - An attach first writes its depth and then looks at the gate, and takes the depth back if that is closed:
//!   the other way round, a retire in between took a module away from an attach that had just begun.
//! - What a retire leaves to the last thread that comes by (`module_shutdown`, drops of shared values) is users'
//!   code at depth 0, which may detach that thread or attach it: no path keeps a reference to the thread's
//!   entry across it.
//! - Every static global is linked by itself, not only by its module's list, which is not to be trusted.
//! - A module without hooks of threads and without static globals is begun with at its first use on a thread;
//!   registering one calls nobody.
//! - The totals of statistics belong to the process, not to a registration of their module: a static shard is
//!   not checked, so something can be counted before and after, and a reader wants counters that only grow.
//!   A set is found again by its names and its definition.
//! - A gauge was to be two counters, opened and closed. While a reader is between the two, what is opened and
//!   closed meanwhile shows as open: a reader that was preempted there saw more requests than threads. So what
//!   the thread that opened closes as well is taken back in the same cell; only what others close is
//!   counted apart, and read twice.
//! - A guard that is dropped on a registered thread counts in that thread's shard, without a token: the entry is
//!   there, so the shard will be folded. Only elsewhere it adds to the totals.
//! - What a guard gets from other threads than its opener is in the totals, from where any thread takes it
//!   back: so a guard that is resized by all threads moves one cell, and a reader sees it before or after.
//! - The trait of an enum of statistics is unsafe and written by a macro of this crate. As a safe one it let users'
//!   code run in the middle of a thread's registration, which could attach there.
//! - Eight counts one after the other take 1.6 times as long by `incq %fs:off` as by a register (where stores are
//!   forwarded sooner); `Statistics::local` keeps the address in one, since the compiler would fold it back.
//! - Resources, of which an object's set is one, are let go of one by one: who releases one tells each thread
//!   that has a value of it which one that was. Looking through all values at each was quadratic.
//! - The shards of an object's set are never folded: a thread that leaves gives its shard to the next one.
//!   So such a set is read without a lock.
//! - A token of a lock carries the reference to it, and `from_token` is the guard's: a lock that finds its token again
//!   by its address alone could have been moved or dropped meanwhile, and another one be there.
//! - Those that wait for a lock's update or exclusive access sleep on a word of their own: readers change the other
//!   one all the time, and the kernel lets nobody sleep on a word that has changed.
//! - A waiter that was woken and is on its way is written down (`WAKING`), in the mutex too: counting waiters alone,
//!   each release in a tight loop wakes another one, which is what InnoDB's locks do under load.
//! - The flag that somebody waits is taken away by who wakes, and put back by who got the lock and leaves others
//!   behind: a busy lock on which one thread is on its way costs what a free one does.
//! - Where there is no futex, those that sleep are in a table of the process, not in the lock, which stays as slim.
//! - All guards are one type, by mode and by what refers to the lock, and so are all tokens: a guard of an `Arc` needs no
//!   second set of methods.
//! - A straggler that is inside an attach at a shutdown makes all shared values of that runtime leak, not
//!   only those it has seen: nobody knows which those are.
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
//! - In a child of `fork` the gauges that other threads had up stay up: nobody is left to drop the guards. And
//!   the child's memory is copied while those threads run, so a gauge that they take down for one another just
//!   then may be off by that.
//! - A gauge of a library that is loaded while threads are registered may show too little until the thread
//!   that opened it comes by.
//! - What a thread counts that attaches in the very last round of key destructors (above) is lost, and, if it was
//!   its first attach ever, must not be read.
//! - A child of `fork` must not go on looking at the values of threads that it does not have.
//! - Fork handlers that were installed before this crate was loaded must not use it.
//! - `pthread_exit` and `pthread_cancel` inside an attach unwind through Rust frames, which Rust
//!   forbids (it aborts).
//! - Modules of a library that is loaded while threads are registered: their statics are reset, not
//!   dropped, when such a thread leaves. Plugins are to come.
//! - Two lazy shared values whose initialisers, on two threads, wait for each other. And a child of `fork` that
//!   asks for one which another thread was building.
//! - A signal handler that takes a lock with a token in the middle of the same thread's taking it: don't, as with
//!   a `RefCell`.
//! - A thread may use a static global of a module that it has not begun with (static storage is never
//!   checked): in the attach in which the module is registered it then sees what it wrote before.

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
pub mod stats;
pub mod sync;
mod sys;
pub mod thread;
mod token;

pub use error::{
    AccessError, AttachError, DetachError, HookError, HookFailure, QuiesceError, RegisterError,
    RequestError, ResourceError, RetireError, ShutdownError, StartError,
};
pub use fault::Fault;
pub use global::{Global, Storage};
pub use mode::NAME as MODE;
pub use mode::SINGLE_THREADED;
pub use module::{Error, Hook, Module, Shutdown, Startup};
pub use resource::{RawResource, Resource, ResourceId};
pub use runtime::{
    Builder, GlobalReport, ModuleReport, Report, ResourceReport, Retired, Runtime, SharedReport,
    ShutdownReport, StatisticsReport, ThreadReport,
};
pub use shared::Shared;
pub use stats::Statistics;
pub use thread::handle::{Interrupt, ThreadHandle};
pub use thread::identity::{Straggler, ThreadLabel};
pub use token::Attached;
pub use tsrm_macros::{Statistics, file_module, main, module, test};
