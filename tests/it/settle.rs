//! What a retired module leaves to whoever comes by last: users' code at depth 0, on a thread that is in the
//! middle of an attach's beginning or end, or of its own.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

use tsrm::Runtime;

/// Each listed by one test only, which therefore runs alone.
#[tsrm::module]
mod alone {}
#[tsrm::module]
mod alone_too {}
#[tsrm::module]
mod alone_three {}

#[tsrm::module]
mod plain {
    use super::*;

    #[global]
    pub(super) static TEXT: RefCell<String> = RefCell::new("heap".repeat(16));

    #[global]
    pub(super) static COUNT: Cell<u32> = const { Cell::new(0) };
}

/// Does at its end what it is told to.
#[tsrm::module]
mod last {
    use super::*;

    pub(super) static DOES: AtomicU32 = AtomicU32::new(0);
    pub(super) static DID: AtomicU32 = AtomicU32::new(0);

    pub(super) struct AtEnd;

    impl Drop for AtEnd {
        fn drop(&mut self) {
            act();
        }
    }

    #[shared]
    pub(super) static AT_END: AtEnd = AtEnd;

    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        act();
    }

    fn act() {
        let Some(tsrm) = Runtime::current() else { return };
        match DOES.load(Ordering::SeqCst) {
            1 => tsrm.detach().unwrap(),
            2 => tsrm.attach(|here| plain::COUNT.set(here, 40)),
            3 => {
                tsrm.detach().unwrap();
                tsrm.attach(|here| plain::COUNT.set(here, 50));
            }
            _ => return,
        }
        DID.fetch_add(1, Ordering::SeqCst);
    }
}

/// The thread that leaves its outermost attach stops the module that it has retired in there; the module's end
/// detaches the thread, or attaches it, or both.
#[tsrm::test(plain, alone)]
fn the_end_of_a_module_at_the_end_of_an_attach(tsrm: Runtime) {
    for (does, expected) in [(0, 7), (1, 0), (2, 40), (3, 50)] {
        tsrm.register(last::MODULE).unwrap();
        last::DOES.store(does, Ordering::SeqCst);
        last::DID.store(0, Ordering::SeqCst);
        tsrm.attach(|here| {
            plain::COUNT.set(here, 7);
            plain::TEXT.with_borrow_mut(here, |text| text.push('!'));
            assert!(!tsrm.retire(last::MODULE, Duration::ZERO).unwrap().is_done());
        });
        // Its `module_shutdown`, and the drop of its shared value.
        assert_eq!(last::DID.load(Ordering::SeqCst), if does == 0 { 0 } else { 2 });
        tsrm.attach(|here| {
            assert_eq!(plain::COUNT.get(here).get(), expected);
            let fresh = matches!(does, 1 | 3);
            assert_eq!(plain::TEXT.get(here).borrow().len(), if fresh { 64 } else { 65 });
        });
        assert!(tsrm.retire(last::MODULE, Duration::ZERO).unwrap().is_done());
    }
    last::DOES.store(0, Ordering::SeqCst);
}

/// The same at the beginning of an attach: a thread that was asleep finds the module ready to be stopped.
#[tsrm::test(plain, alone_too)]
fn the_end_of_a_module_at_the_beginning_of_an_attach(tsrm: Runtime) {
    #[tsrm::module]
    mod slow {
        use super::*;
        pub(super) static IN: Barrier = Barrier::new(2);
        pub(super) static OUT: Barrier = Barrier::new(2);

        #[module_shutdown]
        fn down(_phase: &mut tsrm::Shutdown<'_>) {
            IN.wait();
            OUT.wait();
        }
    }
    tsrm.register(slow::MODULE).unwrap();
    tsrm.register(last::MODULE).unwrap();
    last::DOES.store(1, Ordering::SeqCst);
    if !tsrm::SINGLE_THREADED {
        tsrm.attach(|here| plain::COUNT.set(here, 7));
    }
    let retiring = std::thread::spawn(move || {
        tsrm.detach_after(|| {
            tsrm.attach(|_here| {
                let _ = tsrm.retire(slow::MODULE, Duration::ZERO).unwrap();
                let _ = tsrm.retire(last::MODULE, Duration::ZERO).unwrap();
                // On the way out it is stuck in `slow`; `last` is left to us.
            });
        });
    });
    slow::IN.wait();
    if tsrm::SINGLE_THREADED {
        // That thread is the registered one.
        assert!(tsrm.try_attach(|_| ()).is_err());
    } else {
        tsrm.attach(|here| {
            assert_eq!(tsrm.threads().len(), 2);
            assert_eq!(
                plain::COUNT.get(here).get(),
                0,
                "the module's end has detached this thread"
            );
            assert!(tsrm.detach().is_err(), "inside an attach");
        });
    }
    slow::OUT.wait();
    retiring.join().unwrap();
    last::DOES.store(0, Ordering::SeqCst);
}

/// A lazy value whose initialiser leads back to it, by the startup of a module that requires its own.
#[tsrm::module]
mod below {
    #[shared(lazy)]
    pub(super) static VALUE: String = {
        let registered = tsrm::Runtime::current().unwrap().register(super::above::MODULE);
        registered.unwrap_err().to_string()
    };
}

#[tsrm::module(requires = ["below"])]
mod above {
    #[module_startup]
    fn up(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        Err(phase.shared(&super::below::VALUE).clone().into())
    }
}

#[tsrm::test(plain, below, alone)]
fn a_lazy_value_that_comes_back_to_itself(tsrm: Runtime) {
    tsrm.attach(|here| {
        assert_eq!(
            below::VALUE.get(here),
            "cannot register: module_startup of module `above` panicked: `below::VALUE` was asked for by \
             its own initialiser"
        );
    });
}

