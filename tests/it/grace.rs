//! Modules that are retired while threads run; and the grace periods on which that stands.

mod meanwhile;
mod quiesce;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Barrier, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use tsrm::{
    AccessError, Attached, Interrupt, Module, RegisterError, RetireError, Retired, Runtime,
};

use super::shared::own::{LONG, Loud, Own, Worker, alone, log, logged, me, until};

alone!(a1 a2 a3 a4 a5 a6 a7 a9 a10);

/// A module with something of everything.
#[tsrm::module]
mod plug {
    use tsrm::{Error, Shutdown, Startup};

    use super::*;

    thread_local! {
        pub(super) static QUIET: Cell<bool> = const { Cell::new(false) };
    }

    #[shared]
    pub(super) static FIRST: Loud = Loud::new("first");
    #[shared(lazy)]
    pub(super) static LAZY: Loud = Loud::new("lazy");
    #[shared]
    pub(super) static LAST: Loud = Loud::new("last");
    #[global]
    pub(super) static VALUE: Loud = Loud::new("value");
    #[global]
    pub(super) static OTHER: Loud = Loud::new("other");
    #[global]
    pub(super) static STATIC: Loud = const { Loud::still("static") };

    #[module_startup]
    fn up(_phase: &mut Startup<'_>) -> Result<(), Error> {
        log("up");
        Ok(())
    }
    #[module_shutdown]
    fn down(phase: &mut Shutdown<'_>) {
        assert_eq!(phase.stragglers().len(), 0);
        log(format!("down with {}", phase.shared(&FIRST).look()));
    }
    #[thread_startup]
    fn born(_here: Attached<'_>) -> Result<(), Error> {
        log(format!("born on {}", me()));
        Ok(())
    }
    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        // A hook may still use all of it.
        assert_eq!(FIRST.get(here).look(), "first");
        log(format!("dies on {}", me()));
    }
    #[request_startup]
    fn begins(_here: Attached<'_>) -> Result<(), Error> {
        log("begins");
        Ok(())
    }
    #[request_shutdown]
    fn ends(_here: Attached<'_>) {
        log("ends");
    }
}

/// What is logged when it is registered, and when nothing but the module itself has to go.
const UP: [&str; 3] = ["build first", "build last", "up"];
const DOWN: [&str; 3] = ["down with first", "drop last", "drop first"];

#[tsrm::module(requires = ["plug"])]
mod needs_plug {
    use super::*;

    #[global]
    pub(super) static VALUE: u64 = 6;

    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        log(format!("dependent dies with {}", plug::VALUE.get(here).look()));
    }
}

fn retire_aside(tsrm: Runtime, module: Module) -> JoinHandle<Result<Retired, RetireError>> {
    let thread = std::thread::spawn(move || tsrm.retire(module, LONG));
    until(|| is_retiring(tsrm, module) || thread.is_finished());
    thread
}

fn is_retiring(tsrm: Runtime, module: Module) -> bool {
    tsrm.report().modules.iter().any(|m| m.name == module.name() && m.retiring)
}

/// Begins a retire, and names the threads that hold the module.
fn begin_retire(tsrm: Runtime, module: Module) -> Vec<String> {
    match tsrm.retire(module, Duration::ZERO).unwrap() {
        Retired::Done => panic!("it is down already"),
        Retired::Down { threads } | Retired::Retiring { threads } => {
            threads.into_iter().map(|straggler| straggler.thread.name.unwrap()).collect()
        }
    }
}

#[tsrm::test(a1)]
fn retired_in_order_with_patience(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let workers = Worker::several(*tsrm, 3);
    for worker in &workers {
        worker.attach(|here| {
            plug::OTHER.get(here);
            assert!(plug::STATIC.get(here).wake());
            plug::VALUE.get(here);
        });
    }
    tsrm.register(needs_plug::MODULE).unwrap();
    workers[0].attach(|here| *needs_plug::VALUE.get(here));
    workers[0].attach(|here| assert_eq!(plug::LAZY.get(here).look(), "lazy"));
    assert!(tsrm.retire(needs_plug::MODULE, Duration::ZERO).is_ok());
    workers[0].attach(|_| ());
    logged();
    let retire = retire_aside(*tsrm, plug::MODULE);
    // One who has no patience does not spoil it for one who has.
    let count = workers.len();
    assert_eq!(begin_retire(*tsrm, plug::MODULE).len(), count);
    assert_eq!(logged(), [""; 0]);
    // Threads that sleep are waited for; one that comes by, by an attach or because it leaves, runs its
    // hook and drops its values, on itself.
    for (number, worker) in (1..).zip(workers) {
        assert!(!retire.is_finished());
        match number {
            1 => worker.attach(|here| assert!(plug::VALUE.try_get(here).is_err())),
            2 => worker.detach(),
            _ => drop(worker),
        }
        let mut expected =
            vec![format!("dies on worker {number}"), "drop value".into(), "drop other".into()];
        expected.push("drop static".into());
        if tsrm::SINGLE_THREADED || number == 3 {
            // Whoever comes first, the caller or this thread, does the rest.
            assert!(retire.join().unwrap().unwrap().is_done());
            let rest = ["down with first", "drop last", "drop lazy", "drop first"];
            expected.extend(rest.map(str::to_owned));
            assert_eq!(logged(), expected);
            return;
        }
        assert_eq!(logged(), expected);
    }
    unreachable!("the last one returns");
}

