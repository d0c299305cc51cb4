//! Shared values: when they are built, who reaches them, when they go.

pub(crate) mod own;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::time::Duration;

use tsrm::{AccessError, AttachError, Hook, HookFailure, Module, Runtime, StartError};

use own::{LONG, Loud, Own, Worker, alone, log, logged};

alone!(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12);

static FAIL: AtomicBool = AtomicBool::new(false);

#[tsrm::module]
mod base {
    use super::*;

    #[shared]
    pub(super) static FIRST: Loud = Loud::new("base first");
    #[shared]
    pub(super) static SECOND: Mutex<Vec<Loud>> = {
        log("build base second");
        Mutex::new(Vec::new())
    };
    #[shared(lazy)]
    pub(super) static LAZY: Loud = Loud::new("base lazy");
    #[shared]
    pub(super) static THIRD: Loud = match FAIL.swap(false, Ordering::SeqCst) {
        true => panic!("no third"),
        false => Loud::new("base third"),
    };

    #[module_startup]
    fn up(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        log("base up");
        assert_eq!(phase.shared(&FIRST).look(), "base first");
        // A `&mut`: no lock is needed.
        phase.shared_mut(&SECOND).get_mut().unwrap().push(Loud::new("filled"));
        Ok(())
    }

    #[module_shutdown]
    fn down(phase: &mut tsrm::Shutdown<'_>) {
        assert_eq!(phase.shared(&FIRST).look(), "base first");
        log(format!("base down, {} filled", phase.shared(&SECOND).lock().unwrap().len()));
    }
}

const BUILT: [&str; 5] =
    ["build base first", "build base second", "build base third", "base up", "build filled"];
const DROPPED: [&str; 4] =
    ["base down, 1 filled", "drop base third", "drop filled", "drop base first"];

#[tsrm::module(requires = ["base"])]
mod dependent {
    use super::*;

    #[module_startup]
    fn up(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        phase.shared(&base::SECOND).lock().unwrap().push(Loud::new("added"));
        // A lazy value is built by the hook that asks for it.
        log(format!("dependent up with {}", phase.shared(&base::LAZY).look()));
        if FAIL.swap(false, Ordering::SeqCst) { Err("dependent refuses".into()) } else { Ok(()) }
    }

    #[module_shutdown]
    fn down(phase: &mut tsrm::Shutdown<'_>) {
        log(format!("dependent down with {}", phase.shared(&base::FIRST).look()));
    }
}

#[tsrm::test(a1)]
fn built_in_order_filled_by_startup_and_dropped_in_reverse(_tsrm: Runtime) {
    logged();
    // Each start has fresh values.
    for _ in 0..2 {
        let tsrm = Own::start([base::MODULE]).unwrap();
        assert_eq!(logged(), BUILT);
        let address = tsrm.attach(|here| {
            assert_eq!(base::SECOND.get(here).lock().unwrap()[0].look(), "filled");
            let first = base::FIRST.try_get(here).unwrap();
            assert_eq!(first.look(), "base first");
            std::ptr::from_ref(first).addr()
        });
        tsrm.detach().unwrap();
        for worker in Worker::several(*tsrm, 4) {
            let same = worker.attach(|here| std::ptr::from_ref(base::FIRST.get(here)).addr());
            assert_eq!(same, address);
        }
        assert_eq!(logged(), [""; 0]);
        tsrm.end();
        assert_eq!(logged(), DROPPED, "each once; the lazy one was never there");
        assert!(matches!(
            base::FIRST.try_with(|_| ()).unwrap_err(),
            AccessError::Attach(AttachError::NotStarted)
        ));
    }
}

#[tsrm::test(a2)]
fn hooks_reach_the_values_of_what_they_require(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([base::MODULE, dependent::MODULE]).unwrap();
    let more = ["build added", "build base lazy", "dependent up with base lazy"];
    assert_eq!(logged(), [&BUILT[..], &more].concat());
    tsrm.attach(|here| assert_eq!(base::LAZY.get(here).look(), "base lazy"));
    assert_eq!(logged(), [""; 0], "it was built already");
    tsrm.end();
    assert_eq!(
        logged(),
        [
            "dependent down with base first",
            "base down, 2 filled",
            "drop base third",
            "drop base lazy",
            "drop filled",
            "drop added",
            "drop base first",
        ]
    );
}

