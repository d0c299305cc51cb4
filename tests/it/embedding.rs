//! Hosts that are written in C: threads that it makes and ends in its own ways, callbacks from any of them,
//! resources without types.
#![cfg(unix)]

use std::alloc::Layout;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tsrm::{RawResource, Resource, ResourceError, ResourceId, Retired, Runtime};
use tsrm_tests::{Ledger, Tracked};

/// What C calls on a thread. (In C, forced unwinding passes.)
type Start = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// A thread that C makes.
struct CThread(libc::pthread_t);

impl CThread {
    /// `data` is what `start` expects, and outlives the thread.
    fn create(start: Start, data: *mut c_void) -> Self {
        // SAFETY: the ABIs differ only in what an unwind does, and none but `pthread_exit`'s is let out.
        let start = unsafe {
            std::mem::transmute::<Start, extern "C" fn(*mut c_void) -> *mut c_void>(start)
        };
        let mut thread = 0;
        // SAFETY: `thread` is valid for the write; the rest is as the function says.
        let made = unsafe { libc::pthread_create(&raw mut thread, ptr::null(), start, data) };
        assert_eq!(made, 0);
        Self(thread)
    }

    fn join(self) -> *mut c_void {
        let mut result = ptr::null_mut();
        // SAFETY: made by `create`, joined once.
        assert_eq!(unsafe { libc::pthread_join(self.0, &raw mut result) }, 0);
        result
    }
}

/// Ends the thread as C does. Its caller has nothing to be dropped.
fn pthread_exit() -> ! {
    unsafe extern "C-unwind" {
        fn pthread_exit(value: *mut c_void) -> !;
    }
    // SAFETY: no frame of this thread has a destructor, here and in the callers.
    unsafe { pthread_exit(ptr::null_mut()) }
}

/// No panic gets into C.
fn guarded(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_ok()
}

#[tsrm::module]
mod ended {
    use super::*;

    pub(super) static LEDGER: Ledger = Ledger::new();
    pub(super) static HOOKS: AtomicU32 = AtomicU32::new(0);

    #[global]
    pub(super) static CACHED: Tracked = Tracked::new(&LEDGER);
    #[global]
    pub(super) static STATIC: AtomicU64 = const { AtomicU64::new(0) };
    #[shared]
    pub(super) static USES: AtomicU64 = AtomicU64::new(0);

    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        HOOKS.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        assert_eq!(CACHED.get(here).cell.get(), STATIC.get(here).load(Ordering::Relaxed));
        HOOKS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a thread is given.
struct Errand {
    tsrm: Runtime,
    resource: Resource<Tracked>,
    number: u64,
}

impl Errand {
    /// Uses everything.
    fn run(&self) {
        for round in 0..3 {
            self.tsrm.attach(|here| {
                let (cached, resource) = (ended::CACHED.get(here), self.resource.get(here));
                let expected = if round == 0 { 0 } else { self.number };
                assert_eq!((cached.cell.get(), resource.cell.get()), (expected, expected));
                cached.cell.set(self.number);
                resource.cell.set(self.number);
                ended::STATIC.get(here).store(self.number, Ordering::Relaxed);
                ended::USES.get(here).fetch_add(1, Ordering::SeqCst);
            });
        }
    }
}

/// What `run` of the errand at that address went like: its own address, or null.
fn run_errand(errand: *mut c_void) -> *mut c_void {
    // SAFETY: the creator's errand, which outlives the thread.
    let it = unsafe { &*errand.cast::<Errand>() };
    if guarded(|| it.run()) { errand } else { ptr::null_mut() }
}

extern "C-unwind" fn returns(errand: *mut c_void) -> *mut c_void {
    run_errand(errand)
}

extern "C-unwind" fn detaches(errand: *mut c_void) -> *mut c_void {
    let result = run_errand(errand);
    // SAFETY: as in `run_errand`.
    let tsrm = unsafe { &*errand.cast::<Errand>() }.tsrm;
    tsrm.detach().map_or(ptr::null_mut(), |()| result)
}

extern "C-unwind" fn exits(errand: *mut c_void) -> *mut c_void {
    if run_errand(errand).is_null() {
        return errand;
    }
    pthread_exit()
}

#[tsrm::test(ended)]
fn threads_of_c_end_in_all_ways(tsrm: Runtime) {
    fn make() -> Result<Tracked, tsrm::Error> {
        Ok(Tracked::new(&ended::LEDGER))
    }
    let resource = tsrm.register_resource("errand", make).unwrap();
    let mut uses = 0;
    for number in 1..=60 {
        let mut errands =
            [0, 1, 2].map(|kind| Errand { tsrm, resource, number: 3 * number + kind });
        let starts: [(Start, bool); 3] = [(returns, false), (detaches, false), (exits, true)];
        let create = |(at, errand): (usize, &mut Errand)| {
            CThread::create(starts[at].0, ptr::from_mut(errand).cast())
        };
        // In a single-threaded build one after another, else all at once.
        let results: Vec<*mut c_void> = if tsrm::SINGLE_THREADED {
            errands.iter_mut().enumerate().map(|new| create(new).join()).collect()
        } else {
            let threads: Vec<_> = errands.iter_mut().enumerate().map(create).collect();
            threads.into_iter().map(CThread::join).collect()
        };
        for (result, (_, ends_with_null)) in results.iter().zip(starts) {
            assert_eq!(result.is_null(), ends_with_null);
        }
        uses += 9;
        assert!(tsrm.threads().is_empty());
        assert_eq!(ended::LEDGER.both(), (6 * number as usize, 6 * number as usize));
        assert_eq!(ended::HOOKS.load(Ordering::SeqCst), 0);
    }
    assert_eq!(ended::USES.with(|count| count.load(Ordering::SeqCst)), uses);
    resource.release();
}

// ---------------------------------------------------------------------------------------------------------

type Callback = extern "C" fn(*mut c_void);

/// A host's function that calls back at once.
extern "C" fn host_call(callback: Callback, data: *mut c_void) {
    callback(data);
}

/// A host's function that calls back on threads of its own.
extern "C" fn host_on_threads(count: c_int, callback: Callback, data: *mut c_void) {
    struct Job(Callback, *mut c_void);
    extern "C-unwind" fn run(job: *mut c_void) -> *mut c_void {
        // SAFETY: the job below, which outlives the thread.
        let Job(callback, data) = *unsafe { &*job.cast::<Job>() };
        callback(data);
        ptr::null_mut()
    }
    let mut job = Job(callback, data);
    let create = |_| CThread::create(run, ptr::from_mut(&mut job).cast());
    let threads: Vec<_> = (0..count).map(create).collect();
    threads.into_iter().for_each(|thread| assert!(thread.join().is_null()));
}

#[tsrm::module]
mod called {
    use super::*;

