//! What a child of `fork` has: the thread that forked, and nobody else.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tsrm::Runtime;

#[tsrm::module]
mod module {
    use super::*;

    #[global]
    pub static STATIC: AtomicU64 = const { AtomicU64::new(0) };
    #[global]
    pub static CACHED: Cell<u64> = Cell::new(0);
}

/// Its startup waits.
#[tsrm::module]
mod slow {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender};

    pub static HOLD: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);

    #[module_startup]
    fn startup(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        let held = HOLD.lock().unwrap().take();
        if let Some((there, go)) = held {
            there.send(())?;
            go.recv()?;
        }
        Ok(())
    }
}

/// Runs `child` in a fork and returns its exit code.
fn fork(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child uses this crate, which says that it can, and `_exit`s.
    match unsafe { libc::fork() } {
        -1 => panic!("{}", std::io::Error::last_os_error()),
        0 => {
            let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(101);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(code) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: `status` is valid for the write.
            let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
            assert_eq!(waited, pid);
            assert!(libc::WIFEXITED(status), "the child died: {status:#x}");
            libc::WEXITSTATUS(status)
        }
    }
}

fn shut_down(tsrm: Runtime) -> bool {
    tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean()
}

fn main() {
    match std::env::args().nth(1).unwrap().as_str() {
        "handlers" => return handlers(),
        "start" => return during_a_start(),
        _ => {}
    }
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    match std::env::args().nth(1).unwrap().as_str() {
        "inside" => inside(tsrm),
        "stranger" => stranger(tsrm),
        "busy" => busy(tsrm),
        other => panic!("{other}"),
    }
}

fn inside(tsrm: Runtime) {
    let code = tsrm.attach(|here| {
        module::STATIC.get(here).store(5, Ordering::Relaxed);
        module::CACHED.set(here, 5);
        let code = fork(|| {
            let was = module::STATIC.get(here).load(Ordering::Relaxed);
            module::STATIC.get(here).fetch_add(1, Ordering::Relaxed);
            let is = tsrm.attach(|here| module::STATIC.get(here).load(Ordering::Relaxed));
            assert_eq!(module::CACHED.get(here).get(), 5);
            println!("child: {was}, then {is}");
            let mut count = 0;
            module::STATIC.for_each_thread(here, |_, _| count += 1);
            println!("child for each: {count}");
            // The attach that it was forked in is never left: the process ends inside.
            another_thread_of_the_child(tsrm);
            0
        });
        println!("parent: {}", module::STATIC.get(here).load(Ordering::Relaxed));
        code
    });
    assert_eq!(code, 0);
    println!("parent shut down: {}", shut_down(tsrm));
}

fn another_thread_of_the_child(tsrm: Runtime) {
    let other = std::thread::spawn(move || {
        let fresh = tsrm.try_attach(|here| module::STATIC.get(here).load(Ordering::Relaxed));
        tsrm.detach().unwrap();
        fresh.ok()
    });
    let expected = if tsrm::SINGLE_THREADED { None } else { Some(0) };
    assert_eq!(other.join().unwrap(), expected);
    println!("child's other thread: fine");
}

fn stranger(tsrm: Runtime) {
    let (attached, is_attached) = std::sync::mpsc::channel();
    let (leave, may_leave) = std::sync::mpsc::channel::<()>();
    let builder = tsrm::thread::Builder::new().name("holder");
    let holder = builder.spawn(move |here| {
        module::STATIC.get(here).store(5, Ordering::Relaxed);
        attached.send(()).unwrap();
        may_leave.recv().unwrap();
    });
    is_attached.recv().unwrap();
    let code = fork(|| {
        match tsrm.try_attach(|here| module::STATIC.get(here).load(Ordering::Relaxed)) {
            Ok(value) => {
                println!("child: {value}");
                println!("child threads: {}", tsrm.threads().len());
                println!("child shut down: {}", shut_down(tsrm));
            }
            Err(error) => println!("child: {error}"),
        }
        0
    });
    assert_eq!(code, 0);
    leave.send(()).unwrap();
    holder.unwrap().join().unwrap();
    println!("parent shut down: {}", shut_down(tsrm));
}

