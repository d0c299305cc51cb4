//! A static global ten times as large as the stack of the threads that drop and renew it. A process
//! of its own: glibc takes the bytes from the stack mapping of *every* thread.

use std::cell::Cell;

use tsrm_tests::Ledger;

static LEDGER: Ledger = Ledger::new();

const BYTES: usize = 4 * 1024 * 1024;
const STACK: usize = 256 * 1024;

#[tsrm::module]
mod module {
    use super::*;

    pub struct Large {
        pub bytes: [Cell<u8>; BYTES],
        _tracked: tsrm_tests::Tracked,
    }

    impl Large {
        const fn new() -> Self {
            let _tracked = tsrm_tests::Tracked::uncounted(&LEDGER);
            Self { bytes: [const { Cell::new(0) }; BYTES], _tracked }
        }
    }

    #[global]
    pub static LARGE: Large = const { Large::new() };
}

#[tsrm::main(module)]
fn main(tsrm: tsrm::Runtime) {
    println!("static bytes: {}", tsrm.report().static_bytes >= BYTES);
    // Ours adds the bytes of the statics to the stack that it is asked for.
    let ours = tsrm::thread::Builder::new().stack_size(STACK);
    let last = ours.spawn(|here| module::LARGE.get(here).bytes[BYTES - 1].replace(1));
    println!("spawned: {}", last.unwrap().join().unwrap());
    let plain = std::thread::Builder::new().stack_size(STACK + tsrm.report().static_bytes);
    let rounds = plain.spawn(move || {
        for round in 1..=3 {
            let last = tsrm.attach(|here| module::LARGE.get(here).bytes[BYTES - 1].replace(1));
            tsrm.detach().unwrap();
            println!("round {round}: {last}");
        }
    });
    rounds.unwrap().join().unwrap();
    println!("dropped: {}", LEDGER.dropped());
}
