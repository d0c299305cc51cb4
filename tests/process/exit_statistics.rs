//! The process ends in the middle: what was counted by then is seen by a handler at exit, whoever runs it.

use std::process::exit;
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};

use tsrm::Runtime;
use tsrm::stats::GaugeGuard;

#[path = "counting.rs"]
mod counting;
#[path = "say.rs"]
mod say;

use counting::counted::{self, COUNTED, Counted};
use counting::{count, events, totals};
use say::say;

static TSRM: OnceLock<Runtime> = OnceLock::new();
/// Dropped at the exit.
static GUARD: Mutex<Option<GaugeGuard<Counted>>> = Mutex::new(None);

extern "C" fn at_exit() {
    say(&format!("at exit: {}", totals()));
    drop(GUARD.lock().unwrap().take());
    let tsrm = *TSRM.get().unwrap();
    // With a token on a thread that is outside, if there is one for it.
    count(tsrm, 50);
    match tsrm.detach() {
        Ok(()) => say(&format!("and then: {}", totals())),
        Err(error) => say(&format!("and then: {}; {error}", totals())),
    }
}

/// Is dropped behind the thread's values.
struct Late(Mutex<Option<GaugeGuard<Counted>>>);

thread_local! {
    static LATE: Late = const { Late(Mutex::new(None)) };
}

impl Drop for Late {
    fn drop(&mut self) {
        drop(self.0.lock().unwrap().take());
        COUNTED.anywhere().inc(Counted::Events);
        say(&format!("late: {}", totals()));
    }
}

fn main() {
    let tsrm = Runtime::start([counted::MODULE]).unwrap();
    TSRM.set(tsrm).unwrap();
    // SAFETY: a function of this program, which does not unwind.
    assert_eq!(unsafe { libc::atexit(at_exit) }, 0);
    match std::env::args().nth(1).unwrap().as_str() {
        "inside" => on_a_worker(tsrm, true),
        "outside" => on_a_worker(tsrm, false),
        "main" => on_the_main_thread(tsrm),
        "returns" => returns(tsrm),
        "thread" => thread_ends(tsrm),
        other => panic!("{other}"),
    }
}

/// The process ends on another thread than the main one, which counts and waits.
fn on_a_worker(tsrm: Runtime, is_inside: bool) {
    let (done, is_done) = channel::<()>();
    std::thread::spawn(move || {
        count(tsrm, 10);
        count(tsrm, 11);
        *GUARD.lock().unwrap() = tsrm.try_attach(|here| COUNTED.open(here, Counted::Open)).ok();
        // The other one goes on.
        done.send(()).unwrap();
        while events() < 5 {
            std::thread::yield_now();
        }
        if is_inside {
            tsrm.attach(|_| tsrm.attach(|_| exit(3)));
        }
        exit(4);
    });
    is_done.recv().unwrap();
    let wait = || {
        (0..3).for_each(|size| count(tsrm, size));
        loop {
            std::thread::park();
        }
    };
    if tsrm.try_attach(|_| wait()).is_err() {
        wait();
    }
}

/// Inside its attach, with another thread that is inside as well.
fn on_the_main_thread(tsrm: Runtime) {
    tsrm.attach(|here| {
        count(tsrm, 10);
        *GUARD.lock().unwrap() = Some(COUNTED.open(here, Counted::Open));
        let (done, is_done) = channel::<()>();
        std::thread::spawn(move || {
            let wait = || {
                (0..3).for_each(|size| count(tsrm, size));
                done.send(()).unwrap();
                loop {
                    std::thread::park();
                }
            };
            if tsrm.try_attach(|_| wait()).is_err() {
                wait();
            }
        });
        is_done.recv().unwrap();
        exit(5);
    });
}

/// With guards in TLS and in a static, both of which outlive `main`.
fn returns(tsrm: Runtime) {
    LATE.with(|_| ());
    count(tsrm, 10);
    tsrm.attach(|here| {
        *GUARD.lock().unwrap() = Some(COUNTED.open(here, Counted::Open));
        let open = COUNTED.open_many(here, Counted::Open, 5);
        LATE.with(|late| *late.0.lock().unwrap() = Some(open));
    });
    say("main ends");
}

/// A thread ends without a word, with a guard that goes with its TLS; another one's guard outlives the runtime.
fn thread_ends(tsrm: Runtime) {
    let thread = std::thread::spawn(move || {
        LATE.with(|_| ());
        count(tsrm, 10);
        tsrm.attach(|here| {
            *GUARD.lock().unwrap() = Some(COUNTED.open(here, Counted::Open));
            let open = COUNTED.open_many(here, Counted::Open, 5);
            LATE.with(|late| *late.0.lock().unwrap() = Some(open));
        });
        say(&format!("thread: {}", totals()));
    });
    thread.join().unwrap();
    say(&format!("joined: {}", totals()));
    assert!(tsrm.shutdown(std::time::Duration::from_secs(600)).unwrap().is_clean());
    say(&format!("shut down: {}, {:?}", totals(), COUNTED.snapshot().state()));
}
