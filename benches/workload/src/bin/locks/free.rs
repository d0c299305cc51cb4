//! What it costs to take a free lock and to give it back, by one thread: in a loop that does nothing else.
//!
//! Inside and between two turns is a barrier to the compiler: what is held is written before it and read after it.
//! So a lock that is a plain flag is a flag that is really set and reset.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

use tsrm::{Attached, Runtime, SINGLE_THREADED};
use tsrm_workload::harness::{clock, cpu, print};
#[cfg(unix)]
use tsrm_workload::locks::peers::PthreadRwLock;
use tsrm_workload::locks::peers::{
    ParkingLot, ParkingLot12, ParkingLotMutex, Std, StdMutex, Usync,
};
use tsrm_workload::locks::{Alone, Lock, RawRwLock, RawSrwMutex, Srw, Sux};

use crate::key;

/// How often all rows are run in turn: often and shortly, so that a disturbance meets all of them.
const REPEATS: usize = 41;
const TURNS: u32 = 20_000;

/// A lock's turns in a mode.
struct Row {
    name: &'static str,
    workload: &'static str,
    run: fn(Attached<'_>, u32),
}

/// Prints all rows of this build.
pub(crate) fn time(tsrm: Runtime) {
    let rows = rows();
    let mut samples = vec![Vec::with_capacity(REPEATS); rows.len()];
    tsrm.attach(|here| {
        for _ in 0..REPEATS {
            for (row, samples) in rows.iter().zip(&mut samples) {
                let start = cpu::now();
                (row.run)(here, black_box(TURNS));
                samples.push((cpu::now() - start).as_nanos() as f64 / f64::from(TURNS));
            }
        }
    });
    for (row, samples) in rows.iter().zip(samples) {
        print(&key(row.name, row.workload, 1, "ns"), clock::median(samples));
    }
}

fn rows() -> Vec<Row> {
    let mut rows = vec![Row { name: "floor", workload: "floor", run: floor }];
    rows.extend(Row::of_upgradable::<Sux>("SuxLock"));
    rows.push(Row::of_exclusive::<Srw>("SrwMutex"));
    rows.extend(Row::of_upgradable::<RawRwLock>("raw-RwLock"));
    rows.push(Row::of_exclusive::<RawSrwMutex>("raw-Mutex"));
    // What does not know of modes is measured beside the thread-safe build only.
    if !SINGLE_THREADED {
        rows.extend(Row::of_upgradable::<ParkingLot>("parking_lot-RwLock"));
        rows.push(Row::of_exclusive::<ParkingLotMutex>("parking_lot-Mutex"));
        rows.extend(Row::of_upgradable::<ParkingLot12>("parking_lot-0.12-RwLock"));
        rows.extend(Row::of_shared::<Std>("std-RwLock"));
        rows.push(Row::of_exclusive::<StdMutex>("std-Mutex"));
        rows.extend(Row::of_shared::<Usync>("usync-RwLock"));
        #[cfg(unix)]
        rows.extend(Row::of_shared::<PthreadRwLock>("pthread-rwlock"));
    }
    rows
}

impl Row {
    fn of_exclusive<L: Lock>(name: &'static str) -> Self {
        Self { name, workload: "X", run: exclusive::<L> }
    }

    fn of_shared<L: Lock>(name: &'static str) -> [Self; 2] {
        [Self { name, workload: "S", run: shared::<L> }, Self::of_exclusive::<L>(name)]
    }

    fn of_upgradable<L: Lock>(name: &'static str) -> [Self; 4] {
        let [shared, exclusive] = Self::of_shared::<L>(name);
        let update = Self { name, workload: "U", run: update::<L> };
        let upgraded = Self { name, workload: "U-X-U", run: upgraded::<L> };
        [shared, update, exclusive, upgraded]
    }
}

/// What no lock of this kind can do without: two locked instructions, `cmpxchg` and `xadd`.
#[inline(never)]
fn floor(_here: Attached<'_>, turns: u32) {
    const SLEEPS: u32 = 1;
    const HELD: u32 = 2;

    #[repr(align(128))]
    struct Place(AtomicU32);

    let place = Place(AtomicU32::new(0));
    let Place(word) = black_box(&place);
    for _ in 0..turns {
        // As a lock would: if it was not free, that is another story.
        if word.compare_exchange(0, HELD, Ordering::Acquire, Ordering::Relaxed).is_err() {
            not_free();
        }
        black_box(());
        // Whether somebody sleeps is one bit of several: so it takes the value from before.
        if word.fetch_sub(HELD, Ordering::Release) & SLEEPS != 0 {
            not_free();
        }
        black_box(());
    }
}

#[cold]
#[inline(never)]
fn not_free() {
    unreachable!("nobody else knows this lock");
}

#[inline(never)]
fn shared<L: Lock>(here: Attached<'_>, turns: u32) {
    repeat::<L>(turns, |lock| lock.shared(here, inside));
}

#[inline(never)]
fn update<L: Lock>(here: Attached<'_>, turns: u32) {
    repeat::<L>(turns, |lock| lock.update(here, inside));
}

#[inline(never)]
fn upgraded<L: Lock>(here: Attached<'_>, turns: u32) {
    repeat::<L>(turns, |lock| lock.upgraded(here, inside, inside));
}

#[inline(never)]
fn exclusive<L: Lock>(here: Attached<'_>, turns: u32) {
    repeat::<L>(turns, |lock| lock.exclusive(here, inside));
}

#[inline(always)]
fn repeat<L: Lock>(turns: u32, turn: impl Fn(&L)) {
    let lock = Alone::<L>::new();
    // The compiler does not know who else knows it.
    let lock: &Alone<L> = black_box(&lock);
    for _ in 0..turns {
        turn(lock);
        black_box(());
    }
}

#[inline(always)]
fn inside() {
    black_box(());
}
