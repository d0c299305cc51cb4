//! Reaching globals: storages, conveniences, errors.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use tsrm::{AccessError, AttachError, Runtime};
use tsrm_tests::{Ledger, Tracked, remote};

#[tsrm::module]
mod access {
    use super::*;

    pub(super) static BUILT: Ledger = Ledger::new();
    pub(super) static STATICS: Ledger = Ledger::new();
    thread_local! {
        pub(super) static FAIL: Cell<bool> = const { Cell::new(false) };
    }

    #[global]
    pub(super) static CACHED: Tracked = Tracked::new(&BUILT);

    #[global]
    pub(super) static STATIC: Tracked = const { Tracked::uncounted(&STATICS) };

    // Neither `Send` nor `Sync`.
    #[global]
    pub(super) static RC: RefCell<Option<Rc<str>>> = RefCell::new(Some("rc".into()));

    // Not what cached storage is for, but it must not take several copies on the stack.
    #[global]
    pub(super) static LARGE: RefCell<[u8; 600 * 1024]> = RefCell::new([1; 600 * 1024]);

    #[global]
    pub(super) static ITSELF: u64 = ITSELF.with(|value| *value);

    #[global]
    pub(super) static PANICS: u64 = if FAIL.get() { panic!("no value today") } else { 7 };

    #[global]
    pub(super) static FIRST: u64 = 1 + SECOND.with(|value| *value);

    #[global]
    pub(super) static SECOND: u64 = 10;
}

/// Linked, but listed by no test.
#[tsrm::module]
mod unlisted {
    use super::*;

    pub(super) static DROPS: Ledger = Ledger::new();

    #[global]
    pub(super) static STATIC: Tracked = const { Tracked::uncounted(&DROPS) };

    #[global]
    pub(super) static CACHED: u64 = 0;
}

/// Linked twice, and its global is in another module's list too.
#[tsrm::module]
mod twice {
    use super::*;

    pub(super) static DROPS: Ledger = Ledger::new();

    #[global]
    pub(super) static STATIC: Tracked = const { Tracked::uncounted(&DROPS) };

    tsrm::private::declare_module!(__TSRM_MODULE);
    tsrm::private::declare_module!(FORGED);

    static FORGED: tsrm::private::ModuleDescriptor = tsrm::private::ModuleDescriptor::new(
        "forged",
        &[],
        &[tsrm::private::GlobalRef::of::<__TsrmMarker_STATIC>()],
        &[],
        &[],
        tsrm::private::Hooks::NONE,
    );
}

/// Listed by one test only, which therefore runs alone.
#[tsrm::module]
mod alone {}

#[tsrm::test(twice, alone)]
fn linked_twice_but_dropped_once(tsrm: Runtime) {
    let drops = twice::DROPS.dropped();
    tsrm.attach(|here| twice::STATIC.get(here).cell.set(1));
    tsrm.detach().unwrap();
    assert_eq!(twice::DROPS.dropped(), drops + 1);
}

#[tsrm::test(access, remote)]
fn values_are_fresh_after_detach(tsrm: Runtime) {
    for round in 0..3 {
        tsrm.attach(|here| {
            assert_eq!(access::CACHED.get(here).cell.replace(5), 0, "round {round}");
            assert_eq!(access::STATIC.get(here).cell.replace(6), 0, "round {round}");
            assert_eq!(remote::COUNT.replace(here, 7), 0, "round {round}");
            remote::NAMES.with_borrow_mut(here, |names| names.push("x".into()));
            assert_eq!(remote::NAMES.with_borrow(here, Vec::len), 1, "round {round}");
            let rc = access::RC.get(here).borrow_mut().take();
            assert_eq!(rc.as_deref(), Some("rc"));
        });
        // Between two attaches the values stay.
        tsrm.attach(|here| {
            assert_eq!(access::CACHED.get(here).cell.get(), 5);
            assert_eq!(access::STATIC.get(here).cell.get(), 6);
            assert_eq!(remote::COUNT.take(here), 7);
        });
        tsrm.detach().unwrap();
    }
}

