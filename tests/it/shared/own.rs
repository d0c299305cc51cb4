//! What the tests of modules have in common: each of them lists a module of its own, so it runs alone, and
//! then replaces the runtime that tests share by one of its own.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tsrm::{Attached, Fault, Module, Runtime, StartError};

/// Waiting that long means that something hangs.
pub(crate) const LONG: Duration = Duration::from_secs(100);

static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Writes down what happens, on whichever thread.
pub(crate) fn log(what: impl Into<String>) {
    LOG.lock().unwrap_or_else(PoisonError::into_inner).push(what.into());
}

/// What has happened since the last time.
pub(crate) fn logged() -> Vec<String> {
    std::mem::take(&mut LOG.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The name of the present thread.
pub(crate) fn me() -> String {
    std::thread::current().name().unwrap_or("?").to_owned()
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "waited in vain");
        std::thread::yield_now();
    }
}

/// A value whose beginning and end are logged, and which would show it if it were used after.
#[derive(Debug)]
pub(crate) struct Loud {
    name: &'static str,
    state: AtomicU64,
}

const STILL: u64 = 0x0571_1100;
const ALIVE: u64 = 0x0a11_fe00;
const DEAD: u64 = 0x0dea_d000;

impl Loud {
    pub(crate) fn new(name: &'static str) -> Self {
        log(format!("build {name}"));
        Self { name, state: AtomicU64::new(ALIVE) }
    }

    /// For static storage: its end is logged only if [`wake`](Self::wake) was called.
    pub(crate) const fn still(name: &'static str) -> Self {
        Self { name, state: AtomicU64::new(STILL) }
    }

    /// Says whether it was still.
    pub(crate) fn wake(&self) -> bool {
        let before = self.state.swap(ALIVE, Ordering::Relaxed);
        assert!([STILL, ALIVE].contains(&before), "{before:x}");
        before == STILL
    }

    pub(crate) fn look(&self) -> &'static str {
        assert_eq!(self.state.load(Ordering::Relaxed), ALIVE);
        self.name
    }
}

impl Drop for Loud {
    fn drop(&mut self) {
        match self.state.swap(DEAD, Ordering::Relaxed) {
            STILL => {}
            ALIVE => log(format!("drop {}", self.name)),
            other => log(format!("{} WAS DROPPED ALREADY: {other:x}", self.name)),
        }
    }
}

/// A runtime of a test's own, whose faults are logged. Shut down at the end, whatever happens.
pub(crate) struct Own(Runtime);

impl Own {
    pub(crate) fn start(modules: impl IntoIterator<Item = Module>) -> Result<Self, StartError> {
        if let Some(present) = Runtime::current() {
            assert!(present.shutdown(LONG).unwrap().is_clean());
        }
        let on_fault = |fault: &Fault| {
            let Fault { module, global, hook, message, .. } = fault;
            let (module, global) = (module.unwrap_or("-"), global.unwrap_or("-"));
            let hook = hook.map_or("-".to_owned(), |hook| hook.to_string());
            log(format!("fault: {module} {global} {hook}: {message}"));
        };
        let builder = Runtime::builder().modules(modules).on_fault(on_fault);
        let tsrm = builder.start()?;
        Ok(Self(tsrm))
    }

    /// Shuts it down in good order.
    pub(crate) fn end(self) {
        assert!(self.0.shutdown(LONG).unwrap().is_clean());
    }
}

impl Deref for Own {
    type Target = Runtime;

    fn deref(&self) -> &Runtime {
        &self.0
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.0.shutdown(LONG);
    }
}

/// A thread that does what it is told.
pub(crate) struct Worker {
    tsrm: Runtime,
    steps: Option<mpsc::Sender<Step>>,
    thread: Option<JoinHandle<()>>,
}

enum Step {
    Run(Box<dyn FnOnce() + Send>),
    Enter,
    Leave,
}

fn serve(tsrm: Runtime, steps: &mpsc::Receiver<Step>) {
    while let Ok(step) = steps.recv() {
        match step {
            Step::Run(f) => f(),
            Step::Enter => tsrm.attach(|_| serve(tsrm, steps)),
            Step::Leave => return,
        }
    }
}

impl Worker {
    /// Not registered yet.
    pub(crate) fn new(tsrm: Runtime, name: &str) -> Self {
        let (steps, to_do) = mpsc::channel();
        let builder = std::thread::Builder::new().name(name.to_owned());
        let thread = builder.spawn(move || serve(tsrm, &to_do)).unwrap();
        Self { tsrm, steps: Some(steps), thread: Some(thread) }
    }

    /// Several, as many as the mode allows.
    pub(crate) fn several(tsrm: Runtime, count: usize) -> Vec<Self> {
        let count = if tsrm::SINGLE_THREADED { 1 } else { count };
        (1..=count).map(|number| Self::new(tsrm, &format!("worker {number}"))).collect()
    }

    fn send(&self, step: Step) {
        self.steps.as_ref().unwrap().send(step).expect("the worker has panicked");
    }

    /// Does not wait for the end of it.
    pub(crate) fn begin<T: Send + 'static>(
        &self,
        f: impl FnOnce() -> T + Send + 'static,
    ) -> mpsc::Receiver<T> {
        let (answer, answered) = mpsc::channel();
        self.send(Step::Run(Box::new(move || {
            let _ = answer.send(f());
        })));
        answered
    }

    #[track_caller]
    pub(crate) fn run<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> T {
        self.begin(f).recv_timeout(LONG).expect("the worker hangs, or has panicked")
    }

    #[track_caller]
    pub(crate) fn attach<T: Send + 'static>(
        &self,
        f: impl for<'t> FnOnce(Attached<'t>) -> T + Send + 'static,
    ) -> T {
        let tsrm = self.tsrm;
        self.run(move || tsrm.attach(f))
    }

    /// Goes into an attach and stays there.
    pub(crate) fn enter(&self) {
        self.send(Step::Enter);
        self.run(|| ());
    }

    pub(crate) fn leave(&self) {
        self.send_leave();
        self.run(|| ());
    }

    /// Does not wait until it has left.
    pub(crate) fn send_leave(&self) {
        self.send(Step::Leave);
    }

    pub(crate) fn detach(&self) {
        let tsrm = self.tsrm;
        self.run(move || tsrm.detach().unwrap());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.steps.take());
        if !std::thread::panicking() {
            self.thread.take().unwrap().join().unwrap();
        }
    }
}

/// Modules each of which is listed by one test only, which therefore runs alone.
macro_rules! alone {
    ($($name:ident)*) => { $(#[tsrm::module] mod $name {})* };
}
pub(crate) use alone;
