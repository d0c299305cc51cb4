//! The rows of `access`: reaching a global, attaching, and the interpreter.

use std::hint::black_box;
#[cfg(unix)]
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tsrm::{Attached, Runtime, SINGLE_THREADED};
use tsrm_workload::globals::ExecutorGlobals;
use tsrm_workload::globals::executor::{CACHED_EG, EG};
use tsrm_workload::harness::row::Row;
#[cfg(unix)]
use tsrm_workload::peers::PthreadGlobals;
use tsrm_workload::peers::{STD_CONST, STD_LAZY, THREAD_LOCAL_CRATE};
use tsrm_workload::rows;
use tsrm_workload::vm::{InCached, InStatic, run_all};

/// The layouts of a row, by how far its code is shifted.
macro_rules! layouts {
    ($row:ident) => {
        [
            $row::<0>, $row::<8>, $row::<16>, $row::<24>, $row::<32>, $row::<40>, $row::<48>,
            $row::<56>,
        ]
    };
}

/// The rows of this build.
pub(crate) fn all() -> Vec<Row> {
    let named = |nts, zts| if SINGLE_THREADED { nts } else { zts };
    let mut rows = rows![
        named("nts-empty", "zts-empty") => Loop(row_empty): row_empty op_empty,
        named("nts-static", "zts-static") => Loop(row_static): row_static op_static,
        named("nts-cached", "zts-cached") => Loop(row_cached): row_cached op_cached,
        named("nts-with", "zts-with") => Loop(row_with): row_with op_with,
        named("nts-attach-again", "attach-again") =>
            Loop(row_attach_again): row_attach_again op_attach,
        named("nts-attach-nested", "attach-nested") =>
            Loop(row_attach_nested): row_attach_nested op_attach,
        named("nts-attach-first", "attach-first") =>
            Once(|tsrm| stay_on_a_fresh_thread(tsrm).attach): row_attach_first op_attach,
        named("nts-detach", "detach") =>
            Once(|tsrm| stay_on_a_fresh_thread(tsrm).detach): row_attach_first op_detach,
        named("vm-nts", "vm-zts-static") => Layouts(layouts!(row_vm_static)): row_vm_static op_vm_static,
        named("vm-nts-cached", "vm-zts-cached") => Layouts(layouts!(row_vm_cached)): row_vm_cached op_vm_cached,
    ];
    // What does not know of modes is measured beside the thread-safe build only.
    if !SINGLE_THREADED {
        rows.extend(rows![
            "std-const" => Loop(row_std_const): row_std_const op_std_const,
            "std-lazy" => Loop(row_std_lazy): row_std_lazy op_std_lazy,
            "thread_local-crate" =>
                Loop(row_thread_local_crate): row_thread_local_crate op_thread_local_crate,
        ]);
        #[cfg(unix)]
        rows.extend(rows![
            "pthread_getspecific" => Loop(row_pthread): row_pthread op_pthread,
        ]);
    }
    rows
}

/// Does once, apart from the rows, what only the first use of a global does.
#[inline(never)]
pub(crate) fn warm_up(tsrm: Runtime) {
    tsrm.attach(|here| {
        EG.get(here).increment();
        CACHED_EG.get(here).increment();
        run_all::<InStatic, 0>(here);
        run_all::<InCached, 0>(here);
    });
    STD_CONST.with(ExecutorGlobals::increment);
    STD_LAZY.with(ExecutorGlobals::increment);
    THREAD_LOCAL_CRATE.get_or(ExecutorGlobals::new).increment();
    #[cfg(unix)]
    pthread_globals().get().increment();
}

