//! A program that counts in shared objects: in one that it is linked with, and in one that it loads while threads
//! are registered.

use std::ffi::CStr;
use std::sync::mpsc::channel;

use plug::Library;
use plug::traffic::{self, TRAFFIC, Traffic};

/// Loads the library for good.
fn load(path: &str) -> &'static Library {
    let path = std::ffi::CString::new(path).unwrap();
    // SAFETY: a string of C; the library's constructors do what those of any crate do.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    // SAFETY: takes nothing; the text is copied at once.
    let why = || unsafe { CStr::from_ptr(libc::dlerror()) }.to_owned();
    assert!(!library.is_null(), "{:?}", why());
    // SAFETY: a string of C, and a library.
    let symbol = unsafe { libc::dlsym(library, c"TSRM_LATE".as_ptr()) };
    assert!(!symbol.is_null(), "{:?}", why());
    // SAFETY: built together with this program, where that static is one of these.
    unsafe { &*symbol.cast::<Library>() }
}

fn main() {
    let tsrm = tsrm::Runtime::start([traffic::MODULE]).unwrap();
    linked(tsrm);
    loaded(tsrm, &std::env::args().nth(1).unwrap());
    assert!(tsrm.shutdown(std::time::Duration::from_secs(600)).unwrap().is_clean());
}

/// Counted in the program and in the shared object, on two threads in turn.
fn linked(tsrm: tsrm::Runtime) {
    let count = move || {
        tsrm.attach(|here| {
            traffic::count(here, 1);
            TRAFFIC.add(here, Traffic::Bytes, 10);
            traffic::count(here, 100);
            TRAFFIC.open(here, Traffic::Open)
        })
    };
    let open = count();
    println!("linked: {} bytes", TRAFFIC.snapshot().count(Traffic::Bytes));
    tsrm.detach().unwrap();
    let other = std::thread::spawn(count).join().unwrap();
    let now = TRAFFIC.snapshot();
    println!("linked: {} bytes, {} open", now.count(Traffic::Bytes), now.count(Traffic::Open));
    drop((open, other));
    println!("linked: {} open", TRAFFIC.snapshot().count(Traffic::Open));
    let known: Vec<_> = tsrm::stats::all().iter().filter_map(tsrm::stats::Snapshot::name).collect();
    println!("known: {known:?}");
}

/// Counted by who is inside an attach since before the library was loaded, before its module is registered.
fn loaded(tsrm: tsrm::Runtime, path: &str) {
    let (send, libraries) = channel::<&Library>();
    let (done, is_done) = channel();
    let (go, may_go) = channel();
    let inside = std::thread::spawn(move || {
        tsrm.attach(|here| {
            done.send(()).unwrap();
            let library = libraries.recv().unwrap();
            (library.count)(here);
            done.send(()).unwrap();
            may_go.recv().unwrap();
            (library.count)(here);
        });
        done.send(()).unwrap();
        // Registered, at depth 0.
        may_go.recv().unwrap();
    });
    is_done.recv().unwrap();
    // In a thread-safe build, another thread that is registered since before: this one.
    let _ = tsrm.try_attach(|_| ());
    let library = load(path);
    send.send(library).unwrap();
    is_done.recv().unwrap();
    tsrm.register((library.module)()).unwrap();
    let counted = tsrm.try_attach(|here| (library.count)(here));
    let by_main = u64::from(counted.is_ok());
    // The other one is inside, and has told nobody yet.
    println!("registered: {} but for main", (library.events)() - by_main);
    go.send(()).unwrap();
    is_done.recv().unwrap();
    println!(
        "at rest: {} but for main, {:?}",
        (library.events)() - by_main,
        (library.own_events)()
    );
    go.send(()).unwrap();
    inside.join().unwrap();
    println!("joined: {} but for main", (library.events)() - by_main);
    tsrm.detach().unwrap();
    println!("left: {} but for main, {:?}", (library.events)() - by_main, (library.own_events)());
    assert_eq!(by_main == 0, tsrm::SINGLE_THREADED);
}
