//! ATTACK: a guard lent to another thread, which releases or passes it on.
#![forbid(unsafe_code)]

use std::mem;
use std::thread;

use tsrm::sync::SrwMutex;

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let one = SrwMutex::new(1);
    let other = SrwMutex::new(2);
    tsrm.attach(|here| {
        let mut lent = one.lock(here);
        let mut swapped = other.lock(here);
        thread::scope(|scope| {
            scope.spawn(|| mem::swap(&mut lent, &mut swapped));
        });
    });
}