/// Reaches for what it may not.
#[tsrm::module]
mod stranger {
    use super::*;

    #[module_startup]
    fn up(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        phase.shared(&base::FIRST).look();
        Ok(())
    }
}

#[tsrm::module(requires = ["base"])]
mod greedy {
    use super::*;

    #[module_startup]
    fn up(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        phase.shared_mut(&base::SECOND).get_mut().unwrap().clear();
        Ok(())
    }
}

#[tsrm::test(a3)]
fn hooks_reach_nothing_else(_tsrm: Runtime) {
    logged();
    let refusal = |module: Module| {
        let error = Own::start([base::MODULE, module]).err().unwrap();
        assert_eq!(logged(), [&BUILT[..], &DROPPED].concat(), "what was up has gone down");
        let StartError::Hook(error) = error else { panic!("{error}") };
        assert_eq!((error.module, error.hook), (module.name(), Hook::ModuleStartup));
        let HookFailure::Panicked(message) = error.cause else { panic!("{error}") };
        message
    };
    assert_eq!(
        refusal(stranger::MODULE),
        "shared value `FIRST` of module `base` is out of reach of the hooks of module `stranger`: it \
         has to say `requires = [\"base\"]`"
    );
    let message = refusal(greedy::MODULE);
    assert!(message.contains("`SECOND` of module `base`"), "{message}");
    assert!(!message.contains("has to say"), "it does require `base`: {message}");
}

#[tsrm::test(a4)]
fn a_startup_that_fails_drops_everything_in_reverse(_tsrm: Runtime) {
    logged();
    FAIL.store(true, Ordering::SeqCst);
    // The third value panics: its module has not started, so nothing but the first two is undone.
    let error = Own::start([base::MODULE]).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the runtime did not start: module_startup of module `base` panicked: shared value `THIRD`: \
         no third"
    );
    let StartError::Hook(error) = error else { panic!("{error}") };
    assert_eq!((error.module, error.hook), ("base", Hook::ModuleStartup));
    assert!(matches!(error.cause, HookFailure::Panicked(_)));
    assert_eq!(logged(), ["build base first", "build base second", "drop base first"]);
    assert_eq!(Runtime::current(), None);
    // A hook refuses: the values that it, and modules before it, made.
    let tsrm = Own::start([base::MODULE]).unwrap();
    assert_eq!(logged(), BUILT);
    FAIL.store(true, Ordering::SeqCst);
    let error = tsrm.register(dependent::MODULE).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot register: module_startup of module `dependent` failed: dependent refuses"
    );
    assert_eq!(logged(), ["build added", "build base lazy", "dependent up with base lazy"]);
    // It can be had in another try.
    tsrm.register(dependent::MODULE).unwrap();
    assert_eq!(logged(), ["build added", "dependent up with base lazy"]);
    tsrm.end();
    logged();
}

/// Looks at itself while it starts.
#[tsrm::module]
mod early {
    use super::*;

    #[shared]
    pub(super) static VALUE: u32 = 7;
    #[shared(lazy)]
    pub(super) static LAZY: u32 = 8;

    #[module_startup]
    fn up(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        let Some(tsrm) = Runtime::current() else {
            log(VALUE.try_with(|_| ()).unwrap_err().to_string());
            return Ok(());
        };
        tsrm.attach(|here| {
            for error in [VALUE.try_get(here), LAZY.try_get(here)].map(Result::unwrap_err) {
                assert!(matches!(error, AccessError::ModuleNotStarted { module: "early", .. }));
                log(error.to_string());
            }
        });
        Ok(())
    }
}

