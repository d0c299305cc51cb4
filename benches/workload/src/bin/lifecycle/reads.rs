//! Reading one field of a struct: in per-thread globals, in shared values, and in their peers.
//!
//! All in an attach and with the token, which costs those nothing that do not need it. An operation
//! returns what it has read.

use std::hint::black_box;
use std::sync::OnceLock;

use arc_swap::ArcSwap;
use tsrm::{Attached, Resource, Runtime, SINGLE_THREADED};
use tsrm_workload::globals::ExecutorGlobals;
use tsrm_workload::globals::executor::{CACHED_EG, EG};
use tsrm_workload::harness::row::Row;
use tsrm_workload::rows;
use tsrm_workload::settings::Settings;
use tsrm_workload::settings::configuration::{LAZY, SHARED};
use tsrm_workload::settings::peers::{self, Epoch, ONCE_CELL, RW_LOCK};

/// The rows of this build.
pub(crate) fn all() -> Vec<Row> {
    let mut rows = rows![
        "empty" => Loop(row_empty): row_empty op_empty,
        "static" => Loop(row_static): row_static op_static,
        "cached" => Loop(row_cached): row_cached op_cached,
        "table" => Loop(row_table): row_table op_table,
        "shared" => Loop(row_shared): row_shared op_shared,
        "shared-lazy" => Loop(row_lazy): row_lazy op_lazy,
        "attach-again" => Loop(row_attach): row_attach op_attach,
    ];
    // What does not know of modes is measured beside the thread-safe build only.
    if !SINGLE_THREADED {
        rows.extend(rows![
            "arc-swap" => Loop(row_arc_swap): row_arc_swap op_arc_swap,
            "crossbeam-epoch" => Loop(row_epoch): row_epoch op_epoch,
            "std-rwlock" => Loop(row_rw_lock): row_rw_lock op_rw_lock,
            "once_cell" => Loop(row_once_cell): row_once_cell op_once_cell,
        ]);
    }
    rows
}

static TABLE: OnceLock<Resource<ExecutorGlobals>> = OnceLock::new();

/// Does once, apart from the rows, what only the first use does.
#[inline(never)]
pub(crate) fn warm_up(tsrm: Runtime) {
    let register = || tsrm.register_resource("table", || Ok(ExecutorGlobals::new()));
    let table = TABLE.get_or_init(|| register().expect("there is memory"));
    tsrm.attach(|here| {
        black_box((EG.get(here), CACHED_EG.get(here), table.get(here)));
        black_box((SHARED.get(here), LAZY.get(here)));
    });
    ONCE_CELL.get_or_init(Settings::new);
    black_box((peers::read_arc_swap(peers::arc_swap()), peers::epoch().read()));
}

fn table() -> Resource<ExecutorGlobals> {
    *TABLE.get().expect("registered by `warm_up`")
}

/// A row whose operation takes the token, and perhaps a value that its users would keep in a register.
macro_rules! read_row {
    ($row:ident, $op:ident($here:ident $(, $argument:ident: $type:ty = $value:expr)?) $body:block) => {
        #[inline(never)]
        fn $op($here: Attached<'_> $(, $argument: $type)?) -> u64 $body

        #[inline(never)]
        fn $row(tsrm: Runtime, n: u64) {
            $(let $argument = $value;)?
            tsrm.attach(|here| {
                for _ in 0..n {
                    black_box($op(here $(, $argument)?));
                }
            });
        }
    };
}

// The black box keeps the call: a function without effects would not be called.
read_row!(row_empty, op_empty(here) { black_box(here); 0 });
read_row!(row_static, op_static(here) { EG.get(here).depth.get() });
read_row!(row_cached, op_cached(here) { CACHED_EG.get(here).depth.get() });
read_row!(row_table, op_table(here, table: Resource<ExecutorGlobals> = table()) {
    table.get(here).depth.get()
});
read_row!(row_shared, op_shared(here) { SHARED.get(here).limit });
read_row!(row_lazy, op_lazy(here) { LAZY.get(here).limit });

read_row!(row_arc_swap, op_arc_swap(_here, settings: &ArcSwap<Settings> = peers::arc_swap()) {
    peers::read_arc_swap(settings)
});
read_row!(row_epoch, op_epoch(_here, settings: &Epoch = peers::epoch()) { settings.read() });
read_row!(row_rw_lock, op_rw_lock(_here) { peers::read_rw_lock(&RW_LOCK) });
read_row!(row_once_cell, op_once_cell(_here) { peers::read_once_cell(&ONCE_CELL) });

#[inline(never)]
fn op_attach(tsrm: Runtime) {
    tsrm.attach(|here| {
        black_box(here);
    });
}

/// On a registered thread at depth 0.
#[inline(never)]
fn row_attach(tsrm: Runtime, n: u64) {
    for _ in 0..n {
        op_attach(tsrm);
    }
}