#[tsrm::test(a2)]
fn the_rest_follows_the_last_thread_to_leave(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    worker.attach(|here| (plug::LAZY.get(here).look(), plug::VALUE.get(here).look()));
    logged();
    assert_eq!(begin_retire(*tsrm, plug::MODULE), ["worker"]);
    // Until the end of its attach it may use what it had and what it had not.
    worker.attach(|here| (plug::VALUE.get(here).look(), plug::OTHER.get(here).look()));
    worker.attach(|here| (plug::FIRST.get(here).look(), plug::LAZY.get(here).look()));
    assert_eq!(logged(), ["build other"]);
    assert_eq!(begin_retire(*tsrm, plug::MODULE), ["worker"], "asked again");
    let patient = retire_aside(*tsrm, plug::MODULE);
    assert_eq!(begin_retire(*tsrm, plug::MODULE), ["worker"], "while somebody waits");
    worker.leave();
    assert!(patient.join().unwrap().unwrap().is_done());
    let own = ["dies on worker", "drop other", "drop value"];
    let shared = ["down with first", "drop last", "drop lazy", "drop first"];
    assert_eq!(logged(), [&own[..], &shared].concat());
    assert!(tsrm.retire(plug::MODULE, LONG).unwrap().is_done(), "asked when nothing is left of it");
    let error = tsrm.retire(needs_plug::MODULE, LONG).unwrap_err();
    assert_eq!(error, RetireError::NotRegistered("needs_plug"));
    assert_eq!(error.to_string(), "cannot retire: module `needs_plug` is not registered");
    // It may come back, with fresh values.
    tsrm.register(plug::MODULE).unwrap();
    assert_eq!(logged(), UP);
    worker.attach(|here| (plug::VALUE.get(here).look(), plug::LAZY.get(here).look()));
    assert_eq!(logged(), ["born on worker", "build value", "build lazy"]);
}

#[tsrm::test(a3)]
fn those_that_hold_it_are_named(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let count = if tsrm::SINGLE_THREADED { 1 } else { 5 };
    let names = ["holds inside", "asleep with it", "asleep", "inside", "unregistered"];
    let workers: Vec<_> = names[..count].iter().map(|name| Worker::new(*tsrm, name)).collect();
    workers.iter().take(4).for_each(|worker| worker.attach(|_| ()));
    if let Some(inside) = workers.get(3) {
        // Since before the module came, so it may have seen the shared values, but has nothing else.
        inside.enter();
    }
    tsrm.register(plug::MODULE).unwrap();
    workers[0].enter();
    if let Some(asleep_with_it) = workers.get(1) {
        asleep_with_it.attach(|_| ());
    }
    let held = begin_retire(*tsrm, plug::MODULE);
    assert_eq!(held, [&["holds inside"], &["asleep with it", "inside"][..]].concat()[..held.len()]);
    assert_eq!(held.len(), count.min(3));
    logged();
    workers[0].leave();
    if count > 1 {
        assert_eq!(begin_retire(*tsrm, plug::MODULE), ["asleep with it", "inside"]);
        assert_eq!(logged(), ["dies on holds inside"]);
        workers[3].leave();
        // The module itself is down; what sleeps, sleeps with its values.
        assert_eq!(logged(), DOWN);
        assert_eq!(begin_retire(*tsrm, plug::MODULE), ["asleep with it"]);
        workers[1].attach(|_| ());
    } else {
        assert_eq!(logged(), [&["dies on holds inside"], &DOWN[..]].concat());
    }
    assert_eq!(logged(), [""; 0]);
    assert!(tsrm.retire(plug::MODULE, Duration::ZERO).unwrap().is_done());
}