    pub(super) static LEDGER: Ledger = Ledger::new();

    #[global]
    pub(super) static DEPTH: Tracked = Tracked::new(&LEDGER);
    #[shared]
    pub(super) static DEEPEST: AtomicU64 = AtomicU64::new(0);
    #[shared(lazy)]
    pub(super) static CALLS: AtomicU64 = AtomicU64::new(0);
}

/// What the program gives its callbacks.
struct Calls {
    good: AtomicUsize,
    /// How often each nests.
    levels: u64,
}

/// Attaches, and while attached has the host call it again.
extern "C" fn callback(data: *mut c_void) {
    // SAFETY: what the program gave the host, which outlives the calls.
    let calls = unsafe { &*data.cast::<Calls>() };
    let fine = guarded(|| {
        let tsrm = Runtime::current().unwrap();
        tsrm.attach(|here| {
            let depth = &called::DEPTH.get(here).cell;
            let before = depth.get();
            depth.set(before + 1);
            called::DEEPEST.get(here).fetch_max(before + 1, Ordering::SeqCst);
            called::CALLS.get(here).fetch_add(1, Ordering::SeqCst);
            if before + 1 < calls.levels {
                host_call(callback, data);
                // Still this thread's, and still there.
                assert_eq!(depth.get(), before + 1);
                assert!(ptr::eq(depth, &raw const called::DEPTH.get(here).cell));
            }
            depth.set(before);
        });
        // A thread of the host's, which nobody else makes leave.
        if tsrm::SINGLE_THREADED {
            let _ = tsrm.detach();
        }
    });
    calls.good.fetch_add(usize::from(fine), Ordering::SeqCst);
}

#[tsrm::test(called)]
fn callbacks_on_any_thread(tsrm: Runtime) {
    let calls = Calls { good: AtomicUsize::new(0), levels: 5 };
    let data = ptr::from_ref(&calls).cast_mut().cast();
    let (threads, rounds) = if tsrm::SINGLE_THREADED { (1, 40) } else { (8, 5) };
    for _ in 0..rounds {
        host_on_threads(threads, callback, data);
        // And on this one.
        host_call(callback, data);
        tsrm.detach().unwrap();
    }
    let outermost = rounds * (threads as usize + 1);
    assert_eq!(calls.good.load(Ordering::SeqCst), 5 * outermost);
    assert_eq!(called::LEDGER.both(), (outermost, outermost));
    tsrm.attach(|here| {
        assert_eq!(called::DEEPEST.get(here).load(Ordering::SeqCst), 5);
        assert_eq!(called::CALLS.get(here).load(Ordering::SeqCst), 5 * outermost as u64);
        // Inside an attach of the program's own: the levels below count too.
        called::DEPTH.get(here).cell.set(3);
        host_call(callback, data);
        assert_eq!(called::DEPTH.get(here).cell.get(), 3);
    });
    assert_eq!(calls.good.load(Ordering::SeqCst), 5 * outermost + 2);
}

// ---------------------------------------------------------------------------------------------------------

#[tsrm::module]
mod awaited {
    use super::*;