static HANDLER_ATTACHES: AtomicU64 = AtomicU64::new(0);

extern "C" fn handler() {
    let Some(tsrm) = Runtime::current() else { return };
    let attached = tsrm.try_attach(|here| module::STATIC.get(here).load(Ordering::Relaxed));
    HANDLER_ATTACHES.fetch_add(u64::from(attached.is_ok()), Ordering::Relaxed);
}

/// Fork handlers of the program's own, installed before the runtime is started, that attach.
fn handlers() {
    // SAFETY: the handlers are functions of this program.
    let installed = unsafe { libc::pthread_atfork(Some(handler), Some(handler), Some(handler)) };
    assert_eq!(installed, 0);
    Runtime::start([module::MODULE]).unwrap();
    let attached_twice = || HANDLER_ATTACHES.load(Ordering::Relaxed) == 2;
    let code = fork(|| i32::from(!attached_twice()));
    println!("parent handler: {}", attached_twice());
    println!("child handler: {}", code == 0);
}

/// Forks while another thread is in the middle of a start, which nobody in the child will finish.
fn during_a_start() {
    let (starting, is_starting) = std::sync::mpsc::channel();
    let (finish, may_finish) = std::sync::mpsc::channel::<()>();
    *slow::HOLD.lock().unwrap() = Some((starting, may_finish));
    let starter = std::thread::spawn(|| Runtime::start([slow::MODULE]).unwrap());
    is_starting.recv().unwrap();
    let code = fork(|| {
        assert!(Runtime::current().is_none());
        println!("child: nothing runs");
        let tsrm = Runtime::start([module::MODULE]).unwrap();
        tsrm.attach(|here| module::CACHED.set(here, 1));
        println!("child starts: {}", shut_down(tsrm));
        0
    });
    assert_eq!(code, 0);
    finish.send(()).unwrap();
    assert!(shut_down(starter.join().unwrap()));
}

/// Forks while other threads register, leave and look at each other all the time.
fn busy(tsrm: Runtime) {
    let stop = AtomicBool::new(false);
    let children = 50;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _ = tsrm.try_attach(|here| {
                        module::CACHED.set(here, 1);
                        module::STATIC.for_each_thread(here, |_, value| {
                            assert!(value.load(Ordering::Relaxed) < 2);
                        });
                    });
                    tsrm.detach().unwrap();
                }
            });
        }
        let mut fine = 0;
        for round in 0..children {
            let child = || {
                let attached = tsrm.try_attach(|here| {
                    module::STATIC.get(here).store(1, Ordering::Relaxed);
                    module::STATIC.for_each_thread(here, |thread, value| {
                        assert_eq!(thread.id(), here.thread().id());
                        assert_eq!(value.load(Ordering::Relaxed), 1);
                    });
                });
                tsrm.detach().unwrap();
                match attached {
                    // Somebody else was the holder at that moment.
                    Err(tsrm::AttachError::SingleThreaded { .. }) if tsrm::SINGLE_THREADED => 0,
                    Err(_) => 1,
                    Ok(()) if shut_down(tsrm) => 0,
                    Ok(()) => 2,
                }
            };
            let code = if round % 2 == 0 || tsrm::SINGLE_THREADED {
                fork(child)
            } else {
                // From inside an attach, the child can only go on inside it.
                tsrm.attach(|here| {
                    module::STATIC.get(here).store(1, Ordering::Relaxed);
                    fork(|| {
                        tsrm.attach(|here| module::STATIC.get(here).load(Ordering::Relaxed)) as i32
                            - 1
                    })
                })
            };
            tsrm.detach().unwrap();
            fine += i32::from(code == 0);
        }
        stop.store(true, Ordering::Relaxed);
        println!("children: {fine} fine");
    });
}
