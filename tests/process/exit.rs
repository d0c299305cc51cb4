//! `process::exit` from everywhere. Where references may exist, nothing is dropped.

use std::cell::Cell;
use std::process::exit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, mpsc};

use tsrm::Runtime;

#[path = "loud.rs"]
mod loud;

/// Registered before the exit guard, so destroyed after it: tries to attach once more.
struct Late(Cell<Option<Runtime>>);

thread_local! {
    static LATE: Late = const { Late(Cell::new(None)) };
}

impl Drop for Late {
    fn drop(&mut self) {
        if let Some(tsrm) = self.0.take()
            && let Err(error) = tsrm.try_attach(|_| ())
        {
            loud::say(&format!("late: {error}"));
        }
    }
}

#[tsrm::module]
mod looked_at {
    use super::*;

    #[global]
    pub static VALUE: AtomicU32 = AtomicU32::new(0);
}

fn main() {
    let story = std::env::args().nth(1).unwrap();
    let tsrm = Runtime::start([loud::module::MODULE, looked_at::MODULE]).unwrap();
    let attaches_late = matches!(story.as_str(), "inside" | "hook" | "destructor");
    LATE.with(|late| late.0.set(attaches_late.then_some(tsrm)));
    let touch = |here: tsrm::Attached<'_>| {
        loud::module::CACHED.get(here);
    };
    match story.as_str() {
        "outside" => {
            tsrm.attach(touch);
            exit(3);
        }
        "inside" => inside(tsrm, 4),
        "hook" | "destructor" => {
            tsrm.attach(touch);
            tsrm.detach().unwrap();
        }
        "thread" if tsrm::SINGLE_THREADED => exit(7),
        "thread" => tsrm.attach(|here| {
            touch(here);
            let other = std::thread::spawn(move || {
                LATE.with(|late| late.0.set(Some(tsrm)));
                inside(tsrm, 7);
            });
            other.join().unwrap();
        }),
        "looked-at" if tsrm::SINGLE_THREADED => exit(8),
        "looked-at" => look_while_it_exits(tsrm),
        other => panic!("{other}"),
    }
}

fn inside(tsrm: Runtime, code: i32) {
    tsrm.attach(|here| {
        loud::module::CACHED.get(here);
        tsrm.attach(|_| {
            loud::say("inside two attaches");
            exit(code);
        });
    });
}

/// The main thread ends the process inside an attach, while another one looks at its value and waits
/// for what the main thread holds. The exit waits for nobody, and the value stays.
fn look_while_it_exits(tsrm: Runtime) {
    static HELD: Mutex<()> = Mutex::new(());
    let (looking, is_looked_at) = mpsc::channel();
    tsrm.attach(|here| {
        looked_at::VALUE.get(here).store(5, Ordering::Relaxed);
        let _held = HELD.lock().unwrap();
        std::thread::spawn(move || {
            tsrm.attach(|here| {
                looked_at::VALUE.for_each_thread(here, |_, value| {
                    looking.send(()).unwrap();
                    while HELD.try_lock().is_err() {
                        if value.load(Ordering::Relaxed) != 5 {
                            loud::say("the value is gone");
                        }
                    }
                });
            });
        });
        is_looked_at.recv().unwrap();
        exit(8);
    });
}