#[tsrm::test(access)]
fn built_on_first_use_and_dropped_on_detach(tsrm: Runtime) {
    // A spawned thread, so that other tests' threads do not count: compare differences.
    let before = access::BUILT.both();
    tsrm.attach(|_here| ());
    let idle = access::BUILT.both();
    tsrm.attach(|here| {
        access::CACHED.get(here);
        access::CACHED.get(here);
    });
    tsrm.detach().unwrap();
    let after = access::BUILT.both();
    if tsrm::SINGLE_THREADED {
        // Nobody else counts meanwhile.
        assert_eq!(idle, before);
        assert_eq!(after, (before.0 + 1, before.1 + 1));
    }
    assert!(after.0 > before.0 && after.1 > before.1);
}

#[tsrm::test(access)]
fn a_large_cached_value(_tsrm: Runtime) {
    let builder = tsrm::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let last = builder.spawn(|here| access::LARGE.get(here).borrow()[600 * 1024 - 1]);
    assert_eq!(last.unwrap().join().unwrap(), 1);
}

#[tsrm::test(access)]
fn with_attaches(tsrm: Runtime) {
    access::STATIC.with(|value| value.cell.set(1));
    assert_eq!(tsrm.attach(|here| access::STATIC.get(here).cell.get()), 1);
    assert_eq!(access::STATIC.try_with(|value| value.cell.get()).unwrap(), 1);
}

#[tsrm::test(access)]
fn a_constructor_that_reads_its_own_global(tsrm: Runtime) {
    tsrm.attach(|here| {
        let message = catch_unwind(AssertUnwindSafe(|| *access::ITSELF.get(here))).unwrap_err();
        assert_eq!(
            message.downcast_ref::<String>().unwrap(),
            "`access::ITSELF` was asked for by its own initialiser"
        );
        // Nothing is left behind: it can be tried again.
        assert!(catch_unwind(AssertUnwindSafe(|| *access::ITSELF.get(here))).is_err());
        // One that reads another one is fine.
        assert_eq!(*access::FIRST.get(here), 11);
    });
}

#[tsrm::test(access)]
fn a_constructor_that_panics(tsrm: Runtime) {
    tsrm.attach(|here| {
        access::FAIL.set(true);
        let panic = catch_unwind(AssertUnwindSafe(|| *access::PANICS.get(here))).unwrap_err();
        assert_eq!(*panic.downcast_ref::<&str>().unwrap(), "no value today");
        access::FAIL.set(false);
        assert_eq!(*access::PANICS.get(here), 7);
    });
}

#[tsrm::test(access)]
fn a_module_that_was_not_listed(tsrm: Runtime) {
    tsrm.attach(|here| {
        let error = unlisted::CACHED.try_get(here).unwrap_err();
        assert!(matches!(
            error,
            AccessError::ModuleNotStarted { module: "unlisted", global: "CACHED" }
        ));
        assert_eq!(
            error.to_string(),
            "`unlisted::CACHED`: module `unlisted` is not started (list `unlisted::MODULE` when the \
             runtime starts, or register it)"
        );
        // Static storage is never checked; it is dropped all the same.
        unlisted::STATIC.get(here).cell.set(9);
    });
    let before = unlisted::DROPS.dropped();
    tsrm.detach().unwrap();
    assert!(unlisted::DROPS.dropped() > before);
    tsrm.attach(|here| assert_eq!(unlisted::STATIC.get(here).cell.get(), 0));
}

#[tsrm::test(access)]
fn try_with_attached_does_nothing_for_anybody(tsrm: Runtime) {
    let look = || access::CACHED.try_with_attached(|value| value.cell.get());
    assert_eq!(look(), None, "not registered");
    assert!(!tsrm.threads().iter().any(|thread| thread.name() == std::thread::current().name()));
    tsrm.attach(|here| {
        assert_eq!(look(), None, "not built");
        access::CACHED.get(here).cell.set(3);
        assert_eq!(look(), Some(3));
    });
    assert_eq!(look(), None, "at depth 0 somebody could detach meanwhile");
    assert_eq!(access::STATIC.try_with_attached(|_| ()), None);
}