#[tsrm::test(a4)]
fn a_thread_that_sleeps_delays_nothing_but_its_own(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    worker.attach(|here| {
        plug::VALUE.get(here);
        assert!(plug::STATIC.get(here).wake());
        plug::OTHER.get(here);
    });
    logged();
    assert_eq!(begin_retire(*tsrm, plug::MODULE), ["worker"]);
    assert_eq!(logged(), DOWN, "at once, on the caller's thread");
    let error = tsrm.register(plug::MODULE).err().map(|error| error.to_string());
    assert_eq!(error, None, "it is down, so it may come back, with other places for its values");
    assert_eq!(logged(), UP);
    // When it wakes up: its old values, without a hook, which would be too late; then the new module.
    worker.attach(|here| assert_eq!(plug::VALUE.get(here).look(), "value"));
    assert_eq!(
        logged(),
        ["drop other", "drop value", "drop static", "born on worker", "build value"]
    );
    worker.attach(|here| assert!(plug::STATIC.get(here).wake()));
    drop(worker);
    assert_eq!(logged(), ["dies on worker", "drop value", "drop static"]);
}

#[tsrm::test(a5)]
fn what_a_retired_module_answers(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let (holder, stranger) = (Worker::new(*tsrm, "holder"), Worker::new(*tsrm, "stranger"));
    holder.enter();
    holder.attach(|here| assert!(plug::STATIC.get(here).wake()));
    let errors = |worker: &Worker| {
        worker.attach(|here| {
            let global = plug::VALUE.try_get(here).map(Loud::look).unwrap_err();
            let shared = plug::FIRST.try_get(here).map(Loud::look).err();
            let lazy = plug::LAZY.try_get(here).map(Loud::look).err();
            [Some(global), shared, lazy]
        })
    };
    let retired = |error: &Option<AccessError>, name: &str| matches!(error, Some(AccessError::ModuleRetired { module: "plug", global }) if *global == name);
    let _ = begin_retire(*tsrm, plug::MODULE);
    if !tsrm::SINGLE_THREADED {
        // Nothing of it is for attaches that begin now, though the holder's still has all.
        let [global, shared, lazy] = errors(&stranger);
        assert!(retired(&global, "VALUE"), "{global:?}");
        assert!(retired(&shared, "FIRST") && retired(&lazy, "LAZY"), "{shared:?} {lazy:?}");
        holder.attach(|here| {
            plug::VALUE.get(here).look();
            plug::FIRST.get(here).look();
            plug::LAZY.get(here).look();
        });
    }
    holder.leave();
    for worker in [&holder, &stranger] {
        let [global, shared, lazy] = errors(worker);
        assert!(retired(&global, "VALUE"), "{global:?}");
        assert!(retired(&shared, "FIRST") && retired(&lazy, "LAZY"), "{shared:?} {lazy:?}");
        assert_eq!(shared.unwrap().to_string(), "`plug::FIRST`: module `plug` was retired");
        assert!(worker.attach(|here| plug::STATIC.get(here).wake()), "the initial image");
        let panic = worker.attach(|here| {
            catch_unwind(AssertUnwindSafe(|| plug::FIRST.get(here).look())).unwrap_err()
        });
        assert!(panic.downcast_ref::<String>().unwrap().ends_with("module `plug` was retired"));
        worker.detach();
    }
    assert!(holder.run(|| plug::FIRST.try_with(Loud::look)).is_err());
    drop((holder, stranger));
    tsrm.end();
    // Another runtime knows nothing of that.
    let tsrm = Own::start([]).unwrap();
    tsrm.attach(|here| {
        let error = plug::VALUE.try_get(here).map(Loud::look).unwrap_err();
        assert!(matches!(error, AccessError::ModuleNotStarted { .. }), "{error}");
        let error = plug::FIRST.try_get(here).map(Loud::look).unwrap_err();
        assert!(matches!(error, AccessError::ModuleNotStarted { .. }), "{error}");
    });
}

#[tsrm::test(a6)]
fn a_module_that_is_needed_stays(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([needs_plug::MODULE, plug::MODULE]).unwrap();
    let needed = RetireError::NeededBy { module: "plug", by: "needs_plug" };
    assert_eq!(tsrm.retire(plug::MODULE, LONG).unwrap_err(), needed);
    assert_eq!(
        needed.to_string(),
        "cannot retire: module `plug` is required by module `needs_plug`, which has to be retired first"
    );
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    worker.attach(|here| assert_eq!(*needs_plug::VALUE.get(here), 6));
    assert_eq!(begin_retire(*tsrm, needs_plug::MODULE), ["worker"]);
    assert_eq!(tsrm.retire(plug::MODULE, LONG).unwrap_err(), needed, "also by one that goes");
    assert!(!is_retiring(*tsrm, plug::MODULE));
    logged();
    worker.leave();
    assert_eq!(logged(), ["build value", "dependent dies with value"]);
    let patient = retire_aside(*tsrm, plug::MODULE);
    worker.attach(|_| ());
    assert!(patient.join().unwrap().unwrap().is_done());
    assert_eq!(logged(), [&["dies on worker", "drop value"], &DOWN[..]].concat());
}

