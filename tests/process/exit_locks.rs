//! Locks while a thread, or the process, ends: held, in hooks, in destructors.

use std::ffi::c_void;
use std::panic::resume_unwind;
use std::process::exit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{RecursiveSuxLock, SrwMutex};
use tsrm::{Attached, Runtime};

#[path = "asleep.rs"]
mod asleep;
#[path = "say.rs"]
mod say;

use asleep::Asleep;
use module::PAGE;
use say::say;

static FREE: SrwMutex<u32> = SrwMutex::new(0);
static TREE: RecursiveSuxLock<AtomicU32> = RecursiveSuxLock::new(AtomicU32::new(0));
static LOG: Mutex<u32> = Mutex::new(0);
static LEVEL: RwLock<u32> = RwLock::new(0);

/// Takes every lock there is, with a token, in the hooks that have one; without in those that have none, and in
/// destructors.
#[tsrm::module]
mod module {
    use tsrm::Attached;
    use tsrm::sync::SuxLock;

    use super::*;

    #[shared]
    pub static PAGE: SuxLock<u32> = SuxLock::new(0);

    #[global]
    pub static DROPPED: Dropped = Dropped("global");

    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        locked_anew(here);
        say(&format!("thread hook: {}", values(here)));
    }

    #[module_shutdown]
    fn ends(_phase: &mut tsrm::Shutdown<'_>) {
        say(&format!("module hook: log {}", counted()));
    }
}

/// Counts in each lock, and so finds that it is free.
fn locked_anew(here: Attached<'_>) {
    *FREE.try_lock(here).unwrap() += 1;
    let page = PAGE.get(here).try_update(here).unwrap();
    *page.try_upgrade().unwrap() += 1;
    TREE.try_exclusive(here).unwrap().fetch_add(1, Ordering::Relaxed);
    *LOG.try_lock().unwrap() += 1;
}

fn values(here: Attached<'_>) -> String {
    let [free, page, log] = [*FREE.lock(here), *PAGE.get(here).shared(here), *LOG.lock()];
    let tree = TREE.shared(here).load(Ordering::Relaxed);
    format!("free {free}, page {page}, tree {tree}, log {log}")
}

/// In a raw lock, without a token.
fn counted() -> u32 {
    let mut log = LOG.lock();
    *log += 1;
    *log
}

/// Counts when it is dropped, if nobody holds the lock.
pub struct Dropped(&'static str);

impl Drop for Dropped {
    fn drop(&mut self) {
        let held = || "is held".to_owned();
        let log = LOG.try_lock().map(|mut log| {
            *log += 1;
            log.to_string()
        });
        say(&format!("{}: log {}", self.0, log.unwrap_or_else(held)));
    }
}

thread_local! {
    static LATE: Dropped = const { Dropped("TLS") };
}

fn main() {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    match std::env::args().nth(1).unwrap().as_str() {
        "inside" => inside(tsrm, || exit(3)),
        "panic" => inside(tsrm, || resume_unwind(Box::new("on purpose"))),
        "outside" => {
            outside(tsrm);
            exit(4);
        }
        "shutdown" => {
            outside(tsrm);
            assert!(tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean());
        }
        "thread-panics" => {
            let thread = std::thread::spawn(move || {
                inside(tsrm, || resume_unwind(Box::new("on purpose")));
            });
            assert!(thread.join().is_err());
            println!("joined: {}", tsrm.attach(values));
            tsrm.detach().unwrap();
        }
        "destructors" => destructors(),
        other => panic!("{other}"),
    }
}

/// Holds all of them when it ends.
fn inside(tsrm: Runtime, end: impl FnOnce()) {
    LATE.with(|_| ());
    tsrm.attach(|here| {
        module::DROPPED.get(here);
        let mut page = PAGE.get(here).update(here).upgrade();
        let mut held = (FREE.lock(here), LOG.lock());
        let _trees = (TREE.update(here), TREE.exclusive(here), TREE.exclusive(here));
        (*page, *held.0, *held.1) = (10, 10, 10);
        end();
    });
}

fn outside(tsrm: Runtime) {
    LATE.with(|_| ());
    tsrm.attach(|here| {
        module::DROPPED.get(here);
        locked_anew(here);
    });
}

static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();

extern "C" fn key_destructor(_: *mut c_void) {
    *LEVEL.write() += 1;
    say(&format!("key: level {}", *LEVEL.upgradable_read()));
}

/// A thread that never attaches waits in its destructors for raw locks.
fn destructors() {
    let mut key = 0;
    // SAFETY: `key` is valid for the write, the destructor does not unwind.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(key_destructor)) };
    assert_eq!(made, 0);
    KEY.set(key).unwrap();

    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            say(&format!("TLS: log {}", counted()));
        }
    }
    thread_local! {
        static WAITS: Waits = const { Waits };
    }
    let held = (LOG.lock(), LEVEL.read());
    let thread = Asleep::spawn(|| {
        let any_value = ptr::dangling::<c_void>();
        // SAFETY: the key exists; its value is not looked at.
        assert_eq!(unsafe { libc::pthread_setspecific(*KEY.get().unwrap(), any_value) }, 0);
        WAITS.with(|_| ());
    });
    drop(held.0);
    thread.wait();
    drop(held.1);
    thread.thread.join().unwrap();
}
