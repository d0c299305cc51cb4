//! An allocator that fails on command: each allocation of an operation in turn. What can be refused is
//! refused, nothing is left half-done, and the next try succeeds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use tsrm::stats::SharedStatistics;
use tsrm::{AccessError, AttachError, RegisterError, ResourceError, ResourceId, Runtime};
use tsrm_tests::{Ledger, Tracked};

thread_local! {
    /// How many allocations of this thread until one fails; 0: none does.
    static FAILS_IN: Cell<u32> = const { Cell::new(0) };
}

struct Failing;

/// Whether this allocation fails.
fn fails() -> bool {
    let left = FAILS_IN.get();
    FAILS_IN.set(left.saturating_sub(1));
    left == 1
}

#[global_allocator]
static ALLOCATOR: Failing = Failing;

// SAFETY: the system's allocator, or null.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails() {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fails() {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Runs `f` with its `n`th allocation failing. Says whether there was one.
fn failing<R>(n: u32, f: impl FnOnce() -> R) -> (R, bool) {
    FAILS_IN.set(n);
    let result = f();
    (result, FAILS_IN.replace(0) == 0)
}

static LEDGER: Ledger = Ledger::new();

#[tsrm::module]
mod module {
    use super::{LEDGER, Tracked};

    #[global]
    pub static FIRST: Tracked = Tracked::new(&LEDGER);
    #[global]
    pub static SECOND: Tracked = Tracked::new(&LEDGER);
}

/// Is registered while the thread is in an attach.
#[tsrm::module(requires = ["module"])]
mod late {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{LEDGER, Tracked};

    pub static HOOKS: AtomicU32 = AtomicU32::new(0);

    #[global]
    pub static VALUE: Tracked = Tracked::new(&LEDGER);

    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        HOOKS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        HOOKS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts.
#[tsrm::module]
mod counted {
    #[derive(tsrm::Statistics)]
    pub enum Counted {
        /// Whatever.
        #[stat(counter)]
        Events,
        /// How large it is.
        #[stat(histogram, max = 1000)]
        Sizes,
    }

    #[statistics]
    pub static COUNTED: tsrm::Statistics<Counted>;
}

fn construct() -> Result<Tracked, tsrm::Error> {
    Ok(Tracked::new(&LEDGER))
}

fn main() {
    let story = std::env::args().nth(1).unwrap();
    let attempt: fn(u32) -> bool = match story.as_str() {
        "register-resource" => register_resource,
        "many-resources" => many_resources,
        "resource" => resource,
        "far-resource" => far_resource,
        "cached" => cached,
        "late" => cached_of_a_late_module,
        "attach" => attach_to_a_late_module,
        "statistics" => statistics_of_an_object,
        "leave" => leave_after_counting,
        other => panic!("{other}"),
    };
    // Each attempt in a process of its own, since what is allocated once is not allocated again.
    let mut refused = 0;
    for n in 1.. {
        match child(|| attempt(n)) {
            Ok(true) => refused += 1,
            Ok(false) => break,
            Err(how) => return println!("allocation {n} of {story}: {how}"),
        }
    }
    println!("{story}: refused, then fine; failures in turn: {}", refused > 0);
}

/// What `attempt` answers in a fork.
fn child(attempt: impl FnOnce() -> bool) -> Result<bool, String> {
    // SAFETY: this process has one thread.
    match unsafe { libc::fork() } {
        -1 => panic!("{}", std::io::Error::last_os_error()),
        0 => {
            let attempt = catch_unwind(AssertUnwindSafe(attempt));
            let code = attempt.map_or(101, i32::from);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(code) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: `status` is valid for the write.
            assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
            match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
                Some(0) => Ok(false),
                Some(1) => Ok(true),
                Some(code) => Err(format!("exit code {code}")),
                None => Err(format!("killed by signal {}", libc::WTERMSIG(status))),
            }
        }
    }
}

fn finish(tsrm: Runtime, built: usize) {
    tsrm.detach().unwrap();
    assert_eq!(LEDGER.both(), (built, built));
    assert!(tsrm.shutdown(std::time::Duration::ZERO).unwrap().is_clean());
}

