//! A signal handler counts, on threads in every state, without a token and without a lock.

use std::ffi::c_int;
use std::ptr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tsrm::Runtime;

#[path = "counting.rs"]
mod counting;

use counting::counted::{self, COUNTED, Counted};
use counting::{events, totals};

static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handler(_signal: c_int) {
    let anywhere = COUNTED.anywhere();
    anywhere.inc(Counted::Events);
    anywhere.raise(Counted::Largest, 9);
    anywhere.record(Counted::Sizes, 9);
    HANDLED.fetch_add(1, Ordering::SeqCst);
}

fn raise_quietly() {
    // SAFETY: raises a signal that has a handler, on the calling thread.
    let raised = unsafe { libc::raise(libc::SIGUSR1) };
    assert_eq!(raised, 0);
}

/// Raises the signal on this thread.
fn raise(state: &str) {
    raise_quietly();
    println!("{state}: {}", totals());
}

extern "C" fn raw_thread(_: *mut libc::c_void) -> *mut libc::c_void {
    raise("raw thread");
    ptr::null_mut()
}

/// Calls the handler on a thread that counts, reads, registers and leaves all the time.
fn hammer(tsrm: Runtime) {
    const SIGNALS: u64 = 200;
    let before = events() - HANDLED.load(Ordering::SeqCst);
    let (stop, there) = (AtomicBool::new(false), Barrier::new(2));
    let own = std::thread::scope(|scope| {
        let target = scope.spawn(|| {
            // SAFETY: takes nothing.
            let own = unsafe { libc::pthread_self() };
            THREAD.store(own as u64, Ordering::SeqCst);
            there.wait();
            let (mut own, mut last) = (0, 0);
            while !stop.load(Ordering::Relaxed) {
                tsrm.attach(|here| {
                    COUNTED.inc(here, Counted::Events);
                    let now = events();
                    assert!(now > last, "{last}, then {now}");
                    last = now;
                });
                own += 1;
                if own % 16 == 0 {
                    tsrm.detach().unwrap();
                }
            }
            own
        });
        there.wait();
        let thread = THREAD.load(Ordering::SeqCst) as libc::pthread_t;
        let handled = HANDLED.load(Ordering::SeqCst);
        for sent in 1..=SIGNALS {
            // SAFETY: the thread is not joined yet.
            assert_eq!(unsafe { libc::pthread_kill(thread, libc::SIGUSR1) }, 0);
            // One that is pending already would be lost.
            while HANDLED.load(Ordering::SeqCst) < handled + sent {
                std::thread::yield_now();
            }
        }
        stop.store(true, Ordering::Relaxed);
        target.join().unwrap()
    });
    let exact = events() == before + own + HANDLED.load(Ordering::SeqCst);
    println!("hammered: exact {exact}");
}

static THREAD: AtomicU64 = AtomicU64::new(0);

fn main() {
    let handler: extern "C" fn(c_int) = handler;
    // The first one finds the set, and allocates.
    COUNTED.anywhere();
    // SAFETY: the handler only does what is allowed in one.
    let old = unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    assert_ne!(old, libc::SIG_ERR);
    raise("nothing runs");
    let tsrm = Runtime::start([counted::MODULE]).unwrap();
    raise("unregistered");
    tsrm.attach(|here| {
        COUNTED.inc(here, Counted::Events);
        raise("attached");
    });
    raise("registered, idle");
    let mut thread = 0;
    // SAFETY: `thread` is valid for the write, and the function fits.
    let made =
        unsafe { libc::pthread_create(&raw mut thread, ptr::null(), raw_thread, ptr::null_mut()) };
    assert_eq!(made, 0);
    // SAFETY: joined once.
    let joined = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    assert_eq!(joined, 0);
    tsrm.detach().unwrap();
    hammer(tsrm);
    assert!(tsrm.shutdown(std::time::Duration::from_secs(600)).unwrap().is_clean());
    let before = events();
    raise_quietly();
    println!("shut down: {} more", events() - before);
}
