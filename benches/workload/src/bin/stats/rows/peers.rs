//! The peers' rows. What ours has no part in is still run inside an attach, so that all are called alike.

use std::hint::black_box;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tsrm::{Attached, Runtime};
use tsrm_workload::harness::row::{Kind, Row};
use tsrm_workload::statistics::TURNS;
use tsrm_workload::statistics::peers::{self, ARRAY, Array, LOCKED, Label, Locked};

use super::{Counting, counting, counting_row};

/// All of them.
pub(super) fn all() -> Vec<Counting> {
    counting![
        "mutex" => row_mutex op_mutex,
        "mutex-twice" => row_mutex_twice op_mutex_twice,
        "fetch_add" => row_array op_array,
        "fetch_add-twice" => row_array_twice op_array_twice,
        "fetch_add-padded" => row_padded op_padded,
        "fetch_add-16-shards" => row_sharded op_sharded,
        "thread_local-crate" => row_thread_local op_thread_local,
        "prometheus-handle" => row_prometheus op_prometheus,
        "prometheus-family" => row_family op_family,
        "metrics-handle" => row_metrics op_metrics,
        "metrics-macro" => row_metrics_macro op_metrics_macro,
    ]
}

pub(super) fn warm_up() {
    peers::install_recorder();
}

counting_row!(row_mutex, op_mutex<TURN>(_here) { peers::inc_locked(&LOCKED, TURN) });
// The second one is a connection's, which its thread alone locks.
counting_row!(row_mutex_twice, op_mutex_twice<TURN>(_here, own: &Locked = &peers::locked()) {
    peers::inc_locked(own, TURN);
    peers::inc_locked(&LOCKED, TURN);
});
counting_row!(row_array, op_array<TURN>(_here) { ARRAY.inc(TURN) });
counting_row!(row_array_twice, op_array_twice<TURN>(_here, own: &Array = &Array::new()) {
    own.inc(TURN);
    ARRAY.inc(TURN);
});
counting_row!(row_padded, op_padded<TURN>(_here) { peers::inc_padded(TURN) });
counting_row!(row_sharded, op_sharded<TURN>(_here) { peers::inc_sharded(TURN) });
counting_row!(row_thread_local, op_thread_local<TURN>(_here) { peers::inc_thread_local(TURN) });
counting_row!(
    row_prometheus,
    op_prometheus<TURN>(_here, counters: &[Counter; TURNS] = peers::prometheus()) {
        counters[TURN].inc();
    }
);
counting_row!(
    row_family,
    op_family<TURN>(_here, family: &Family<Label, Counter> = peers::prometheus_family()) {
        peers::inc_prometheus_family(family, TURN);
    }
);
counting_row!(
    row_metrics,
    op_metrics<TURN>(_here, counters: &[metrics::Counter; TURNS] = peers::metrics()) {
        counters[TURN].increment(1);
    }
);
counting_row!(row_metrics_macro, op_metrics_macro<TURN>(_here) {
    peers::inc_metrics_macro::<TURN>();
});