#[tsrm::test(a5)]
fn out_of_reach_during_startup(_tsrm: Runtime) {
    logged();
    Own::start([early::MODULE]).unwrap().end();
    assert_eq!(
        logged(),
        ["cannot attach: no runtime is running (`tsrm::Runtime::start` comes first)"]
    );
    // Registered late, from inside an attach and from outside.
    let tsrm = Own::start([]).unwrap();
    for inside in [true, false] {
        let register = || tsrm.register(early::MODULE).unwrap();
        if inside {
            tsrm.attach(|_| register())
        } else {
            register()
        }
        let told = logged();
        assert_eq!(told.len(), 2);
        assert!(told[0].starts_with("`early::VALUE`: module `early` is not started"), "{told:?}");
        assert!(told[1].starts_with("`early::LAZY`: module `early` is not started"), "{told:?}");
        tsrm.attach(|here| assert_eq!((*early::VALUE.get(here), *early::LAZY.get(here)), (7, 8)));
        assert!(tsrm.retire(early::MODULE, LONG).unwrap().is_done());
    }
}

#[tsrm::module]
mod lazy {
    use super::*;

    pub(super) static BUILT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        pub(super) static PANICS: Cell<bool> = const { Cell::new(false) };
    }

    #[shared(lazy)]
    pub(super) static ONCE: Loud = {
        assert!(!PANICS.get(), "not today");
        BUILT.fetch_add(1, Ordering::SeqCst);
        Loud::new("once")
    };
    #[shared(lazy)]
    pub(super) static ITSELF: u64 = ITSELF.with(|value| *value);
    #[shared(lazy)]
    pub(super) static PING: u64 = PONG.with(|value| *value);
    #[shared(lazy)]
    pub(super) static PONG: u64 = match PING.try_with(|value| *value) {
        Err(AccessError::Initialising { module: "lazy", global: "PING" }) => 40,
        other => panic!("{other:?}"),
    };
    #[shared(lazy)]
    pub(super) static ABOVE: u64 = 2 + PONG.with(|value| *value);
}

#[tsrm::test(a6)]
fn a_lazy_value_is_built_once_by_the_first_of_many(_tsrm: Runtime) {
    for round in 1..=50 {
        let tsrm = Own::start([lazy::MODULE]).unwrap();
        let threads = if tsrm::SINGLE_THREADED { 1 } else { 8 };
        let all_here = Barrier::new(threads);
        let addresses = Mutex::new(Vec::new());
        tsrm::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|here| {
                    all_here.wait();
                    let value = lazy::ONCE.get(here);
                    assert_eq!(value.look(), "once");
                    addresses.lock().unwrap().push(std::ptr::from_ref(value).addr());
                });
            }
        });
        let addresses = addresses.into_inner().unwrap();
        assert_eq!(addresses, vec![addresses[0]; threads]);
        assert_eq!(lazy::BUILT.load(Ordering::SeqCst), round);
        logged();
        tsrm.end();
        assert_eq!(logged(), ["drop once"]);
    }
}

#[tsrm::test(a7)]
fn lazy_initialisers_that_fail(_tsrm: Runtime) {
    let tsrm = Own::start([lazy::MODULE]).unwrap();
    logged();
    tsrm.attach(|here| {
        lazy::PANICS.set(true);
        for _ in 0..2 {
            let panic = catch_unwind(AssertUnwindSafe(|| lazy::ONCE.get(here).look()));
            assert_eq!(*panic.unwrap_err().downcast_ref::<&str>().unwrap(), "not today");
        }
        lazy::PANICS.set(false);
        assert_eq!(lazy::ONCE.get(here).look(), "once");
        assert_eq!(logged(), ["build once"]);

        for _ in 0..2 {
            let panic = catch_unwind(AssertUnwindSafe(|| *lazy::ITSELF.get(here))).unwrap_err();
            let message = panic.downcast_ref::<String>().unwrap();
            assert!(message.contains("`lazy::ITSELF` was asked for by its own"));
        }
        // By way of another one: that one finds it out, and has a value all the same.
        assert_eq!(*lazy::PING.get(here), 40);
        assert_eq!(*lazy::ABOVE.get(here), 42);
    });
}

