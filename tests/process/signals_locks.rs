//! A signal handler interrupts a thread that sleeps on a lock: it goes on sleeping.

use std::ffi::c_int;
use std::os::unix::thread::JoinHandleExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use std::{mem, ptr};

use tsrm::sync::raw::lock_api::RwLockUpgradableReadGuard;
use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{SrwMutex, SuxLock};
use tsrm::{Attached, Runtime};

#[path = "asleep.rs"]
mod asleep;

use asleep::Asleep;

#[tsrm::module]
mod module {}

static FREE: SrwMutex<()> = SrwMutex::new(());
static PAGE: SuxLock<()> = SuxLock::new(());
static LOG: Mutex<()> = Mutex::new(());
static LEVEL: RwLock<()> = RwLock::new(());

/// Never over.
const LONG: Duration = Duration::from_secs(3600);

static HANDLED: AtomicU32 = AtomicU32::new(0);

extern "C" fn handler(_signal: c_int) {
    HANDLED.fetch_add(1, Ordering::SeqCst);
}

/// Without `SA_RESTART`: the system calls return `EINTR`.
fn install() {
    let handler: extern "C" fn(c_int) = handler;
    // SAFETY: a structure of numbers, for which 0 is nothing.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // SAFETY: the handler only does what is allowed in one.
    let installed = unsafe { libc::sigaction(libc::SIGUSR1, &raw const action, ptr::null_mut()) };
    assert_eq!(installed, 0);
}

/// It was given back.
static IS_FREE: AtomicBool = AtomicBool::new(false);

/// Interrupts who waits for what is held, then gives it back. `waits` says whether it waited for that.
fn interrupt(name: &str, held: impl Sized, waits: impl FnOnce() -> bool + Send + 'static) {
    IS_FREE.store(false, Ordering::SeqCst);
    let waiter = Asleep::spawn(waits);
    for _ in 0..3 {
        let handled = HANDLED.load(Ordering::SeqCst);
        // SAFETY: the thread is not joined yet.
        let sent = unsafe { libc::pthread_kill(waiter.thread.as_pthread_t(), libc::SIGUSR1) };
        assert_eq!(sent, 0);
        while HANDLED.load(Ordering::SeqCst) == handled {
            std::thread::yield_now();
        }
        waiter.wait();
        assert!(!waiter.thread.is_finished());
    }
    IS_FREE.store(true, Ordering::SeqCst);
    drop(held);
    println!("{name}: {}", waiter.thread.join().unwrap());
}

/// Whether it is held by right. A guard comes as an argument, so it is held meanwhile.
fn is_right(_guard: impl Sized) -> bool {
    IS_FREE.load(Ordering::SeqCst)
}

fn main() {
    install();
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    interrupt("raw mutex", LOG.lock(), || is_right(LOG.lock()));
    interrupt("raw mutex, timed", LOG.lock(), || is_right(LOG.try_lock_for(LONG).unwrap()));
    interrupt("raw, shared", LEVEL.write(), || is_right(LEVEL.read()));
    interrupt("raw, update", LEVEL.write(), || is_right(LEVEL.upgradable_read()));
    interrupt("raw, exclusive", LEVEL.read(), || is_right(LEVEL.write()));
    interrupt("raw, exclusive, timed", LEVEL.read(), || {
        is_right(LEVEL.try_write_for(LONG).unwrap())
    });
    interrupt("raw upgrade", LEVEL.read(), || {
        is_right(RwLockUpgradableReadGuard::upgrade(LEVEL.upgradable_read()))
    });
    if !tsrm::SINGLE_THREADED {
        tsrm.attach(|here| with_token(tsrm, here));
    }
}

fn with_token(tsrm: Runtime, here: Attached<'_>) {
    let attached = |waits: fn(Attached<'_>) -> bool| move || tsrm.attach(waits);
    interrupt("mutex", FREE.lock(here), attached(|here| is_right(FREE.lock(here))));
    interrupt("shared", PAGE.exclusive(here), attached(|here| is_right(PAGE.shared(here))));
    interrupt("update", PAGE.update(here), attached(|here| is_right(PAGE.update(here))));
    interrupt("exclusive", PAGE.shared(here), attached(|here| is_right(PAGE.exclusive(here))));
    interrupt(
        "upgrade, timed",
        PAGE.shared(here),
        attached(|here| is_right(PAGE.update(here).upgrade_timeout(LONG).unwrap())),
    );
}