/// The first one of the process.
fn register_resource(n: u32) -> bool {
    let tsrm = Runtime::start([]).unwrap();
    register_in(tsrm, n, 0)
}

/// One for which the places have to grow.
fn many_resources(n: u32) -> bool {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    // As many as fit: the first attempt that allocates is the one.
    for count in 0..1000 {
        let (registered, has_failed) =
            failing(1, || tsrm.register_resource("one of many", construct));
        match registered {
            Ok(_) if !has_failed => {}
            Err(RegisterError::OutOfMemory) if has_failed => return register_in(tsrm, n, count),
            other => panic!("{other:?}"),
        }
    }
    unreachable!("so many places at once?")
}

fn register_in(tsrm: Runtime, n: u32, before: usize) -> bool {
    let (registered, has_failed) = failing(n, || tsrm.register_resource("resource", construct));
    let count = tsrm.report().resources.len() - before;
    match (&registered, has_failed) {
        (Ok(_), _) => assert_eq!(count, 1),
        (Err(RegisterError::OutOfMemory), true) => assert_eq!(count, 0),
        (other, _) => panic!("{other:?}"),
    }
    let resource =
        registered.unwrap_or_else(|_| tsrm.register_resource("resource", construct).unwrap());
    tsrm.attach(|here| resource.get(here).cell.set(1));
    assert_eq!(LEDGER.both(), (1, 0));
    assert!(resource.release());
    assert_eq!(LEDGER.both(), (1, 1));
    finish(tsrm, 1);
    has_failed
}

fn resource(n: u32) -> bool {
    use_resource(n, 0)
}

/// For whose place the thread's table has to grow.
fn far_resource(n: u32) -> bool {
    use_resource(n, 100)
}

fn use_resource(n: u32, place: u32) -> bool {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    tsrm.attach(|here| module::FIRST.get(here).cell.set(8));
    for _ in 0..place {
        tsrm.register_resource("in front", construct).unwrap();
    }
    let resource = tsrm.register_resource("resource", construct).unwrap();
    let has_failed = tsrm.attach(|here| {
        let (found, has_failed) = failing(n, || resource.try_get(here));
        match (found, has_failed) {
            (Ok(value), _) => value.cell.set(7),
            (Err(ResourceError::OutOfMemory("resource")), true) => {
                // Nothing was built, or it was dropped again.
                assert_eq!(LEDGER.built() - LEDGER.dropped(), 1);
                resource.for_each_raw(here, 0);
                assert_eq!(resource.try_get(here).unwrap().cell.replace(7), 0);
            }
            (other, _) => panic!("{other:?}"),
        }
        assert_eq!(resource.get(here).cell.get(), 7);
        assert_eq!(module::FIRST.get(here).cell.get(), 8);
        resource.for_each_raw(here, 1);
        has_failed
    });
    assert_eq!(LEDGER.built() - LEDGER.dropped(), 2);
    finish(tsrm, LEDGER.built());
    has_failed
}

trait CountValues {
    fn for_each_raw(self, here: tsrm::Attached<'_>, expected: usize);
}

impl<T: 'static> CountValues for tsrm::Resource<T> {
    /// How many threads have a value.
    fn for_each_raw(self, here: tsrm::Attached<'_>, expected: usize) {
        let mut count = 0;
        self.id().for_each_thread(here, |_, _| count += 1);
        assert_eq!(count, expected);
    }
}

/// Of a module that the thread has begun with.
fn cached(n: u32) -> bool {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let has_failed = tsrm.attach(|here| {
        let (found, has_failed) = failing(n, || module::SECOND.try_get(here));
        match (found, has_failed) {
            (Ok(value), _) => value.cell.set(7),
            (Err(AccessError::OutOfMemory { module: "module", global: "SECOND" }), true) => {
                assert_eq!(LEDGER.both(), (0, 0));
                assert!(module::SECOND.try_with_attached(|_| ()).is_none());
                assert_eq!(module::SECOND.try_get(here).unwrap().cell.replace(7), 0);
            }
            (other, _) => panic!("{other:?}"),
        }
        assert_eq!(module::SECOND.get(here).cell.get(), 7);
        has_failed
    });
    assert_eq!(LEDGER.both(), (1, 0));
    finish(tsrm, 1);
    has_failed
}

