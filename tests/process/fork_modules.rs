//! `fork` in the middle of a module's life. The child has nobody to finish what other threads were at.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use tsrm::{Attached, Retired, Runtime};

const PATIENCE: Duration = Duration::from_secs(600);

/// How a hook is held up: it says that it is there, and waits.
type Hold = Mutex<Option<(Sender<()>, Receiver<()>)>>;

static HOLD_STARTUP: Hold = Mutex::new(None);
static HOLD_SHUTDOWN: Hold = Mutex::new(None);

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

/// Shared values, per-thread values: built and dropped in this process.
static BOOKS: [[AtomicUsize; 2]; 2] = [const { [const { AtomicUsize::new(0) }; 2] }; 2];

/// Stands in one of the books.
pub struct Entry(usize);

impl Entry {
    fn new(book: usize) -> Self {
        BOOKS[book][0].fetch_add(1, Ordering::SeqCst);
        Self(book)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        BOOKS[self.0][1].fetch_add(1, Ordering::SeqCst);
    }
}

fn books() -> String {
    let [shared, own] =
        [0, 1].map(|book| BOOKS[book].each_ref().map(|count| count.load(Ordering::SeqCst)));
    format!("shared {} - {}, own {} - {}", shared[0], shared[1], own[0], own[1])
}

#[tsrm::module]
mod module {
    use super::{Entry, HOLD_SHUTDOWN, HOLD_STARTUP, fork_if_told, hold};

    #[shared]
    pub static SHARED: Entry = Entry::new(0);
    #[global]
    pub static OWN: Entry = Entry::new(1);

    #[module_startup]
    fn startup(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        hold(&HOLD_STARTUP);
        fork_if_told("startup");
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        hold(&HOLD_SHUTDOWN);
        fork_if_told("shutdown");
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        fork_if_told("thread shutdown");
    }
}

/// The hook that forks.
static FORK_IN: Mutex<&str> = Mutex::new("");
static IS_CHILD: AtomicBool = AtomicBool::new(false);

fn fork_if_told(hook: &str) {
    let is_told = *FORK_IN.lock().unwrap() == hook;
    if is_told {
        *FORK_IN.lock().unwrap() = "";
        IS_CHILD.store(fork(), Ordering::SeqCst);
    }
}

/// Forks; true in the child, which is to end by [`end_child`]. In the parent that has waited for the child.
fn fork() -> bool {
    // SAFETY: the child uses this crate, which says that it can, and `_exit`s.
    match unsafe { libc::fork() } {
        -1 => panic!("{}", std::io::Error::last_os_error()),
        0 => true,
        pid => {
            let mut status = 0;
            // SAFETY: `status` is valid for the write.
            let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
            assert_eq!(waited, pid);
            let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            assert_eq!(code, Some(0), "the child died: {status:#x}");
            false
        }
    }
}

fn end_child() -> ! {
    // SAFETY: ends the child without running the parent's exit handlers.
    unsafe { libc::_exit(0) }
}

fn touch(here: Attached<'_>) {
    module::SHARED.get(here);
    module::OWN.get(here);
}

/// Everything that a process can do with a module, once more.
fn whole_life(who: &str, tsrm: Runtime) {
    let registered = tsrm.register(module::MODULE);
    println!("{who} registers: {registered:?}");
    match tsrm.try_attach(touch) {
        Ok(()) => println!("{who} attaches"),
        // The child of a process in which another thread was the holder.
        Err(error) => println!("{who}: {}", error.to_string().split(" (have").next().unwrap()),
    }
    println!("{who} retires: {}", tsrm.retire(module::MODULE, PATIENCE).unwrap());
    println!("{who} registers: {:?}", tsrm.register(module::MODULE));
    println!("{who} shuts down: {}", tsrm.shutdown(PATIENCE).unwrap());
    let again = Runtime::start([module::MODULE]).unwrap();
    let attached = again.try_attach(touch).is_ok();
    println!("{who} starts again: {attached}");
    println!("{who} shuts down: {}", again.shutdown(PATIENCE).unwrap());
    println!("{who}: {}", books());
}

fn main() {
    let tsrm = Runtime::start([]).unwrap();
    match std::env::args().nth(1).unwrap().as_str() {
        "startup" => during_a_startup(tsrm),
        "shutdown" => during_a_module_shutdown(tsrm),
        "waiting" => while_a_retire_waits(tsrm),
        "hooks" => in_hooks(tsrm),
        "shutting-down" => during_a_shutdown(tsrm),
        "holding" => while_holding_a_retired_module(tsrm),
        other => panic!("{other}"),
    }
}

/// The child has the start of a module which nobody will finish: it never was.
fn during_a_startup(tsrm: Runtime) {
    let (is_starting, finish) = hold_next(&HOLD_STARTUP);
    let starter = std::thread::spawn(move || tsrm.register(module::MODULE));
    is_starting.recv().unwrap();
    if fork() {
        whole_life("child", tsrm);
        end_child();
    }
    finish.send(()).unwrap();
    starter.join().unwrap().unwrap();
    assert!(tsrm.retire(module::MODULE, PATIENCE).unwrap().is_done());
    whole_life("parent", tsrm);
}

