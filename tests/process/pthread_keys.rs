//! Threads that attach from the destructor of a pthread key.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use tsrm::Runtime;
use tsrm::stats::GaugeGuard;
use tsrm_tests::{Ledger, Tracked};

static LEDGER: Ledger = Ledger::new();
static TSRM: OnceLock<Runtime> = OnceLock::new();
static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();
static FIRST_ATTACH: AtomicU64 = AtomicU64::new(0);
static LAST_ROUND: AtomicU64 = AtomicU64::new(0);

/// Guards that outlive the threads that opened them.
static GUARDS: Mutex<Vec<GaugeGuard<module::Counted>>> = Mutex::new(Vec::new());

#[tsrm::module]
mod module {
    use super::*;

    #[global]
    pub static VALUE: Tracked = Tracked::new(&LEDGER);
    #[global]
    pub static SHARED: AtomicU64 = AtomicU64::new(1);

    /// What is counted in destructors.
    #[derive(tsrm::Statistics)]
    pub enum Counted {
        /// Attaches.
        #[stat(counter)]
        Attaches,
        /// The greatest round.
        #[stat(peak)]
        Round,
        /// Guards that are kept.
        #[stat(gauge)]
        Open,
    }

    /// Whether it is read, hangs on how late its threads are.
    #[statistics]
    pub static COUNTED: tsrm::Statistics<Counted>;
}

extern "C" fn destructor(round: *mut c_void) {
    let round = round.addr() as u64;
    if round < FIRST_ATTACH.load(Ordering::Relaxed) {
        return arm(round + 1);
    }
    let fresh = TSRM.get().unwrap().try_attach(|here| {
        module::SHARED.get(here).fetch_add(1, Ordering::Relaxed);
        module::COUNTED.inc(here, module::Counted::Attaches);
        module::COUNTED.raise(here, module::Counted::Round, round);
        GUARDS.lock().unwrap().push(module::COUNTED.open(here, module::Counted::Open));
        module::VALUE.get(here).cell.replace(1) == 0
    });
    match fresh {
        Ok(fresh) => println!("round {round}: {}", if fresh { "fresh" } else { "stale" }),
        Err(error) => println!("round {round}: {error}"),
    }
    if round < LAST_ROUND.load(Ordering::Relaxed) {
        arm(round + 1);
    }
}

/// Makes the destructor run (again) with that number.
fn arm(round: u64) {
    let value = ptr::without_provenance::<c_void>(round as usize);
    // SAFETY: the key exists; its value is only a number.
    let set = unsafe { libc::pthread_setspecific(*KEY.get().unwrap(), value) };
    assert_eq!(set, 0);
}

extern "C" fn attached_before(_: *mut c_void) -> *mut c_void {
    arm(1);
    TSRM.get().unwrap().attach(|here| {
        module::COUNTED.inc(here, module::Counted::Attaches);
        module::VALUE.get(here).cell.set(1);
    });
    ptr::null_mut()
}

extern "C" fn never_attached(_: *mut c_void) -> *mut c_void {
    arm(1);
    ptr::null_mut()
}

fn raw_thread(body: extern "C" fn(*mut c_void) -> *mut c_void) {
    let mut thread = 0;
    // SAFETY: `thread` is valid for the write, and the function fits.
    let made = unsafe { libc::pthread_create(&raw mut thread, ptr::null(), body, ptr::null_mut()) };
    assert_eq!(made, 0);
    // SAFETY: joined once.
    let joined = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    assert_eq!(joined, 0);
}

fn main() {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    TSRM.set(tsrm).unwrap();
    let mut key = 0;
    // After the start, so behind the runtime's own key in every round.
    // SAFETY: `key` is valid for the write, the destructor does not unwind.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(destructor)) };
    assert_eq!(made, 0);
    KEY.set(key).unwrap();
    let own = module::COUNTED.anywhere().open(module::Counted::Open);
    match std::env::args().nth(1).unwrap().as_str() {
        "attached" => {
            LAST_ROUND.store(3, Ordering::Relaxed);
            raw_thread(attached_before);
        }
        "first" => {
            LAST_ROUND.store(1, Ordering::Relaxed);
            std::thread::spawn(|| arm(1)).join().unwrap();
            raw_thread(never_attached);
        }
        "last-round" => {
            LAST_ROUND.store(4, Ordering::Relaxed);
            FIRST_ATTACH.store(4, Ordering::Relaxed);
            std::thread::spawn(|| arm(1)).join().unwrap();
        }
        "every-round" => {
            LAST_ROUND.store(4, Ordering::Relaxed);
            raw_thread(never_attached);
        }
        other => panic!("{other}"),
    }
    let (built, dropped) = LEDGER.both();
    println!("books: {built} built, {dropped} dropped, {} threads", tsrm.threads().len());
    // Whether they have left or not.
    let counted = module::COUNTED.snapshot();
    let [attaches, round] =
        [module::Counted::Attaches, module::Counted::Round].map(|which| counted.count(which));
    println!("counted: {attaches}, up to round {round}");
    GUARDS.lock().unwrap().clear();
    println!("open: {}", module::COUNTED.snapshot().count(module::Counted::Open));
    drop(own);
    // Nobody looks into the TLS of a thread that is gone.
    let looked = tsrm.try_attach(|here| {
        let mut sum = 0;
        module::SHARED.for_each_thread(here, |_, value| sum += value.load(Ordering::Relaxed));
        sum
    });
    println!("looked: {:?}", looked.ok());
}
