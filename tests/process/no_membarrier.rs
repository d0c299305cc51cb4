//! A system that refuses `membarrier`, from the start or later: a filter of system calls says no. Grace
//! periods then need a fence in every attach; what was said of quiet threads before stays true.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use tsrm::{QuiesceError, Retired, Runtime};

const ALIVE: u64 = 0x0a11_0a11_0a11_0a11;

static BUILT: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// A value that shows whether it is there.
pub struct Canary(AtomicU64);

impl Canary {
    fn new() -> Self {
        BUILT.fetch_add(1, Ordering::SeqCst);
        Self(AtomicU64::new(ALIVE))
    }

    fn check(&self) {
        assert_eq!(self.0.load(Ordering::Relaxed), ALIVE, "dropped under a reference");
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.check();
        self.0.store(0, Ordering::Relaxed);
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

#[tsrm::module]
mod module {
    use super::Canary;

    #[shared]
    pub static SHARED: Canary = Canary::new();
    #[global]
    pub static CACHED: Canary = Canary::new();
}

/// Says no to `membarrier` from now on, to all threads; false if that cannot be had.
#[cfg(target_os = "linux")]
fn filter(error: libc::c_int) -> bool {
    use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, SYS_membarrier};
    const QUERY: libc::c_int = 0;
    let errno = || std::io::Error::last_os_error().raw_os_error();
    let line = |code: u32, k: u32, (jt, jf)| libc::sock_filter { code: code as u16, jt, jf, k };
    let mut program = [
        // The number of the call.
        line(BPF_LD | BPF_W | BPF_ABS, 0, (0, 0)),
        line(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier as u32, (0, 1)),
        line(BPF_RET | BPF_K, libc::SECCOMP_RET_ERRNO | error as u32, (0, 0)),
        line(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW, (0, 0)),
    ];
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return false;
    }
    let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_TSYNC);
    // SAFETY: a program of that length.
    if unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) } != 0 {
        return false;
    }
    // SAFETY: touches no memory.
    let answer = unsafe { libc::syscall(SYS_membarrier, QUERY, 0) };
    answer == -1 && errno() == Some(error)
}

#[cfg(not(target_os = "linux"))]
fn filter(_error: i32) -> bool {
    false
}

#[cfg(target_os = "linux")]
const ERRORS: [libc::c_int; 2] = [libc::EPERM, libc::ENOSYS];
#[cfg(not(target_os = "linux"))]
const ERRORS: [i32; 2] = [1, 38];

fn main() {
    let is_filtered = match std::env::args().nth(1).unwrap().as_str() {
        "before" => {
            let is_filtered = filter(ERRORS[0]);
            from_the_start();
            is_filtered
        }
        "before-enosys" => {
            let is_filtered = filter(ERRORS[1]);
            from_the_start();
            is_filtered
        }
        "after" => taken_away(),
        "meanwhile" => taken_away_meanwhile(),
        other => panic!("{other}"),
    };
    if !is_filtered {
        println!("skipped");
    }
}

/// A thread that enters an attach, looks, and leaves, a step at a time.
struct Worker {
    step: Sender<()>,
    done: Receiver<()>,
    thread: std::thread::JoinHandle<()>,
}

impl Worker {
    fn new(tsrm: Runtime) -> Self {
        let (step, steps) = channel();
        let (says, done) = channel();
        let body = move || {
            while steps.recv().is_ok() {
                tsrm.attach(|here| {
                    // It may be there or not.
                    let shared = module::SHARED.try_get(here);
                    let cached = module::CACHED.try_get(here);
                    says.send(()).unwrap();
                    steps.recv().unwrap();
                    shared.iter().chain(&cached).for_each(|canary| canary.check());
                });
                says.send(()).unwrap();
            }
            tsrm.detach().unwrap();
        };
        let thread = std::thread::Builder::new().name("worker".into()).spawn(body).unwrap();
        Self { step, done, thread }
    }

    /// Into the attach, or out of it.
    fn step(&self) {
        self.step.send(()).unwrap();
        self.done.recv().unwrap();
    }

    fn end(self) {
        drop(self.step);
        self.thread.join().unwrap();
    }
}