    pub(super) static VALUES: Ledger = Ledger::new();
    /// What happened, in order.
    pub(super) static LOG: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

    pub(super) struct Said;

    impl Drop for Said {
        fn drop(&mut self) {
            LOG.lock().unwrap().push("shared value dropped");
        }
    }

    #[global]
    pub(super) static VALUE: Tracked = Tracked::new(&VALUES);
    #[shared]
    pub(super) static SHARED: Said = Said;

    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        VALUE.get(here);
        SHARED.get(here);
        LOG.lock().unwrap().push("thread hook");
    }

    #[module_shutdown]
    fn shutdown(phase: &mut tsrm::Shutdown<'_>) {
        let _ = phase.shared(&SHARED);
        assert_eq!(VALUES.built(), VALUES.dropped());
        LOG.lock().unwrap().push("module down");
    }
}

/// A thread that was attached, and then sleeps in C until it is told to end.
struct Sleeper {
    tsrm: Runtime,
    sleeps: Mutex<Option<std::sync::mpsc::Sender<()>>>,
    may_end: Mutex<Receiver<()>>,
}

fn sleep(sleeper: *mut c_void) -> bool {
    // SAFETY: the creator's, which outlives the thread.
    let Sleeper { tsrm, sleeps, may_end } = unsafe { &*sleeper.cast::<Sleeper>() };
    guarded(|| {
        tsrm.attach(|here| {
            awaited::VALUE.get(here);
        });
        sleeps.lock().unwrap().take().unwrap().send(()).unwrap();
        may_end.lock().unwrap().recv().unwrap();
    })
}

extern "C-unwind" fn sleeps_and_returns(sleeper: *mut c_void) -> *mut c_void {
    if sleep(sleeper) { ptr::null_mut() } else { sleeper }
}

extern "C-unwind" fn sleeps_and_exits(sleeper: *mut c_void) -> *mut c_void {
    if !sleep(sleeper) {
        return sleeper;
    }
    pthread_exit()
}

#[tsrm::test(awaited)]
fn a_retire_waits_for_a_thread_that_just_ends(tsrm: Runtime) {
    for start in [sleeps_and_returns as Start, sleeps_and_exits] {
        let (asleep, is_asleep) = channel();
        let (end, may_end) = channel();
        let (sleeps, may_end) = (Mutex::new(Some(asleep)), Mutex::new(may_end));
        let mut sleeper = Sleeper { tsrm, sleeps, may_end };
        let thread = CThread::create(start, ptr::from_mut(&mut sleeper).cast());
        is_asleep.recv().unwrap();
        let retired = std::thread::scope(|scope| {
            let retire = || tsrm.retire(awaited::MODULE, Duration::from_secs(600)).unwrap();
            let retired = scope.spawn(retire);
            let is_retiring = || {
                let report = tsrm.report();
                let module = report.modules.iter().find(|module| module.name == "awaited");
                module.unwrap().retiring
            };
            while !is_retiring() {
                std::thread::yield_now();
            }
            // From its beginning on it waits for the sleeper, which holds the module: hence the hook.
            assert_eq!(*awaited::LOG.lock().unwrap(), [""; 0]);
            end.send(()).unwrap();
            retired.join().unwrap()
        });
        assert!(matches!(retired, Retired::Done), "{retired}");
        assert!(thread.join().is_null());
        let log = std::mem::take(&mut *awaited::LOG.lock().unwrap());
        assert_eq!(log, ["thread hook", "module down", "shared value dropped"]);
        assert!(tsrm.threads().is_empty());
        tsrm.register(awaited::MODULE).unwrap();
    }
    assert_eq!(awaited::VALUES.both(), (2, 2));
}