#[tsrm::test(a7)]
fn many_threads_retire_at_once(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    for round in 0..50 {
        tsrm.register(plug::MODULE).unwrap();
        worker.attach(|here| assert_eq!(plug::VALUE.get(here).look(), "value"));
        logged();
        let all_here = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    all_here.wait();
                    assert!(tsrm.retire(plug::MODULE, LONG).unwrap().is_done());
                });
            }
            until(|| is_retiring(*tsrm, plug::MODULE));
            worker.attach(|_| ());
        });
        assert_eq!(
            logged(),
            [&["dies on worker", "drop value"], &DOWN[..]].concat(),
            "round {round}: each once"
        );
    }
}

#[tsrm::test(a9)]
fn inside_an_attach_it_only_begins(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let own = me();
    tsrm.attach(|here| {
        assert_eq!(plug::VALUE.get(here).look(), "value");
        logged();
        let Ok(Retired::Retiring { threads }) = tsrm.retire(plug::MODULE, LONG) else { panic!() };
        let [thread] = &threads[..] else { panic!("{threads:?}") };
        assert_eq!((thread.thread.name.as_ref(), thread.depth), (Some(&own), 1));
        assert_eq!(plug::VALUE.get(here).look(), "value");
        assert_eq!(plug::FIRST.get(here).look(), "first");
        let error = tsrm.register(plug::MODULE).unwrap_err();
        assert!(matches!(error, RegisterError::Retiring("plug")), "{error}");
        assert_eq!(logged(), [""; 0]);
    });
    assert_eq!(logged(), [&[&*format!("dies on {own}"), "drop value"], &DOWN[..]].concat());
    // At depth 0, one that is registered does its own part.
    tsrm.register(plug::MODULE).unwrap();
    tsrm.attach(|here| assert_eq!(plug::VALUE.get(here).look(), "value"));
    logged();
    assert!(tsrm.retire(plug::MODULE, Duration::ZERO).unwrap().is_done());
    assert_eq!(logged(), [&[&*format!("dies on {own}"), "drop value"], &DOWN[..]].concat());
}

#[tsrm::test(a10)]
fn requests_of_a_retired_module_end_but_do_not_begin(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let (handle, worker) = (*tsrm, Worker::new(*tsrm, "worker"));
    let (begun, has_begun) = mpsc::channel();
    let (go_on, told) = mpsc::channel();
    let done = worker.begin(move || {
        handle.attach(|_| {
            let reason = handle.request(|here| {
                assert_eq!(here.take_interrupt(), None);
                begun.send(()).unwrap();
                told.recv().unwrap();
                assert!(here.interrupted());
                here.take_interrupt()
            });
            log("between");
            handle.request(|here| assert_eq!(here.take_interrupt(), None));
            log("last");
            reason
        })
    });
    has_begun.recv().unwrap();
    assert_eq!(logged(), [&UP[..], &["born on worker", "begins"]].concat());
    // Nobody has waited.
    assert_eq!(begin_retire(*tsrm, plug::MODULE), ["worker"]);
    // Somebody has waited in vain.
    let retired = tsrm.retire(plug::MODULE, Duration::from_millis(1)).unwrap();
    let Retired::Retiring { threads } = retired else { panic!("{retired}") };
    assert_eq!(threads.len(), 1);
    go_on.send(()).unwrap();
    assert_eq!(done.recv().unwrap(), Some(Interrupt::RETIRE));
    worker.run(|| ());
    assert_eq!(logged(), [&["ends", "between", "last", "dies on worker"], &DOWN[..]].concat());
    // One's own request is not interrupted by one's own retire.
    tsrm.register(plug::MODULE).unwrap();
    worker.run(move || {
        handle.request(|here| {
            let _ = handle.retire(plug::MODULE, LONG).unwrap();
            assert!(!here.interrupted());
        });
    });
    // And nobody's is while there is patience.
    tsrm.register(plug::MODULE).unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (go_on, told) = mpsc::channel::<()>();
    let done = worker.begin(move || {
        handle.request(|here| {
            begun.send(()).unwrap();
            told.recv().unwrap();
            here.take_interrupt()
        })
    });
    has_begun.recv().unwrap();
    let patient = retire_aside(*tsrm, plug::MODULE);
    go_on.send(()).unwrap();
    assert_eq!(done.recv().unwrap(), None);
    assert!(patient.join().unwrap().unwrap().is_done());
}
