//! Functions whose machine code `tests/shape.rs` looks at.

use std::hint::black_box;
use std::sync::atomic::Ordering;

use tsrm::Attached;
use tsrm_shape::{BY_HAND, Engine, shape};

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

#[tsrm::main(shape)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        shape_static(here);
        shape_by_hand();
        shape_cached(here);
        black_box(shape_shared(here));
        let with = shape_with_token(here, black_box(3), black_box(4));
        println!("{}", with == shape_without_token(black_box(3), black_box(4)));
    });
}
