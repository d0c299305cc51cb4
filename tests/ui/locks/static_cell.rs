//! ATTACK: the same in statics of the program.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::rc::Rc;

use tsrm::sync::{SrwMutex, SuxLock};

static COUNT: SuxLock<Cell<u64>> = SuxLock::new(Cell::new(0));
static NAME: SrwMutex<Option<Rc<str>>> = SrwMutex::new(None);

fn main() {
    let _ = (&COUNT, &NAME);
}