#[tsrm::test(a8)]
fn with_attaches_also_for_shared_values(_tsrm: Runtime) {
    let tsrm = Own::start([base::MODULE]).unwrap();
    assert_eq!(base::FIRST.with(Loud::look), "base first");
    assert_eq!(base::LAZY.try_with(Loud::look).unwrap(), "base lazy");
    // The thread was registered by it, as by any attach.
    assert_eq!(tsrm.threads().len(), 1);
    tsrm.attach(|_| assert_eq!(base::FIRST.with(Loud::look), "base first"));
    assert_eq!(format!("{:?}", base::FIRST), "Shared(base::FIRST)");
    let report = tsrm.report();
    let names: Vec<_> =
        report.modules[0].shared.iter().map(|shared| (shared.name, shared.lazy)).collect();
    assert_eq!(names, [("FIRST", false), ("SECOND", false), ("LAZY", true), ("THIRD", false)]);
    let panic = catch_unwind(|| lazy::ONCE.with(Loud::look)).unwrap_err();
    assert_eq!(
        panic.downcast_ref::<String>().unwrap(),
        "`lazy::ONCE`: module `lazy` is not started (list `lazy::MODULE` when the runtime starts, or \
         register it)"
    );
    tsrm.end();
    logged();
}

/// Its destructor panics.
struct Grenade(&'static str);

impl Drop for Grenade {
    fn drop(&mut self) {
        log(format!("drop {}", self.0));
        panic!("{} panics", self.0);
    }
}

#[tsrm::module]
mod grenades {
    use super::*;

    #[shared]
    pub(super) static BELOW: Loud = Loud::new("below");
    #[shared]
    pub(super) static GRENADE: Grenade = Grenade("grenade");
    #[shared(lazy)]
    pub(super) static LATE: Grenade = Grenade("late");
    #[shared]
    pub(super) static ABOVE: Loud = Loud::new("above");

    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        panic!("the hook panics");
    }
}

#[tsrm::test(a9)]
fn destructors_of_shared_values_that_panic(_tsrm: Runtime) {
    let gone = [
        "fault: grenades - module_shutdown: the hook panics",
        "drop above",
        "drop late",
        "fault: grenades LATE -: late panics",
        "drop grenade",
        "fault: grenades GRENADE -: grenade panics",
        "drop below",
    ];
    for by_retire in [false, true] {
        let tsrm = Own::start([base::MODULE, grenades::MODULE]).unwrap();
        tsrm.attach(|here| assert_eq!(grenades::LATE.get(here).0, "late"));
        logged();
        if by_retire {
            assert!(tsrm.retire(grenades::MODULE, LONG).unwrap().is_done());
            assert_eq!(logged(), gone);
            tsrm.end();
            assert_eq!(logged(), DROPPED);
        } else {
            tsrm.end();
            assert_eq!(logged(), [&gone[..], &DROPPED].concat());
        }
    }
}

/// Where the values are that leak for good, so that who looks for leaks finds them here.
static LEAKED: Mutex<Vec<[usize; 3]>> = Mutex::new(Vec::new());

fn note_leaked(here: tsrm::Attached<'_>) {
    fn at<T>(value: &T) -> usize {
        std::ptr::from_ref(value).expose_provenance()
    }
    let [first, third] = [base::FIRST.get(here), base::THIRD.get(here)].map(at);
    LEAKED.lock().unwrap().push([first, at(base::SECOND.get(here)), third]);
}