fn retire(tsrm: Runtime, seconds: u64) -> String {
    match tsrm.retire(module::MODULE, Duration::from_secs(seconds)).unwrap() {
        Retired::Done => format!("done, {}", books()),
        Retired::Down { threads } | Retired::Retiring { threads } => {
            format!("held by {} thread(s), {}", threads.len(), books())
        }
    }
}

fn quiesce(tsrm: Runtime, seconds: u64) -> String {
    match tsrm.quiesce(Duration::from_secs(seconds)) {
        Ok(()) => "quiet".into(),
        Err(QuiesceError::Busy { threads }) => format!("{} busy", threads.len()),
        Err(error) => error.to_string(),
    }
}

fn books() -> String {
    format!("{} of {} dropped", DROPPED.load(Ordering::SeqCst), BUILT.load(Ordering::SeqCst))
}

fn from_the_start() {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    // The only registered thread, so that this is one story for both modes.
    let worker = Worker::new(tsrm);
    worker.step();
    println!("inside: {}", quiesce(tsrm, 0));
    println!("retire: {}", retire(tsrm, 0));
    worker.step();
    println!("outside: {}", quiesce(tsrm, 0));
    println!("retire: {}", retire(tsrm, 600));
    tsrm.register(module::MODULE).unwrap();
    worker.step();
    worker.step();
    println!("asleep: {}", retire(tsrm, 0));
    worker.step();
    println!("awake: {}", retire(tsrm, 0));
    worker.step();
    worker.end();
    tsrm.register(module::MODULE).unwrap();
    hammer(tsrm, || {});
    assert!(tsrm.shutdown(Duration::from_secs(600)).unwrap().is_clean());
    println!("all: {}", DROPPED.load(Ordering::SeqCst) == BUILT.load(Ordering::SeqCst));
}

/// The filter comes while threads attach by the fast way, sleep and read.
fn taken_away() -> bool {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let worker = Worker::new(tsrm);
    for _ in 0..3 {
        worker.step();
        worker.step();
    }
    if !filter(ERRORS[0]) {
        return false;
    }
    // It sleeps, but who can know: its last attach had no fence, nor would its next one.
    println!("asleep: {}", quiesce(tsrm, 0));
    println!("retire: {}", retire(tsrm, 0));
    worker.step();
    println!("inside: {}", retire(tsrm, 0));
    worker.step();
    println!("outside: {}", retire(tsrm, 600));
    // From now on its attaches have one.
    tsrm.register(module::MODULE).unwrap();
    worker.step();
    worker.step();
    println!("asleep: {}", quiesce(tsrm, 0));
    println!("asleep: {}", retire(tsrm, 0));
    worker.step();
    worker.step();
    println!("back: {}", retire(tsrm, 0));
    worker.end();
    tsrm.register(module::MODULE).unwrap();
    hammer(tsrm, || {});
    assert!(tsrm.shutdown(Duration::from_secs(600)).unwrap().is_clean());
    println!("all: {}", DROPPED.load(Ordering::SeqCst) == BUILT.load(Ordering::SeqCst));
    true
}

/// The filter comes while threads read as fast as they can.
fn taken_away_meanwhile() -> bool {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let mut is_filtered = false;
    hammer(tsrm, || is_filtered = filter(ERRORS[0]));
    assert!(tsrm.shutdown(Duration::from_secs(600)).unwrap().is_clean());
    println!("all: {}", DROPPED.load(Ordering::SeqCst) == BUILT.load(Ordering::SeqCst));
    is_filtered
}

/// Threads attach and read all the time, while the module is retired and registered again.
fn hammer(tsrm: Runtime, meanwhile: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    let readers = if tsrm::SINGLE_THREADED { 1 } else { 3 };
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    tsrm.attach(|here| {
                        for _ in 0..20 {
                            if let Ok(shared) = module::SHARED.try_get(here) {
                                shared.check();
                            }
                            if let Ok(cached) = module::CACHED.try_get(here) {
                                cached.check();
                            }
                        }
                    });
                }
                tsrm.detach().unwrap();
            });
        }
        let mut meanwhile = Some(meanwhile);
        for round in 0..60 {
            if round == 20 {
                meanwhile.take().into_iter().for_each(|meanwhile| meanwhile());
            }
            let retired = tsrm.retire(module::MODULE, Duration::from_secs(600)).unwrap();
            assert!(retired.is_done(), "{retired}");
            tsrm.register(module::MODULE).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("hammered");
}