// ---------------------------------------------------------------------------------------------------------

/// A resource manager's C interface, as a host would write it on top of this crate: numbers and addresses.
mod c {
    use super::*;

    type Function = unsafe extern "C" fn(*mut c_void);

    /// 0 if there is none.
    pub(super) extern "C" fn ts_allocate_id(
        size: usize,
        align: usize,
        constructor: Option<Function>,
        destructor: Option<Function>,
    ) -> u64 {
        let (Some(tsrm), Ok(layout)) = (Runtime::current(), Layout::from_size_align(size, align))
        else {
            return 0;
        };
        let resource = RawResource { name: "of C", layout, constructor, destructor };
        // SAFETY: the functions of this file are for such layouts.
        let registered = unsafe { tsrm.register_raw_resource(resource) };
        registered.map_or(0, ResourceId::to_bits)
    }

    /// Runs `callback` attached; 0 if that cannot be.
    pub(super) extern "C" fn ts_enter(callback: Callback, data: *mut c_void) -> c_int {
        let Some(tsrm) = Runtime::current() else { return 0 };
        c_int::from(tsrm.try_attach(|_| callback(data)).is_ok())
    }

    /// Null if there is none. For as long as the `ts_enter` that it is called in.
    pub(super) extern "C" fn ts_resource(id: u64) -> *mut c_void {
        let (Some(tsrm), Some(id)) = (Runtime::current(), ResourceId::from_bits(id)) else {
            return ptr::null_mut();
        };
        let found = tsrm.try_attach(|here| id.get(here));
        found.ok().and_then(Result::ok).map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    pub(super) extern "C" fn ts_free_id(id: u64) -> c_int {
        c_int::from(ResourceId::from_bits(id).is_some_and(ResourceId::release))
    }
}

#[tsrm::module]
mod raw {}

/// What C has per thread.
#[repr(C, align(128))]
struct Globals {
    magic: u64,
    count: AtomicU64,
    zeroes: [u8; 300],
}

static CONSTRUCTED: AtomicUsize = AtomicUsize::new(0);
static DESTROYED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn globals_constructor(globals: *mut c_void) {
    // SAFETY: zeroed memory of that layout, which is a value of it.
    let globals = unsafe { &mut *globals.cast::<Globals>() };
    assert_eq!((globals.magic, globals.zeroes), (0, [0; 300]));
    assert!(ptr::from_mut(globals).is_aligned());
    globals.magic = 7;
    CONSTRUCTED.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn globals_destructor(globals: *mut c_void) {
    // SAFETY: made by the constructor.
    let globals = unsafe { &mut *globals.cast::<Globals>() };
    assert_eq!(globals.magic, 7);
    globals.magic = u64::MAX;
    globals.zeroes = [0xdd; 300];
    DESTROYED.fetch_add(1, Ordering::SeqCst);
}

static GLOBALS_ID: AtomicU64 = AtomicU64::new(0);
static PLAIN_ID: AtomicU64 = AtomicU64::new(0);
static EMPTY_ID: AtomicU64 = AtomicU64::new(0);

/// Counts in this thread's globals; what it got goes to `data`.
extern "C" fn count(data: *mut c_void) {
    let fine = guarded(|| {
        let globals = c::ts_resource(GLOBALS_ID.load(Ordering::SeqCst));
        assert!(!globals.is_null());
        assert_eq!(globals, c::ts_resource(GLOBALS_ID.load(Ordering::SeqCst)));
        // SAFETY: this thread's value, for as long as the enter.
        let globals = unsafe { &*globals.cast::<Globals>() };
        assert_eq!(globals.magic, 7);
        globals.count.fetch_add(1, Ordering::Relaxed);
        let plain = c::ts_resource(PLAIN_ID.load(Ordering::SeqCst)).cast::<u64>();
        // SAFETY: as above; nobody else has a reference.
        let plain = unsafe { &mut *plain };
        *plain += 1;
        assert_eq!(*plain, globals.count.load(Ordering::Relaxed));
        let empty = c::ts_resource(EMPTY_ID.load(Ordering::SeqCst));
        assert!(!empty.is_null() && empty.addr().is_multiple_of(4096));
        // SAFETY: the caller's.
        unsafe { &*data.cast::<AtomicU64>() }.fetch_add(*plain, Ordering::SeqCst);
    });
    assert!(fine);
}

#[tsrm::test(raw)]
fn a_c_interface(tsrm: Runtime) {
    let (make, end) = (globals_constructor as unsafe extern "C" fn(_), globals_destructor as _);
    assert_eq!(c::ts_allocate_id(8, 3, None, None), 0, "no alignment");
    let layout = Layout::new::<Globals>();
    let id = c::ts_allocate_id(layout.size(), layout.align(), Some(make), Some(end));
    let (plain, empty) =
        (c::ts_allocate_id(8, 8, None, None), c::ts_allocate_id(0, 4096, None, None));
    assert!(id != 0 && plain != 0 && empty != 0);
    for bits in [id, plain, empty] {
        assert_eq!(ResourceId::from_bits(bits).unwrap().to_bits(), bits);
    }
    GLOBALS_ID.store(id, Ordering::SeqCst);
    PLAIN_ID.store(plain, Ordering::SeqCst);
    EMPTY_ID.store(empty, Ordering::SeqCst);
    // What is no id.
    let nonsense = [0, 1, u64::from(u32::MAX), u64::MAX, id ^ 1 << 40, id | u64::from(u32::MAX)];
    tsrm.attach(|_| {
        for bits in nonsense {
            assert!(c::ts_resource(bits).is_null(), "{bits:#x}");
            assert_eq!(c::ts_free_id(bits), 0, "{bits:#x}");
        }
    });
    assert_eq!(CONSTRUCTED.load(Ordering::SeqCst), 0);

    // Every thread has its own.
    static SUM: AtomicU64 = AtomicU64::new(0);
    extern "C" fn thrice(data: *mut c_void) {
        for _ in 0..3 {
            assert_eq!(c::ts_enter(count, data), 1);
        }
        if tsrm::SINGLE_THREADED {
            Runtime::current().unwrap().detach().unwrap();
        }
    }
    tsrm.detach().unwrap();
    let data = ptr::from_ref(&SUM).cast_mut().cast();
    let threads = if tsrm::SINGLE_THREADED { 1 } else { 6 };
    host_on_threads(threads, thrice, data);
    assert_eq!(SUM.load(Ordering::SeqCst), 6 * threads as u64);
    assert_eq!(CONSTRUCTED.load(Ordering::SeqCst), threads as usize);
    assert_eq!(DESTROYED.load(Ordering::SeqCst), threads as usize);

    // Whoever has a value keeps it until its depth 0; the number never leads to anything again.
    tsrm.attach(|here| {
        assert_eq!(c::ts_enter(count, data), 1);
        let mut counts = Vec::new();
        ResourceId::from_bits(id).unwrap().for_each_thread(here, |_, globals| {
            // SAFETY: a value of that layout, alive during the call.
            counts
                .push(unsafe { globals.cast::<Globals>().as_ref() }.count.load(Ordering::Relaxed));
        });
        assert_eq!(counts, [1]);
        assert_eq!((c::ts_free_id(id), c::ts_free_id(id)), (1, 0));
        assert_eq!(c::ts_enter(count, data), 1);
        assert_eq!(DESTROYED.load(Ordering::SeqCst), threads as usize);
        let other = std::thread::spawn(move || {
            Runtime::current().unwrap().try_attach(|here| {
                { ResourceId::from_bits(id).unwrap().get(here).map_err(|error| error.to_string()) }
                    .map(|_| ())
            })
        });
        match other.join().unwrap() {
            Ok(refused) => assert_eq!(
                refused.unwrap_err(),
                ResourceError::Released(ResourceId::from_bits(id).unwrap()).to_string()
            ),
            Err(tsrm::AttachError::SingleThreaded { .. }) if tsrm::SINGLE_THREADED => {}
            Err(error) => panic!("{error}"),
        }
    });
    assert_eq!(DESTROYED.load(Ordering::SeqCst), threads as usize + 1);
    let next = c::ts_allocate_id(layout.size(), layout.align(), Some(make), Some(end));
    assert_eq!(next as u32, id as u32, "the place is used again");
    tsrm.attach(|_| {
        assert!(c::ts_resource(id).is_null());
        assert!(!c::ts_resource(next).is_null());
        assert!(c::ts_resource(id).is_null());
    });
    for bits in [next, plain, empty] {
        assert_eq!(c::ts_free_id(bits), 1);
    }
    tsrm.detach().unwrap();
    assert_eq!(CONSTRUCTED.load(Ordering::SeqCst), DESTROYED.load(Ordering::SeqCst));
}