/// A row whose operation takes the token.
macro_rules! attached_row {
    ($row:ident, $op:ident($here:ident) $body:block) => {
        #[inline(never)]
        fn $op($here: Attached<'_>) $body

        #[inline(never)]
        fn $row(tsrm: Runtime, n: u64) {
            tsrm.attach(|here| {
                for _ in 0..n {
                    $op(here);
                }
            });
        }
    };
}

/// A row whose operation needs nothing, or a value that its users would keep in a register.
macro_rules! plain_row {
    ($row:ident, $op:ident($($argument:ident: $type:ty = $value:expr)?) $body:block) => {
        #[inline(never)]
        fn $op($($argument: $type)?) $body

        #[inline(never)]
        fn $row(_tsrm: Runtime, n: u64) {
            $(let $argument = $value;)?
            for _ in 0..n {
                $op($($argument)?);
            }
        }
    };
}

// The black box keeps the call: a function without effects would not be called.
attached_row!(row_empty, op_empty(here) { black_box(here); });
attached_row!(row_static, op_static(here) { EG.get(here).increment() });
attached_row!(row_cached, op_cached(here) { CACHED_EG.get(here).increment() });

plain_row!(row_with, op_with() { EG.with(ExecutorGlobals::increment) });
plain_row!(row_std_const, op_std_const() { STD_CONST.with(ExecutorGlobals::increment) });
plain_row!(row_std_lazy, op_std_lazy() { STD_LAZY.with(ExecutorGlobals::increment) });
plain_row!(row_thread_local_crate, op_thread_local_crate() {
    THREAD_LOCAL_CRATE.get_or(ExecutorGlobals::new).increment()
});
#[cfg(unix)]
plain_row!(row_pthread, op_pthread(globals: PthreadGlobals = pthread_globals()) {
    globals.get().increment()
});

#[cfg(unix)]
fn pthread_globals() -> PthreadGlobals {
    static GLOBALS: OnceLock<PthreadGlobals> = OnceLock::new();
    *GLOBALS.get_or_init(|| PthreadGlobals::new().expect("a process has 1024 keys"))
}

/// One run of all programs; each run checks the results.
#[inline(never)]
fn op_vm_static<const SHIFT: usize>(here: Attached<'_>) {
    run_all::<InStatic, SHIFT>(here);
}

#[inline(never)]
fn row_vm_static<const SHIFT: usize>(tsrm: Runtime, n: u64) {
    tsrm.attach(|here| (0..n).for_each(|_| op_vm_static::<SHIFT>(here)));
}

#[inline(never)]
fn op_vm_cached<const SHIFT: usize>(here: Attached<'_>) {
    run_all::<InCached, SHIFT>(here);
}

#[inline(never)]
fn row_vm_cached<const SHIFT: usize>(tsrm: Runtime, n: u64) {
    tsrm.attach(|here| (0..n).for_each(|_| op_vm_cached::<SHIFT>(here)));
}

/// All attach rows have this operation; they differ in where they call it.
#[inline(never)]
fn op_attach(tsrm: Runtime) {
    tsrm.attach(|here| {
        black_box(here);
    });
}

#[inline(never)]
fn op_detach(tsrm: Runtime) {
    tsrm.detach().expect("not inside an attach");
}

/// On a registered thread at depth 0.
#[inline(never)]
fn row_attach_again(tsrm: Runtime, n: u64) {
    for _ in 0..n {
        op_attach(tsrm);
    }
}

/// Inside another attach.
#[inline(never)]
fn row_attach_nested(tsrm: Runtime, n: u64) {
    tsrm.attach(|_| {
        for _ in 0..n {
            op_attach(tsrm);
        }
    });
}

/// How long a thread took to register and to leave.
#[derive(Clone, Copy)]
struct Stay {
    attach: Duration,
    detach: Duration,
}

/// On a thread that was never registered.
#[inline(never)]
fn row_attach_first(tsrm: Runtime) -> Stay {
    let start = Instant::now();
    op_attach(tsrm);
    let attached = Instant::now();
    op_detach(tsrm);
    Stay { attach: attached - start, detach: attached.elapsed() }
}

/// A thread of its own for each: one that registers again would have to renew its static globals.
/// (In a single-threaded build, each has to: they are the last thread's.)
fn stay_on_a_fresh_thread(tsrm: Runtime) -> Stay {
    tsrm.detach().expect("not inside an attach");
    std::thread::spawn(move || row_attach_first(tsrm)).join().expect("the thread does not panic")
}
