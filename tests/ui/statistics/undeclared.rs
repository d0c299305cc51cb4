//! ATTACK: a set of statistics that was never declared, and one declared by hand.
#![forbid(unsafe_code)]

use std::sync::atomic::AtomicBool;

use tsrm::private::{AtomicU64, StatisticsDeclaration, StatisticsDescriptor};

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    Sent,
}

struct Undeclared;

struct Sworn;

unsafe impl StatisticsDeclaration for Sworn {
    type Set = Client;

    fn descriptor() -> &'static StatisticsDescriptor {
        loop {}
    }

    unsafe fn slot() -> *const [AtomicU64; 1] {
        std::ptr::without_provenance(16)
    }

    fn switch() -> &'static AtomicBool {
        loop {}
    }
}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let undeclared = tsrm::Statistics::<Undeclared>::new();
    tsrm.attach(|here| undeclared.inc(here, Client::Sent));
}
