//! Threads that are late: no hook of a module runs when the module is down, nor on behalf of the next
//! runtime.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use tsrm::{Attached, Runtime};

/// How a hook is held up: it says that it is there, and waits.
type Hold = Mutex<Option<(Sender<()>, Receiver<()>)>>;

static HOLD_MODULE_SHUTDOWN: Hold = Mutex::new(None);
static HOLD_THREAD_STARTUP: Hold = Mutex::new(None);
static QUIET: OnceLock<()> = OnceLock::new();

fn say(what: &str) {
    if QUIET.get().is_none() {
        println!("{what}");
    }
}

fn hold(at: &Hold) {
    let held = at.lock().unwrap().take();
    if let Some((there, go)) = held {
        there.send(()).unwrap();
        go.recv().unwrap();
    }
}

/// Holds up the next hook there: (it is there, let it go).
fn hold_next(at: &Hold) -> (Receiver<()>, Sender<()>) {
    let (there, is_there) = channel();
    let (go, may_go) = channel();
    *at.lock().unwrap() = Some((there, may_go));
    (is_there, go)
}

#[tsrm::module]
mod module {
    use super::*;

    #[module_startup]
    fn up(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        say("module up");
        Ok(())
    }

    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        hold(&HOLD_MODULE_SHUTDOWN);
        say("module down");
    }

    #[thread_startup]
    fn born(_here: Attached<'_>) -> Result<(), tsrm::Error> {
        hold(&HOLD_THREAD_STARTUP);
        say("thread born");
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: Attached<'_>) {
        say("thread dies");
    }

    #[request_startup]
    fn begins(_here: Attached<'_>) -> Result<(), tsrm::Error> {
        say("request begins");
        Ok(())
    }

    #[request_shutdown]
    fn ends(_here: Attached<'_>) {
        say("request ends");
    }
}

fn main() {
    if tsrm::SINGLE_THREADED {
        QUIET.set(()).unwrap();
    }
    leaves_while_modules_go_down();
    ends_its_request_in_the_next_runtime();
    is_born_in_a_dead_runtime();
}

/// A request from which the thread is let go by `go`.
fn request(tsrm: Runtime) -> (std::thread::JoinHandle<()>, Sender<()>) {
    let (go, may_go) = channel();
    let (there, is_there) = channel();
    let thread = std::thread::spawn(move || {
        tsrm.request(|_| {
            there.send(()).unwrap();
            may_go.recv().unwrap();
        });
    });
    is_there.recv().unwrap();
    (thread, go)
}

fn leaves_while_modules_go_down() {
    say("-- leaves while modules go down");
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let (thread, go) = request(tsrm);
    let (is_there, let_go) = hold_next(&HOLD_MODULE_SHUTDOWN);
    let shutdown = std::thread::spawn(move || tsrm.shutdown(Duration::ZERO).unwrap());
    is_there.recv().unwrap();
    go.send(()).unwrap();
    thread.join().unwrap();
    let_go.send(()).unwrap();
    assert_eq!(shutdown.join().unwrap().stragglers.len(), 1);
}

fn ends_its_request_in_the_next_runtime() {
    say("-- ends its request in the next runtime");
    let old = Runtime::start([module::MODULE]).unwrap();
    let (thread, go) = request(old);
    assert_eq!(old.shutdown(Duration::ZERO).unwrap().stragglers.len(), 1);
    let new = Runtime::start([module::MODULE]).unwrap();
    go.send(()).unwrap();
    thread.join().unwrap();
    assert!(new.shutdown(Duration::MAX).unwrap().is_clean());
}

fn is_born_in_a_dead_runtime() {
    say("-- is born in a dead runtime");
    let old = Runtime::start([module::MODULE]).unwrap();
    let (is_there, let_go) = hold_next(&HOLD_THREAD_STARTUP);
    let thread =
        std::thread::spawn(move || old.try_attach(|_| ()).map_err(|error| error.to_string()));
    is_there.recv().unwrap();
    assert_eq!(old.shutdown(Duration::ZERO).unwrap().stragglers.len(), 1);
    let new = Runtime::start([module::MODULE]).unwrap();
    let_go.send(()).unwrap();
    println!("{:?}", thread.join().unwrap());
    assert!(new.shutdown(Duration::MAX).unwrap().is_clean());
}
