//! `process::exit` while a module is retired: where references may exist, and in the middle of a drain,
//! nothing more is dropped; nobody is waited for.

use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use tsrm::Runtime;

#[allow(dead_code, reason = "its module is for other stories")]
#[path = "loud.rs"]
mod loud;

use loud::{Loud, say};

const PATIENCE: Duration = Duration::from_secs(600);

/// Where this story exits, and how.
static EXIT: Mutex<Option<(&'static str, i32)>> = Mutex::new(None);

fn here(place: &str) {
    let exits = EXIT.lock().unwrap().filter(|(at, _)| *at == place);
    if let Some((_, code)) = exits {
        exit(code);
    }
}

/// Another thread may get to the module's end before the process's, or not: then it says nothing.
static QUIET: AtomicBool = AtomicBool::new(false);

fn say_if_it_matters(what: &str) {
    if !QUIET.load(Ordering::SeqCst) {
        say(what);
    }
}

/// Says when it is dropped, if that matters.
pub struct Shared;

impl Drop for Shared {
    fn drop(&mut self) {
        say_if_it_matters("retired: shared dropped");
    }
}

/// Exits in its drop.
pub struct Bomb(&'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        say(self.0);
        here("destructor");
    }
}

/// Is retired.
#[tsrm::module]
mod retired {
    use super::{Bomb, Loud, Shared, here, say, say_if_it_matters};

    #[global]
    pub static BELOW: Loud = Loud("retired: below dropped");
    #[global]
    pub static BOMB: Bomb = Bomb("retired: bomb dropped");
    #[shared]
    pub static SHARED: Shared = Shared;

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        say("retired: thread hook");
        here("thread hook");
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        say_if_it_matters("retired: module hook");
        here("module hook");
    }
}

/// Stays.
#[tsrm::module]
mod staying {
    use super::{Loud, say};

    #[global]
    pub static VALUE: Loud = Loud("staying: value dropped");

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        say("staying: thread hook");
    }
}

fn touch(here: tsrm::Attached<'_>) {
    retired::BELOW.get(here);
    retired::BOMB.get(here);
    staying::VALUE.get(here);
}

fn main() {
    let story = std::env::args().nth(1).unwrap();
    let tsrm = Runtime::start([staying::MODULE, retired::MODULE]).unwrap();
    let exits = |at, code| *EXIT.lock().unwrap() = Some((at, code));
    let retire = move || {
        let _ = tsrm.retire(retired::MODULE, PATIENCE);
        say("retired");
    };
    let on_another_thread = |f: fn(Runtime)| {
        let _ = std::thread::spawn(move || f(tsrm)).join();
    };
    match story.as_str() {
        "destructor" => {
            exits("destructor", 10);
            tsrm.attach(touch);
            retire();
        }
        "thread-hook" => {
            exits("thread hook", 11);
            tsrm.attach(touch);
            retire();
        }
        "module-hook" => {
            exits("module hook", 12);
            tsrm.attach(touch);
            retire();
        }
        "other-destructor" => {
            exits("destructor", 13);
            on_another_thread(|tsrm| {
                tsrm.attach(touch);
                let _ = tsrm.retire(retired::MODULE, PATIENCE);
            });
        }
        "leaving-attach" => {
            // The partial drain at the end of an attach, for a retire that somebody else waits in.
            exits("destructor", 14);
            attach_until_retiring(tsrm, |_| {});
        }
        // A retire waits on another thread meanwhile, for this one.
        "inside" => attach_until_retiring(tsrm, |_| exit(15)),
        "asleep" => {
            tsrm.attach(touch);
            QUIET.store(true, Ordering::SeqCst);
            retire_elsewhere(tsrm);
            exit(16);
        }
        other => panic!("{other}"),
    }
    unreachable!("it has exited");
}

/// Waits until a retire on another thread has begun; it says nothing, since the process ends meanwhile.
fn retire_elsewhere(tsrm: Runtime) {
    let (begun, has_begun) = channel();
    std::thread::spawn(move || {
        begun.send(()).unwrap();
        let _ = tsrm.retire(retired::MODULE, PATIENCE);
    });
    has_begun.recv().unwrap();
    let is_retiring = || {
        let report = tsrm.report();
        report.modules.iter().any(|module| module.name == "retired" && module.retiring)
    };
    while !is_retiring() {
        std::thread::yield_now();
    }
}

fn attach_until_retiring(tsrm: Runtime, then: fn(Runtime)) {
    tsrm.attach(|here| {
        touch(here);
        retire_elsewhere(tsrm);
        then(tsrm);
    });
}
