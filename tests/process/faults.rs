//! What the fault hook is told, also one that panics itself.

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

fn main() {
    let builder = Runtime::builder().module(faulty::MODULE).on_fault(|fault| {
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
}
