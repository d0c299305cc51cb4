//! Locks wherever code may run: in hooks and destructors, on threads that know nothing of the runtime.

use std::cell::{Cell, RefCell};
use std::mem::forget;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{SrwMutex, SuxLock};
use tsrm::{Attached, Interrupt, Runtime};
use tsrm_locks::{LONG, Sleeper};

use crate::table::{EXCLUSIVE, FREE, SHARED, entries};
use crate::together;

/// Locks in each hook, and in the drop of each value.
#[tsrm::module]
mod hooked {
    use tsrm::{Error, Shutdown, Startup};

    use super::*;

    pub(super) static RAW: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

    #[derive(Debug)]
    pub(super) struct Locks(pub(super) &'static str);
    impl Drop for Locks {
        fn drop(&mut self) {
            RAW.lock().push(self.0);
        }
    }

    #[shared]
    pub(super) static LOG: SuxLock<Vec<&'static str>> = SuxLock::new(Vec::new());
    #[shared]
    pub(super) static LAST: Locks = Locks("drop shared");
    #[global]
    pub(super) static CACHED: Locks = Locks("drop cached");
    #[global]
    pub(super) static STATIC: Cell<Option<Locks>> = const { Cell::new(None) };

    #[module_startup]
    fn up(phase: &mut Startup<'_>) -> Result<(), Error> {
        phase.shared_mut(&LOG).get_mut().push("up");
        Ok(())
    }
    #[module_shutdown]
    fn down(phase: &mut Shutdown<'_>) {
        let _ = phase.shared(&LOG);
        RAW.lock().push("down");
    }
    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), Error> {
        LOG.get(here).exclusive(here).push("born");
        Ok(())
    }
    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        LOG.get(here).update(here).upgrade().push("dies");
        RAW.lock().extend(LOG.get(here).shared(here).iter());
    }
    #[request_startup]
    fn begins(here: Attached<'_>) -> Result<(), Error> {
        LOG.get(here).exclusive(here).push("begins");
        Ok(())
    }
    #[request_shutdown]
    fn ends(here: Attached<'_>) {
        LOG.get(here).exclusive(here).push("ends");
    }
}

#[tsrm::module]
mod hooked_alone {}

#[tsrm::test(hooked_alone)]
fn in_hooks_and_in_drops(tsrm: Runtime) {
    tsrm.register(hooked::MODULE).unwrap();
    tsrm.request(|here| {
        hooked::CACHED.get(here);
        hooked::STATIC.set(here, Some(hooked::Locks("drop static")));
        hooked::LAST.get(here);
    });
    tsrm.detach().unwrap();
    assert!(tsrm.retire(hooked::MODULE, LONG).unwrap().is_done());
    let mut log = std::mem::take(&mut *hooked::RAW.lock());
    // Values are dropped in any order of their kinds.
    log[5..7].sort_unstable();
    let expected = [
        "up",
        "born",
        "begins",
        "ends",
        "dies",
        "drop cached",
        "drop static",
        "down",
        "drop shared",
    ];
    assert_eq!(log, expected);
}

#[tsrm::module]
mod retired {
    use super::*;

