//! Threads that attach again and again from before the first start on: their statics are known to the
//! runtime from the moment they are in.

use std::cell::RefCell;
use std::sync::Barrier;
use std::time::Duration;

use tsrm::Runtime;
use tsrm_tests::{Ledger, Tracked};

static LEDGER: Ledger = Ledger::new();
const THREADS: usize = 16;

#[tsrm::module]
mod module {
    use super::*;

    #[global]
    pub static VALUE: RefCell<Option<Tracked>> = const { RefCell::new(None) };
}

fn main() {
    let ready = Barrier::new(THREADS + 1);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                ready.wait();
                let fill = |value: &RefCell<_>| *value.borrow_mut() = Some(Tracked::new(&LEDGER));
                while module::VALUE.try_with(fill).is_err() {}
                // In a single-threaded build the others wait for it.
                Runtime::current().unwrap().detach().unwrap();
            });
        }
        ready.wait();
        Runtime::start([module::MODULE]).unwrap();
    });
    assert!(Runtime::current().unwrap().shutdown(Duration::MAX).unwrap().is_clean());
    println!("made and dropped: {}", LEDGER.both() == (THREADS, THREADS));
}
