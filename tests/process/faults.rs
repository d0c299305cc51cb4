//! What the fault hook is told, also one that panics itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tsrm::Runtime;

pub struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("boom");
    }
}

#[tsrm::module]
mod faulty {
    use super::*;

    #[global]
    pub static GRENADE: Grenade = Grenade;

    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        if here.thread().id().get() == 2 {
            panic!("hook");
        }
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        panic!("module hook");
    }
}

static CAPTURED_DROPPED: AtomicBool = AtomicBool::new(false);

/// What the fault hook has captured.
struct Captured;

impl Drop for Captured {
    fn drop(&mut self) {
        CAPTURED_DROPPED.store(true, Ordering::Relaxed);
        panic!("what the fault hook captured");
    }
}

fn main() {
    let captured = Captured;
    let builder = Runtime::builder().module(faulty::MODULE).on_fault(move |fault| {
        let _ = &captured;
        println!("fault: {fault}");
        panic!("the fault hook panics too");
    });
    let tsrm = builder.start().unwrap();
    tsrm.attach(|here| {
        faulty::GRENADE.get(here);
    });
    tsrm.detach().unwrap();
    tsrm.attach(|_| ());
    assert!(tsrm.shutdown(Duration::ZERO).unwrap().is_clean());
    println!("counted: {}", tsrm.report().faults);
    if CAPTURED_DROPPED.load(Ordering::Relaxed) {
        println!("what it captured panicked in its drop");
    }
}
