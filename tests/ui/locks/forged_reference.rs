//! ATTACK: what refers now to this lock, now to that one.
#![forbid(unsafe_code)]

use std::ops::Deref;

use tsrm::sync::{Exclusive, LockRef, SuxLock, SuxRef};

struct Moody([SuxLock<u8>; 2]);

impl Deref for Moody {
    type Target = SuxLock<u8>;

    fn deref(&self) -> &SuxLock<u8> {
        &self.0[std::process::id() as usize % 2]
    }
}

impl LockRef<Exclusive> for Moody {}

impl SuxRef for Moody {
    type Guarded = u8;
}

fn main() {}
