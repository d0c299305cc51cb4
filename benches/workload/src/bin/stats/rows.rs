//! The rows of `stats`: counting in our sets, and in their [`peers`].
//!
//! A row has eight operations, each of which counts in another counter, known when the program is compiled,
//! as it is where a program counts. They are run in turn, so that no count waits for the one before it to be
//! written. All rows, ours and peers', are run inside an attach and alike, in two forms:
//!
//! - *called*: in the harness of [`tsrm_workload::harness::row`], an operation is a function that is never
//!   inlined. The price of a call is in it, and hides what is less than that;
//! - *inlined*: the operations stand in the loop, as a count stands in its user's code. Between two of them
//!   is a barrier to the compiler, so that none is put together with another or moved out of the loop.

mod peers;

use std::hint::black_box;
use std::sync::LazyLock;

use tsrm::stats::{Local, OwnedStatistics, SharedStatistics, StatisticsDeclaration};
use tsrm::{Attached, Runtime, SINGLE_THREADED};
use tsrm_workload::harness::row::{Kind, Row};
pub(crate) use tsrm_workload::statistics::TURNS;
use tsrm_workload::statistics::counted::{
    CLIENT, Client, NOT_COMPILED, NotCompiled, SWITCHED_OFF, SWITCHED_ON, Switched, VARIOUS,
    Various,
};
use tsrm_workload::statistics::plain::Plain;

/// A row in both forms.
pub(crate) struct Counting {
    /// Each operation is a call.
    pub(crate) called: Row,
    /// They are in the loop themselves.
    pub(crate) inlined: fn(Runtime, u64),
}

/// A vector of those: `name => row_function op_function, …`
macro_rules! counting {
    ($($name:expr => $row:ident $op:ident),+ $(,)?) => {
        vec![$(Counting {
            called: Row {
                name: $name,
                row: stringify!($row),
                op: stringify!($op),
                kind: Kind::Loop($row::<false>),
            },
            inlined: $row::<true>,
        }),+]
    };
}
use counting;

/// The rows of this build.
pub(crate) fn all() -> Vec<Counting> {
    let mut rows = counting![
        "nothing" => row_nothing op_nothing,
        ONE_THREAD => row_plain op_plain,
        "process" => row_process op_process,
        "local" => row_local op_local,
        "connection" => row_connection op_connection,
        "pool" => row_pool op_pool,
        "switched-on" => row_switched_on op_switched_on,
        "switched-off" => row_switched_off op_switched_off,
        "compiled-off" => row_compiled_off op_compiled_off,
        "add_all-two" => row_add_two op_add_two,
        "add_all-three" => row_add_three op_add_three,
        "histogram" => row_histogram op_histogram,
        "gauge" => row_gauge op_gauge,
    ];
    // What does not know of modes is measured beside the thread-safe build only.
    if !SINGLE_THREADED {
        rows.extend(peers::all());
    }
    rows
}

/// The row that is of one thread only.
pub(crate) const ONE_THREAD: &str = "plain";

/// The set of an object that all threads use.
static POOL: LazyLock<SharedStatistics<Client>> = LazyLock::new(SharedStatistics::new);

/// Does once, apart from the rows, what only the first use does.
#[inline(never)]
pub(crate) fn warm_up(tsrm: Runtime) {
    // So that the compiler does not know it.
    SWITCHED_ON.set_enabled(black_box(true));
    SWITCHED_OFF.set_enabled(black_box(false));
    tsrm.attach(|here| {
        POOL.inc(here, &CLIENT, Client::ALL[0]);
        drop(VARIOUS.open(here, Various::GAUGES[0]));
    });
    peers::warm_up();
}

/// A row whose operations take the token, and perhaps a value that its users would keep in a register.
macro_rules! counting_row {
    (
        $row:ident,
        $op:ident<$turn:ident>($here:ident $(, $argument:ident: $type:ty = $value:expr)?) $body:block
    ) => {
        #[inline(never)]
        fn $row<const INLINED: bool>(tsrm: Runtime, n: u64) {
            #[inline(always)]
            fn count<const $turn: usize>($here: Attached<'_> $(, $argument: $type)?) $body

            #[inline(never)]
            fn $op<const $turn: usize>($here: Attached<'_> $(, $argument: $type)?) {
                count::<$turn>($here $(, $argument)?);
            }

            tsrm.attach(|$here| {
                $(let $argument = $value;)?
                macro_rules! turn {
                    ($number:literal) => {
                        if INLINED {
                            count::<$number>($here $(, $argument)?);
                            // Nothing is known of memory behind this.
                            black_box(());
                        } else {
                            $op::<$number>($here $(, $argument)?);
                        }
                    };
                }

                for _ in 0..n / TURNS as u64 {
                    turn!(0);
                    turn!(1);
                    turn!(2);
                    turn!(3);
                    turn!(4);
                    turn!(5);
                    turn!(6);
                    turn!(7);
                }
            });
        }
    };
}
use counting_row;

// The black box keeps the call: a function without effects would not be called.
counting_row!(row_nothing, op_nothing<TURN>(here) { black_box(here); });
counting_row!(row_plain, op_plain<TURN>(_here, plain: Plain = Plain::claim()) { plain.inc(TURN) });

counting_row!(row_process, op_process<TURN>(here) {
    CLIENT.inc(here, const { Client::ALL[TURN] });
});
counting_row!(
    row_local,
    op_local<TURN>(
        _here,
        local: Local<'_, impl StatisticsDeclaration<Set = Client>> = CLIENT.local(_here)
    ) { local.inc(const { Client::ALL[TURN] }) }
);

type Connection = OwnedStatistics<Client>;

// The set is made anew each time that the row is run, which is thousands of counts.
counting_row!(row_connection, op_connection<TURN>(here, connection: &Connection = &Connection::new()) {
    connection.inc(here, &CLIENT, const { Client::ALL[TURN] });
});
counting_row!(row_pool, op_pool<TURN>(here, pool: &SharedStatistics<Client> = &POOL) {
    pool.inc(here, &CLIENT, const { Client::ALL[TURN] });
});
counting_row!(row_switched_on, op_switched_on<TURN>(here) {
    SWITCHED_ON.inc(here, const { Switched::ALL[TURN] });
});
counting_row!(row_switched_off, op_switched_off<TURN>(here) {
    SWITCHED_OFF.inc(here, const { Switched::ALL[TURN] });
});
counting_row!(row_compiled_off, op_compiled_off<TURN>(here) {
    NOT_COMPILED.inc(here, const { NotCompiled::ALL[TURN] });
    black_box(here);
});

/// Another counter, far from the one of that turn.
const fn other(turn: usize, number: usize) -> Client {
    Client::ALL[turn + number * 5 * TURNS]
}

counting_row!(row_add_two, op_add_two<TURN>(here) {
    CLIENT.add_all(here, const { [(other(TURN, 0), 1), (other(TURN, 1), 1460)] });
});
counting_row!(row_add_three, op_add_three<TURN>(here) {
    let counters = const { [(other(TURN, 0), 1), (other(TURN, 1), 1460), (other(TURN, 2), 4)] };
    CLIENT.add_all(here, counters);
});
counting_row!(row_histogram, op_histogram<TURN>(here, value: u64 = black_box(1250)) {
    VARIOUS.record(here, const { Various::HISTOGRAMS[TURN] }, value);
});
// Up, and down again.
counting_row!(row_gauge, op_gauge<TURN>(here) {
    drop(VARIOUS.open(here, const { Various::GAUGES[TURN] }));
});
