//! A thread made by C that attaches from the destructor of a pthread key, round after round.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use tsrm::Runtime;
use tsrm_tests::{Ledger, Tracked};

static LEDGER: Ledger = Ledger::new();
static TSRM: OnceLock<Runtime> = OnceLock::new();
static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();

#[tsrm::module]
mod module {
    use super::*;

    #[global]
    pub static VALUE: Tracked = Tracked::new(&LEDGER);
}

extern "C" fn destructor(round: *mut c_void) {
    let round = round.addr();
    let fresh = TSRM.get().unwrap().attach(|here| module::VALUE.get(here).cell.replace(1) == 0);
    println!("round {round}: {}", if fresh { "fresh" } else { "stale" });
    if round < 3 {
        arm(round + 1);
    }
}

/// Makes the destructor run (again) with that number.
fn arm(round: usize) {
    let value = ptr::without_provenance::<c_void>(round);
    // SAFETY: the key exists; its value is only a number.
    let set = unsafe { libc::pthread_setspecific(*KEY.get().unwrap(), value) };
    assert_eq!(set, 0);
}

extern "C" fn raw_thread(_: *mut c_void) -> *mut c_void {
    arm(1);
    TSRM.get().unwrap().attach(|here| module::VALUE.get(here).cell.set(1));
    ptr::null_mut()
}

fn main() {
    let mut key = 0;
    // SAFETY: `key` is valid for the write, the destructor does not unwind.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(destructor)) };
    assert_eq!(made, 0);
    KEY.set(key).unwrap();
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    TSRM.set(tsrm).unwrap();
    let mut thread = 0;
    // SAFETY: `thread` is valid for the write, and the function fits.
    let made =
        unsafe { libc::pthread_create(&raw mut thread, ptr::null(), raw_thread, ptr::null_mut()) };
    assert_eq!(made, 0);
    // SAFETY: joined once.
    let joined = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    assert_eq!(joined, 0);
    let (built, dropped) = LEDGER.both();
    println!("books: {built} built, {dropped} dropped, {} threads", tsrm.threads().len());
}
