//! ATTACK: a guard kept in a static.
#![forbid(unsafe_code)]

use std::sync::Mutex;

use tsrm::sync::{ExclusiveGuard, SrwMutex};

static FREE: SrwMutex<u32> = SrwMutex::new(0);

static KEPT: Mutex<Option<ExclusiveGuard<'static, &SrwMutex<u32>>>> = Mutex::new(None);

fn main() {
    let _ = (&FREE, &KEPT);
}
