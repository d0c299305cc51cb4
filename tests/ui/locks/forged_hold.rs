//! ATTACK: a guard and a token written down.
#![forbid(unsafe_code)]

use std::marker::PhantomData;

use tsrm::Attached;
use tsrm::sync::{Exclusive, Guard, SrwMutex, Token};

static FREE: SrwMutex<u32> = SrwMutex::new(0);

fn guard(here: Attached<'_>) {
    let _ = Guard::<Exclusive, _> { lock: &FREE, here, _mode: PhantomData };
}

fn main() {
    let _ = Token::<Exclusive, _> { lock: &FREE, _mode: PhantomData };
    let _ = guard;
}