#[tsrm::test(a10)]
fn a_straggler_keeps_what_it_may_have_seen(_tsrm: Runtime) {
    logged();
    let first = Own::start([base::MODULE]).unwrap();
    let old = *first;
    let (go_on, told) = mpsc::channel::<mpsc::Sender<usize>>();
    let (inside, is_inside) = mpsc::channel();
    let straggler = std::thread::spawn(move || {
        old.attach(|here| {
            let mine = base::FIRST.get(here);
            inside.send(std::ptr::from_ref(mine).addr()).unwrap();
            for answer in told {
                // What it has stays; what it asks for now is that of the runtime that runs, if one does.
                assert_eq!(mine.look(), "base first");
                let now = base::FIRST.try_get(here).map_or(0, |now| {
                    note_leaked(here);
                    assert_eq!(now.look(), "base first");
                    std::ptr::from_ref(now).addr()
                });
                answer.send(now).unwrap();
            }
            assert_eq!(mine.look(), "base first");
        });
    });
    let look = || {
        let (answer, answered) = mpsc::channel();
        go_on.send(answer).unwrap();
        answered.recv().unwrap()
    };
    let address = is_inside.recv().unwrap();
    assert_eq!(look(), address);
    logged();
    let report = first.shutdown(Duration::ZERO).unwrap();
    assert_eq!(report.stragglers.len(), 1);
    assert_eq!(report.stragglers[0].depth, 1);
    assert_eq!(logged(), ["base down, 1 filled"], "nothing is dropped");
    assert_eq!(look(), 0);

    // The next runtime has values of its own.
    let second = Runtime::start([base::MODULE]).unwrap();
    assert_eq!(logged(), BUILT);
    let now = look();
    assert!(now != 0 && now != address, "{now:x} {address:x}");
    // The thread of the runtime before may have seen these too, so they leak as well.
    assert!(second.shutdown(LONG).unwrap().is_clean(), "it is not registered with this one");
    assert_eq!(logged(), ["base down, 1 filled"]);
    assert_eq!(look(), 0);

    drop(go_on);
    straggler.join().unwrap();
    assert_eq!(logged(), [""; 0], "leaked for good");
    let third = Own::start([base::MODULE]).unwrap();
    third.attach(|here| assert_eq!(base::FIRST.get(here).look(), "base first"));
    third.end();
    assert_eq!(logged(), [&BUILT[..], &DROPPED].concat());
}

/// Of no size, and of a strange alignment.
#[tsrm::module]
mod shapes {
    #[derive(Debug, PartialEq)]
    #[repr(align(4096))]
    pub(super) struct Page(pub(super) [u8; 4096]);

    #[shared]
    pub(super) static NOTHING: () = ();
    #[shared]
    pub(super) static PAGE: Page = Page([3; 4096]);
    #[shared]
    pub(super) static FUNCTION: Box<dyn Fn(u32) -> u32 + Send + Sync> = Box::new(|x| x + 1);
}

#[tsrm::test(a11)]
fn shared_values_of_all_shapes(_tsrm: Runtime) {
    let tsrm = Own::start([shapes::MODULE]).unwrap();
    tsrm.attach(|here| {
        assert_eq!(*shapes::NOTHING.get(here), ());
        let page = shapes::PAGE.get(here);
        assert_eq!((std::ptr::from_ref(page).addr() % 4096, page.0[4095]), (0, 3));
        assert_eq!(shapes::FUNCTION.get(here)(1), 2);
    });
    tsrm.end();
}

#[tsrm::test(a12)]
fn references_hold_back_the_drop_of_a_retired_module(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([base::MODULE]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    let (go_on, told) = mpsc::channel::<()>();
    let (inside, is_inside) = mpsc::channel();
    let looked = worker.begin(move || {
        Runtime::current().unwrap().attach(|here| {
            let value = base::FIRST.get(here);
            inside.send(()).unwrap();
            told.recv().unwrap();
            value.look()
        })
    });
    is_inside.recv().unwrap();
    logged();
    assert!(!tsrm.retire(base::MODULE, Duration::ZERO).unwrap().is_done());
    assert_eq!(logged(), [""; 0]);
    go_on.send(()).unwrap();
    assert_eq!(looked.recv().unwrap(), "base first");
    // The last to leave has done the rest.
    worker.run(|| ());
    assert_eq!(logged(), DROPPED);
}