/// The child has a module of which nobody will finish the stop: it is down.
fn during_a_module_shutdown(tsrm: Runtime) {
    tsrm.register(module::MODULE).unwrap();
    tsrm.attach(touch);
    tsrm.detach().unwrap();
    let (is_stopping, finish) = hold_next(&HOLD_SHUTDOWN);
    let stopper = std::thread::spawn(move || tsrm.retire(module::MODULE, PATIENCE).unwrap());
    is_stopping.recv().unwrap();
    if fork() {
        println!("child retires: {:?}", tsrm.retire(module::MODULE, PATIENCE));
        whole_life("child", tsrm);
        end_child();
    }
    finish.send(()).unwrap();
    assert!(stopper.join().unwrap().is_done());
    whole_life("parent", tsrm);
}

/// A thread in an attach holds the module, another one waits for that in a retire. The child has neither.
fn while_a_retire_waits(tsrm: Runtime) {
    tsrm.register(module::MODULE).unwrap();
    let (inside, is_inside) = channel();
    let (leave, may_leave) = channel::<()>();
    let builder = tsrm::thread::Builder::new().name("holder");
    let holder = builder.spawn(move |here| {
        touch(here);
        inside.send(()).unwrap();
        may_leave.recv().unwrap();
    });
    is_inside.recv().unwrap();
    let retire = std::thread::spawn(move || tsrm.retire(module::MODULE, PATIENCE).unwrap());
    let is_retiring = || tsrm.report().modules.iter().any(|module| module.retiring);
    while !is_retiring() {
        std::thread::yield_now();
    }
    if fork() {
        println!("child threads: {}", tsrm.threads().len());
        println!("child retires: {}", tsrm.retire(module::MODULE, PATIENCE).unwrap());
        whole_life("child", tsrm);
        end_child();
    }
    leave.send(()).unwrap();
    holder.unwrap().join().unwrap();
    assert!(retire.join().unwrap().is_done());
    whole_life("parent", tsrm);
}

/// One thread waits in a shutdown for another one in an attach. The child has neither, and no runtime.
fn during_a_shutdown(tsrm: Runtime) {
    tsrm.register(module::MODULE).unwrap();
    let (inside, is_inside) = channel();
    let (leave, may_leave) = channel::<()>();
    let holder = std::thread::spawn(move || {
        tsrm.attach(|here| {
            touch(here);
            inside.send(()).unwrap();
            may_leave.recv().unwrap();
        });
    });
    is_inside.recv().unwrap();
    let shutdown = std::thread::spawn(move || tsrm.shutdown(PATIENCE).unwrap());
    while Runtime::current().is_some() {
        std::thread::yield_now();
    }
    if fork() {
        let again = Runtime::start([module::MODULE]).unwrap();
        println!("child attaches: {}", again.try_attach(touch).is_ok());
        println!("child shuts down: {}", again.shutdown(PATIENCE).unwrap());
        println!("child: {}", books());
        end_child();
    }
    leave.send(()).unwrap();
    holder.join().unwrap();
    println!("parent shuts down: {}", shutdown.join().unwrap());
    println!("parent: {}", books());
}

/// The thread that forks is itself in an attach, with a module that another one retires.
fn while_holding_a_retired_module(tsrm: Runtime) {
    tsrm.register(module::MODULE).unwrap();
    let is_child = tsrm.attach(|here| {
        touch(here);
        let retire = || tsrm.retire(module::MODULE, Duration::ZERO).unwrap();
        let retired = std::thread::scope(|scope| scope.spawn(retire).join().unwrap());
        let Retired::Retiring { threads } = retired else { panic!("{retired}") };
        assert_eq!((threads.len(), threads[0].depth), (1, 1));
        let is_child = fork();
        let who = if is_child { "child" } else { "parent" };
        // Still there, also in the child.
        touch(here);
        println!("{who} inside: {}", books());
        is_child
    });
    let who = if is_child { "child" } else { "parent" };
    println!("{who} outside: {}", books());
    whole_life(who, tsrm);
    if is_child {
        end_child();
    }
}

/// The thread that forks is itself in a hook: in the child it goes on there.
fn in_hooks(tsrm: Runtime) {
    for hook in ["startup", "thread shutdown", "shutdown"] {
        *FORK_IN.lock().unwrap() = hook;
        tsrm.register(module::MODULE).unwrap();
        tsrm.attach(touch);
        let retired = tsrm.retire(module::MODULE, PATIENCE).unwrap();
        if IS_CHILD.load(Ordering::SeqCst) {
            println!("child of {hook}: {retired}, {}", books());
            whole_life("child", tsrm);
            end_child();
        }
        println!("parent of {hook}: {retired}, {}", books());
    }
    whole_life("parent", tsrm);
}