/// Of a module that the thread meets by this.
fn cached_of_a_late_module(n: u32) -> bool {
    let tsrm = Runtime::start([]).unwrap();
    let has_failed = tsrm.attach(|here| {
        tsrm.register(module::MODULE).unwrap();
        tsrm.register(late::MODULE).unwrap();
        let (found, has_failed) = failing(n, || late::VALUE.try_get(here));
        match (found, has_failed) {
            (Ok(value), _) => value.cell.set(7),
            (Err(AccessError::OutOfMemory { module: "late", global: "VALUE" }), true) => {
                assert_eq!(LEDGER.both(), (0, 0));
                assert_eq!(late::VALUE.try_get(here).unwrap().cell.replace(7), 0);
            }
            (other, _) => panic!("{other:?}"),
        }
        assert_eq!(late::VALUE.get(here).cell.get(), 7);
        assert_eq!(late::HOOKS.load(std::sync::atomic::Ordering::Relaxed), 1);
        has_failed
    });
    finish(tsrm, 1);
    assert_eq!(late::HOOKS.load(std::sync::atomic::Ordering::Relaxed), 0);
    has_failed
}

/// A registered thread's next attach, in which it begins with a late module.
fn attach_to_a_late_module(n: u32) -> bool {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    tsrm.attach(|here| module::FIRST.get(here).cell.set(7));
    // So that its table has to grow.
    for _ in 0..100 {
        tsrm.register_resource("in front", construct).unwrap();
    }
    tsrm.register(late::MODULE).unwrap();
    // It comes by here already, with what that allocates.
    assert!(!ResourceId::from_bits(u64::MAX).unwrap().release());
    let (attached, has_failed) =
        failing(n, || tsrm.try_attach(|here| module::FIRST.get(here).cell.get()));
    match (attached, has_failed) {
        (Ok(seen), _) => assert_eq!(seen, 7),
        (Err(AttachError::OutOfMemory), true) => {
            assert_eq!(tsrm.attach(|here| module::FIRST.get(here).cell.get()), 7);
        }
        (other, _) => panic!("{other:?}"),
    }
    assert_eq!(late::HOOKS.load(std::sync::atomic::Ordering::Relaxed), 1);
    finish(tsrm, 1);
    has_failed
}

/// Counting in an object's set cannot fail, and nothing is lost: neither then nor afterwards.
fn statistics_of_an_object(n: u32) -> bool {
    use counted::{COUNTED, Counted};
    let tsrm = Runtime::start([counted::MODULE]).unwrap();
    let object = SharedStatistics::new();
    let has_failed = tsrm.attach(|here| {
        let ((), has_failed) = failing(n, || object.inc(here, &COUNTED, Counted::Events));
        assert_eq!(object.snapshot().count(Counted::Events), 1);
        object.add(here, &COUNTED, Counted::Events, 10);
        object.record(here, &COUNTED, Counted::Sizes, 7);
        has_failed
    });
    let counts = [object.snapshot(), COUNTED.snapshot()]
        .map(|now| [Counted::Events, Counted::Sizes].map(|which| now.count(which)));
    assert_eq!(counts, [[11, 1], [11, 1]]);
    drop(object);
    finish(tsrm, 0);
    has_failed
}

/// A thread that has counted leaves, and needs no memory for that.
fn leave_after_counting(n: u32) -> bool {
    use counted::{COUNTED, Counted};
    let tsrm = Runtime::start([counted::MODULE, module::MODULE]).unwrap();
    let object = SharedStatistics::new();
    tsrm.attach(|here| {
        module::FIRST.get(here);
        object.inc(here, &COUNTED, Counted::Events);
    });
    let (left, has_failed) = failing(n, || tsrm.detach());
    assert!(left.is_ok());
    assert_eq!(COUNTED.snapshot().count(Counted::Events), 1);
    finish(tsrm, 1);
    has_failed
}