#[tsrm::test(access)]
fn nested_attaches_and_detach(tsrm: Runtime) {
    tsrm.attach(|outer| {
        assert_eq!(outer.thread().depth(), 1);
        tsrm.attach(|here| {
            assert_eq!(here.thread().depth(), 2);
            let error = tsrm.detach().unwrap_err();
            assert_eq!(error, tsrm::DetachError::Attached { depth: 2 });
            assert_eq!(
                error.to_string(),
                "cannot detach: this thread is inside 2 attach(es), whose references must end first"
            );
        });
        let panic =
            catch_unwind(AssertUnwindSafe(|| tsrm.attach(|_| panic!("inside")))).unwrap_err();
        assert_eq!(*panic.downcast_ref::<&str>().unwrap(), "inside");
        assert_eq!(outer.thread().depth(), 1);
    });
    assert!(catch_unwind(|| tsrm.attach(|_| panic!("outermost"))).is_err());
    tsrm.detach().unwrap();
    tsrm.detach().unwrap();
}

#[tsrm::test(access)]
fn a_second_thread(tsrm: Runtime) {
    tsrm.attach(|here| {
        access::STATIC.get(here).cell.set(1);
        let other = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let seen = tsrm.try_attach(|here| access::STATIC.get(here).cell.get());
                tsrm.detach().unwrap();
                seen
            });
            other.join().unwrap()
        });
        match other {
            Ok(seen) => assert!(!tsrm::SINGLE_THREADED && seen == 0),
            Err(AttachError::SingleThreaded { holder }) => {
                assert_eq!(tsrm::MODE, "NTS");
                assert_eq!(holder.id, here.thread().id());
                assert_eq!(holder.name.as_deref(), std::thread::current().name());
            }
            Err(other) => panic!("{other}"),
        }
    });
}

#[tsrm::test(access)]
fn the_globals_change_hands(tsrm: Runtime) {
    // In a single-threaded build each of these threads gets the values afresh, from the one before.
    let drops = access::STATICS.dropped();
    for _ in 0..10 {
        let seen = tsrm::thread::spawn(|here| {
            *access::RC.get(here).borrow_mut() = Some("mine".into());
            access::STATIC.get(here).cell.replace(1) + access::CACHED.get(here).cell.replace(1)
        });
        assert_eq!(seen.join().unwrap(), 0);
    }
    assert!(access::STATICS.dropped() >= drops + 10);
    tsrm.attach(|here| assert_eq!(access::STATIC.get(here).cell.get(), 0));
}

#[tsrm::test(access, remote)]
fn the_report_has_it_all(tsrm: Runtime) {
    tsrm.attach(|here| {
        access::CACHED.get(here);
        let report = tsrm.report();
        assert_eq!(report.mode, tsrm::MODE);
        let module = report.modules.iter().find(|module| module.name == "access").unwrap();
        assert!(module.started);
        let names: Vec<_> = module.globals.iter().map(|global| global.name).collect();
        assert_eq!(
            names,
            ["CACHED", "STATIC", "RC", "LARGE", "ITSELF", "PANICS", "FIRST", "SECOND"]
        );
        assert_eq!(module.globals[0].storage, tsrm::Storage::Cached);
        assert_eq!(module.globals[1].storage, tsrm::Storage::Static);
        assert_eq!(module.globals[0].bytes, size_of::<Tracked>());
        assert!(module.globals[0].type_name.ends_with("Tracked"));
        assert!(module.globals[0].values >= 1);
        let id = here.thread().id();
        let own = report.threads.iter().find(|thread| thread.thread.id == id).unwrap();
        assert_eq!((own.state, own.depth), (tsrm::thread::ThreadState::Attached, 1));
        assert_eq!((own.request, own.heap_bytes), (None, size_of::<Tracked>()));
        assert!(own.present);
        assert!(report.modules.iter().any(|module| module.name == "unlisted" && !module.started));
        let table = report.to_string();
        for word in ["access", "CACHED", "cached", "static", "attached", "(linked, not started)"] {
            assert!(table.contains(word), "{word} is missing in:\n{table}");
        }
    });
}

#[test]
fn what_is_send_and_sync() {
    fn both<T: Send + Sync>() {}
    both::<Runtime>();
    both::<tsrm::ThreadHandle>();
    both::<tsrm::Report>();
    both::<AttachError>();
    assert_eq!(size_of::<tsrm::Attached<'_>>(), 0);
    assert_eq!(size_of_val(&access::CACHED), 0);
}