    pub(super) static DROPPED: AtomicU32 = AtomicU32::new(0);
    pub(super) struct Value;
    impl Drop for Value {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[shared]
    pub(super) static LOCK: SuxLock<Value> = SuxLock::new(Value);
}

#[tsrm::module]
mod retired_alone {}

/// A guard keeps the lock only as long as its attach lasts, even if it was leaked.
#[tsrm::test(retired_alone)]
fn a_module_with_a_lock_is_retired(tsrm: Runtime) {
    for leaks in [false, true] {
        let before = retired::DROPPED.load(Ordering::Relaxed);
        tsrm.register(retired::MODULE).unwrap();
        tsrm.attach(|here| {
            let guard = retired::LOCK.get(here).exclusive(here);
            assert!(!tsrm.retire(retired::MODULE, Duration::ZERO).unwrap().is_down());
            assert_eq!(retired::DROPPED.load(Ordering::Relaxed), before);
            // This attach has it to the end.
            assert_eq!(entries(retired::LOCK.get(here), here), EXCLUSIVE);
            if leaks {
                forget(guard);
            }
        });
        assert!(tsrm.retire(retired::MODULE, LONG).unwrap().is_done());
        assert_eq!(retired::DROPPED.load(Ordering::Relaxed), before + 1);
        tsrm.detach().unwrap();
    }
    // Registered anew, the lock is as new.
    tsrm.register(retired::MODULE).unwrap();
    tsrm.attach(|here| assert_eq!(entries(retired::LOCK.get(here), here), FREE));
    assert!(tsrm.retire(retired::MODULE, LONG).unwrap().is_down());
    tsrm.detach().unwrap();
}

static BY_DESTRUCTORS: RwLock<u32> = RwLock::new(0);

/// Waits for a lock when its thread is nearly gone.
struct AtTheEnd<'a>(&'a Sleeper);

impl Drop for AtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.goes_to_sleep();
        *BY_DESTRUCTORS.write() += 1;
    }
}

static DESTRUCTOR: Sleeper = Sleeper::new();

thread_local! {
    static LATE: RefCell<Option<AtTheEnd<'static>>> = const { RefCell::new(None) };
}

/// In both builds these locks wait.
#[tsrm::test(together)]
fn raw_ones_in_a_tls_destructor(_tsrm: Runtime) {
    let reader = BY_DESTRUCTORS.read();
    let thread = std::thread::spawn(|| LATE.set(Some(AtTheEnd(&DESTRUCTOR))));
    DESTRUCTOR.wait_until_asleep();
    assert_eq!(*reader, 0);
    drop(reader);
    thread.join().unwrap();
    assert_eq!(*BY_DESTRUCTORS.read(), 1);
}

#[tsrm::test(together)]
fn raw_ones_on_threads_that_never_attach(_tsrm: Runtime) {
    let lock = RwLock::new(0_u32);
    let mutex = Mutex::new(0_u32);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1_000 {
                    *mutex.lock() += 1;
                    *lock.write() += 1;
                }
            });
        }
    });
    assert_eq!((lock.into_inner(), mutex.into_inner()), (4_000, 4_000));
}

#[tsrm::test(together)]
fn by_a_thread_that_is_interrupted(tsrm: Runtime) {
    let lock = SuxLock::new(1);
    let mutex = SrwMutex::new(2);
    tsrm.request(|here| {
        let thread = here.thread();
        assert!(thread.interrupt(thread.request().unwrap(), Interrupt::TIME_LIMIT));
        // It is the section's business to look.
        let guard = lock.update(here).upgrade();
        assert_eq!((*guard, *mutex.lock(here)), (1, 2));
        assert!(lock.shared_timeout(here, Duration::from_millis(1)).is_none());
        assert!(here.interrupted());
        drop(guard);
        assert_eq!(entries(&lock, here), FREE);
        assert_eq!(here.take_interrupt(), Some(Interrupt::TIME_LIMIT));
    });
}

#[tsrm::test(together)]
fn in_nested_attaches(tsrm: Runtime) {
    let lock = SuxLock::new(0);
    tsrm.attach(|outer| {
        let guard = lock.shared(outer);
        tsrm.attach(|inner| {
            assert_eq!(entries(&lock, inner), SHARED);
            let second = lock.shared(outer);
            tsrm.request(|here| assert_eq!(*lock.update(here) + *second, 0));
            drop(guard);
            assert_eq!(entries(&lock, outer), SHARED);
        });
        assert_eq!(entries(&lock, outer), FREE);
        *lock.exclusive(outer) += 1;
    });
    assert_eq!(lock.into_inner(), 1);
}