/// Static storage that no module lists is drained all the same: the next holder of a single-threaded build
/// must not find it (I9).
#[tsrm::test(plain)]
fn a_static_that_no_module_lists(tsrm: Runtime) {
    type Value = RefCell<Option<Rc<Cell<u32>>>>;
    struct Marker;
    #[allow(clippy::declare_interior_mutable_const, reason = "as the macro does")]
    const INITIAL: Value = RefCell::new(None);
    tsrm::private::declare_static!(Marker, "nowhere", "LOST", Value, INITIAL, {
        type Value = Value;
    });
    static LOST: tsrm::Global<Marker> = tsrm::Global::new();

    let mine = Rc::new(Cell::new(1));
    tsrm.attach(|here| LOST.get(here).replace(Some(Rc::clone(&mine))));
    tsrm.detach().unwrap();
    assert_eq!(Rc::strong_count(&mine), 1);
    let other = move || tsrm.detach_after(|| tsrm.attach(|here| LOST.get(here).borrow().is_some()));
    assert!(!std::thread::spawn(other).join().unwrap());
}

#[tsrm::module]
mod booked {
    pub(super) static BOOKS: tsrm_tests::Ledger = tsrm_tests::Ledger::new();

    #[global]
    pub(super) static VALUE: tsrm_tests::Tracked = tsrm_tests::Tracked::new(&BOOKS);
}

/// An attach that is refused, since the handle is of an earlier runtime, does what the thread was called for
/// all the same.
#[tsrm::test(plain, booked)]
fn a_stale_handle_does_not_keep_a_thread_from_coming_by(tsrm: Runtime) {
    let stale = tsrm;
    assert!(stale.shutdown(Duration::from_secs(60)).unwrap().is_clean());
    let tsrm = Runtime::start([plain::MODULE, booked::MODULE]).unwrap();
    tsrm.attach(|here| assert_eq!(booked::VALUE.get(here).cell.get(), 0));
    let retiring = move || tsrm.retire(booked::MODULE, Duration::ZERO).unwrap().is_done();
    assert!(!std::thread::spawn(retiring).join().unwrap(), "this thread has a value");
    let before = booked::BOOKS.dropped();
    assert!(stale.try_attach(|_| ()).is_err());
    assert_eq!(booked::BOOKS.dropped(), before + 1);
    assert!(tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean());
}

#[tsrm::module]
mod again {
    use super::*;

    #[global]
    pub(super) static STATE: Cell<u32> = const { Cell::new(0) };
    #[global]
    pub(super) static BUFFER: Vec<u8> = Vec::with_capacity(8);

    #[thread_startup]
    fn born(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        STATE.set(here, 42);
        Ok(())
    }
}

/// Uses `again` when it goes, and so begins with what is up of it then.
#[tsrm::module]
mod user {
    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        assert_eq!(super::again::BUFFER.get(here).capacity(), 8);
    }
}

/// A thread lets go of an old registration, in the middle of which it begins with the new one: whose statics
/// are not reset any more.
#[tsrm::test(plain, again, user)]
fn a_new_registration_begun_while_the_old_one_is_let_go(tsrm: Runtime) {
    tsrm.attach(|here| assert_eq!(again::STATE.get(here).get(), 42));
    let others = move || {
        // Nobody has patience with a sleeping thread: `again` goes and comes at once.
        assert!(!tsrm.retire(again::MODULE, Duration::ZERO).unwrap().is_done());
        tsrm.register(again::MODULE).unwrap();
    };
    std::thread::spawn(others).join().unwrap();
    let (asked, answer) = std::sync::mpsc::channel();
    let patient = std::thread::spawn(move || {
        asked.send(()).unwrap();
        tsrm.retire(user::MODULE, Duration::from_secs(60)).unwrap().is_done()
    });
    answer.recv().unwrap();
    // As soon as it is being retired, the next attach lets go of both.
    while !tsrm.report().modules.iter().any(|module| module.name == "user" && module.retiring) {
        std::thread::yield_now();
    }
    tsrm.attach(|here| {
        assert_eq!(again::STATE.get(here).get(), 42, "set by the new one's startup")
    });
    assert!(patient.join().unwrap());
}

/// What threads have begun and ended, in order.
static ORDER: Mutex<Vec<&str>> = Mutex::new(Vec::new());

#[tsrm::module]
mod base {
    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        super::ORDER.lock().unwrap().push("base born");
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        super::ORDER.lock().unwrap().push("base dies");
    }
}

/// Threads begin with it at the first use only.
#[tsrm::module(requires = ["base"])]
mod between {
    #[global]
    pub(super) static VALUE: Vec<u8> = Vec::new();
}

#[tsrm::module(requires = ["between"])]
mod top {
    #[global]
    pub(super) static VALUE: Vec<u8> = Vec::new();

    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        super::ORDER.lock().unwrap().push("top born");
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        super::ORDER.lock().unwrap().push("top dies");
    }
}

/// Met in the middle of an attach, a module begins behind all that it requires, also through one that threads
/// do not begin with of themselves.
#[tsrm::test(plain, alone_three)]
fn requirements_through_a_module_without_hooks(tsrm: Runtime) {
    tsrm.attach(|here| {
        for module in [base::MODULE, between::MODULE, top::MODULE] {
            tsrm.register(module).unwrap();
        }
        assert_eq!(top::VALUE.get(here).len(), 0);
    });
    tsrm.detach().unwrap();
    let order = std::mem::take(&mut *ORDER.lock().unwrap());
    assert_eq!(order, ["base born", "top born", "top dies", "base dies"]);
    for module in [top::MODULE, between::MODULE, base::MODULE] {
        assert!(tsrm.retire(module, Duration::from_secs(60)).unwrap().is_done());
    }
}
