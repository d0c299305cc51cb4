//! Functions whose machine code `tests/shape.rs` looks at.

mod locks;

use std::hint::black_box;
use std::sync::atomic::Ordering;

use tsrm::Attached;
use tsrm::stats::OwnedStatistics;
use tsrm_shape::counted::{CLIENT, Client, OFF, Off, SWITCHED, Switched};
use tsrm_shape::{BY_HAND, COUNTED_BY_HAND, Engine, counted, shape};

fn bump(engine: &Engine) {
    engine.count.set(engine.count.get() + 1);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_static(here: Attached<'_>) {
    bump(shape::STATIC.get(here));
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_by_hand() {
    bump(&BY_HAND.0);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_cached(here: Attached<'_>) {
    bump(shape::CACHED.get(here));
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_shared(here: Attached<'_>) -> u64 {
    shape::SHARED.get(here).1.load(Ordering::Relaxed)
}

fn work(a: u64, b: u64) -> u64 {
    (0..a).fold(a, |sum, i| sum.rotate_left(5) ^ (b + i))
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_with_token(_here: Attached<'_>, a: u64, b: u64) -> u64 {
    work(a, b)
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_without_token(a: u64, b: u64) -> u64 {
    work(a, b)
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_inc(here: Attached<'_>) {
    CLIENT.inc(here, Client::Rows);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_inc_by_hand() {
    let rows = &COUNTED_BY_HAND.0[3];
    rows.set(rows.get() + 1);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_add(here: Attached<'_>, by: u64) {
    CLIENT.add(here, Client::Rows, by);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_add_by_hand(by: u64) {
    let rows = &COUNTED_BY_HAND.0[3];
    rows.set(rows.get() + by);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_add_all(here: Attached<'_>, rows: u64) {
    CLIENT.add_all(here, [(Client::Rows, rows), (Client::Queries, 1)]);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_raise(here: Attached<'_>, rows: u64) {
    CLIENT.raise(here, Client::Largest, rows);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_local(here: Attached<'_>, rows: &[u64]) {
    let local = CLIENT.local(here);
    for &row in rows {
        // The loop is not to be made a multiplication.
        local.add(Client::Rows, black_box(row));
    }
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_owned(here: Attached<'_>, own: &OwnedStatistics<Client>) {
    own.inc(here, &CLIENT, Client::Rows);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_switched(here: Attached<'_>) {
    SWITCHED.inc(here, Switched::Rows);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_switched_all(here: Attached<'_>, rows: u64) {
    SWITCHED.add_all(here, [(Switched::Rows, rows), (Switched::Queries, 1)]);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_off(here: Attached<'_>, own: &OwnedStatistics<Off>, by: u64) {
    OFF.add(here, Off::Queries, by);
    OFF.add_all(here, [(Off::Queries, by), (Off::Queries, 1)]);
    OFF.record(here, Off::Times, by);
    own.add(here, &OFF, Off::Queries, by);
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_off_gauge(here: Attached<'_>, own: &OwnedStatistics<Off>, by: u64) -> u64 {
    let mut guard = OFF.open(here, Off::Connections);
    guard.set_amount(by);
    let other = own.open(here, &OFF, Off::Connections);
    guard.amount() + other.amount()
}

// SAFETY: the names are this program's own.
#[unsafe(no_mangle)]
#[inline(never)]
fn shape_off_anywhere(by: u64) {
    OFF.anywhere().add(Off::Queries, by);
}

fn count(here: Attached<'_>) {
    let own = OwnedStatistics::new();
    let by = black_box(3);
    shape_inc(here);
    shape_inc_by_hand();
    shape_add(here, by);
    shape_add_by_hand(by);
    shape_add_all(here, by);
    shape_raise(here, by);
    shape_local(here, black_box(&[1, 2]));
    shape_owned(here, &own);
    shape_switched(here);
    shape_switched_all(here, by);
    SWITCHED.set_enabled(black_box(false));
    shape_switched(here);
    // Calls of what does nothing would be left out, and the functions with them.
    let off: fn(Attached<'_>, &OwnedStatistics<Off>, u64) = black_box(shape_off);
    off(here, &OwnedStatistics::new(), by);
    let off: fn(Attached<'_>, &OwnedStatistics<Off>, u64) -> u64 = black_box(shape_off_gauge);
    println!("{}", off(here, &OwnedStatistics::new(), by));
    let off: fn(u64) = black_box(shape_off_anywhere);
    off(by);
    let rows = [CLIENT.snapshot(), own.snapshot()].map(|now| now.count(Client::Rows));
    println!(
        "{rows:?} {} {}",
        SWITCHED.snapshot().count(Switched::Rows),
        COUNTED_BY_HAND.0[3].get()
    );
}

#[tsrm::main(shape, counted)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(count);
    tsrm.attach(locks::call);
    tsrm.attach(|here| {
        shape_static(here);
        shape_by_hand();
        shape_cached(here);
        black_box(shape_shared(here));
        let with = shape_with_token(here, black_box(3), black_box(4));
        println!("{}", with == shape_without_token(black_box(3), black_box(4)));
    });
}
