//! Retired from where one would not expect it, and while other things are going on.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::time::Duration;

use tsrm::{Attached, Retired, Runtime};

use super::{DOWN, UP, begin_retire, plug, retire_aside};
use crate::shared::own::{LONG, Loud, Own, Worker, alone, log, logged, me, until};

alone!(a8 a11 a15 a16 a17 a18 a19 a20 a21 a22);

/// Retires itself from everywhere.
#[tsrm::module]
mod suicidal {
    use super::*;

    pub(super) static AT: Mutex<&str> = Mutex::new("");

    fn retire(when: &str) {
        if *AT.lock().unwrap() != when {
            return;
        }
        let answer = Runtime::current().unwrap().retire(MODULE, LONG);
        log(match answer {
            Ok(Retired::Done) => format!("{when}: done"),
            Ok(Retired::Down { threads } | Retired::Retiring { threads }) => {
                let names: Vec<_> = threads.iter().map(|thread| &thread.thread.name).collect();
                format!("{when}: retiring {names:?}")
            }
            Err(error) => format!("{when}: {error:?}"),
        });
    }

    pub(super) struct Value(pub(super) u8);

    impl Drop for Value {
        fn drop(&mut self) {
            retire("destructor");
        }
    }

    #[global]
    pub(super) static VALUE: Value = Value(4);

    #[shared]
    pub(super) static SHARED: Loud = Loud::new("shared");

    #[module_startup]
    fn up(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        retire("module_startup");
        Ok(())
    }
    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), tsrm::Error> {
        retire("thread_startup");
        assert_eq!(VALUE.get(here).0, 4);
        Ok(())
    }
    #[request_startup]
    fn begins(here: Attached<'_>) -> Result<(), tsrm::Error> {
        retire("request_startup");
        assert_eq!(VALUE.get(here).0, 4);
        Ok(())
    }
    #[request_shutdown]
    fn ends(here: Attached<'_>) {
        retire("request_shutdown");
        assert_eq!(SHARED.get(here).look(), "shared");
    }
    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        retire("thread_shutdown");
        assert_eq!(SHARED.get(here).look(), "shared");
    }
    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        log("down");
        retire("module_shutdown");
    }
}

#[tsrm::test(a8)]
fn retired_from_its_own_hooks(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let gone = ["down", "drop shared"];
    let life = |at| {
        *suicidal::AT.lock().unwrap() = at;
        tsrm.register(suicidal::MODULE).unwrap();
        let worker = Worker::new(*tsrm, "worker");
        logged();
        worker.run(move || handle.request(|_| log("request")));
        worker.run(move || handle.request(|_| log("second")));
        drop(worker);
        let log = logged();
        // Where that has not been done by now.
        let _ = tsrm.retire(suicidal::MODULE, LONG);
        *suicidal::AT.lock().unwrap() = "";
        log
    };
    let inside = |when: &str| format!("{when}: retiring [Some(\"worker\")]");
    for when in ["thread_startup", "request_startup"] {
        let log = life(when);
        assert_eq!(log, [&inside(when), "request", gone[0], gone[1], "second"], "{when}");
    }
    let when = "request_shutdown";
    assert_eq!(life(when), ["request", &inside(when), gone[0], gone[1], "second"], "{when}");
    for when in ["thread_shutdown", "destructor"] {
        let log = life(when);
        assert_eq!(log, ["request", "second", &inside(when), gone[0], gone[1]], "{when}");
    }

    *suicidal::AT.lock().unwrap() = "module_startup";
    logged();
    tsrm.register(suicidal::MODULE).unwrap();
    assert_eq!(logged(), ["build shared", "module_startup: Starting(\"suicidal\")"]);
    *suicidal::AT.lock().unwrap() = "module_shutdown";
    assert!(tsrm.retire(suicidal::MODULE, LONG).unwrap().is_done());
    assert_eq!(logged(), ["down", "module_shutdown: Stopping(\"suicidal\")", "drop shared"]);
    *suicidal::AT.lock().unwrap() = "";
}

#[tsrm::module]
mod steady {
    use super::*;

    #[global]
    pub(super) static CACHED: AtomicU64 = AtomicU64::new(0);
    #[global]
    pub(super) static STATIC: AtomicU64 = const { AtomicU64::new(0) };
}

#[tsrm::test(a11)]
fn readers_of_another_module_miss_nothing(_tsrm: Runtime) {
    let tsrm = Own::start([steady::MODULE]).unwrap();
    let handle = *tsrm;
    let count = if tsrm::SINGLE_THREADED { 1 } else { 4 };
    let stop = AtomicBool::new(false);
    let registered = Barrier::new(count + 1);
    let looks = AtomicUsize::new(0);
    let look = |here: Attached<'_>| {
        let mut seen = Vec::new();
        steady::CACHED.for_each_thread(here, |_, v| seen.push(v.load(Ordering::Relaxed)));
        seen.retain(|value| *value != 0);
        seen.sort_unstable();
        assert_eq!(seen, Vec::from_iter(1..=count as u64));
        seen.clear();
        steady::STATIC.for_each_thread(here, |_, v| seen.push(v.load(Ordering::Relaxed)));
        seen.retain(|value| *value != 0);
        seen.sort_unstable();
        assert_eq!(seen, Vec::from_iter(1..=count as u64));
        looks.fetch_add(1, Ordering::Relaxed);
    };
    let work = |number: u64| {
        handle.detach_after(|| {
            handle.attach(|here| {
                steady::CACHED.get(here).store(number, Ordering::Relaxed);
                steady::STATIC.get(here).store(number, Ordering::Relaxed);
            });
            registered.wait();
            while !stop.load(Ordering::Relaxed) {
                handle.attach(|here| {
                    if let Ok(value) = plug::VALUE.try_get(here) {
                        assert_eq!(value.look(), "value");
                    }
                    if let Ok(value) = plug::FIRST.try_get(here) {
                        assert_eq!(value.look(), "first");
                    }
                    if tsrm::SINGLE_THREADED {
                        look(here);
                    }
                });
                std::thread::yield_now();
            }
            // All are there until all have stopped.
            registered.wait();
        });
    };
    std::thread::scope(|scope| {
        for number in 1..=count as u64 {
            scope.spawn(move || work(number));
        }
        registered.wait();
        let reader = (!tsrm::SINGLE_THREADED).then(|| {
            scope.spawn(|| {
                handle.detach_after(|| {
                    while !stop.load(Ordering::Relaxed) {
                        handle.attach(look);
                    }
                });
            })
        });
        for _ in 0..100 {
            handle.register(plug::MODULE).unwrap();
            let retired = handle.retire(plug::MODULE, LONG).unwrap();
            assert!(retired.is_done(), "{retired}");
        }
        until(|| {
            looks.load(Ordering::Relaxed) > 100 || reader.as_ref().is_some_and(|r| r.is_finished())
        });
        stop.store(true, Ordering::Relaxed);
        if let Some(reader) = reader {
            reader.join().unwrap();
        }
        registered.wait();
    });
    logged();
}

#[tsrm::test(a15)]
fn a_retire_under_way_ends_with_the_runtime(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let (handle, worker) = (*tsrm, Worker::new(*tsrm, "worker"));
    worker.enter();
    worker.attach(|here| plug::VALUE.get(here).look());
    logged();
    let patient = retire_aside(*tsrm, plug::MODULE);
    let shutdown = std::thread::spawn(move || handle.shutdown(LONG).unwrap());
    until(|| Runtime::current().is_none());
    worker.leave();
    assert!(shutdown.join().unwrap().is_clean());
    assert!(patient.join().unwrap().unwrap().is_done(), "it is down, whoever did it");
    assert_eq!(logged(), [&["dies on worker", "drop value"], &DOWN[..]].concat());
}

#[tsrm::test(a16)]
fn retired_while_a_thread_ends_in_the_middle_of_its_first_attach(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let (handle, worker) = (*tsrm, Worker::new(*tsrm, "worker"));
    // A panic leaves the attach as a return does.
    worker.run(move || {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            handle.attach(|here| {
                plug::VALUE.get(here).look();
                let _ = handle.retire(plug::MODULE, LONG).unwrap();
                panic!("inside");
            });
        }));
        assert!(panicked.is_err());
    });
    let own = ["born on worker", "build value", "dies on worker", "drop value"];
    assert_eq!(logged(), [&UP[..], &own, &DOWN].concat());
}

#[tsrm::test(a17)]
fn a_reader_holds_back_the_drop_of_a_retired_value(_tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    logged();
    let tsrm = Own::start([plug::MODULE]).unwrap();
    let (handle, worker) = (*tsrm, Worker::new(*tsrm, "worker"));
    worker.attach(|here| {
        assert!(plug::STATIC.get(here).wake());
        plug::VALUE.get(here).look()
    });
    tsrm.attach(|here| {
        let seen = Cell::new(0);
        let look = |value: &Loud| {
            seen.set(seen.get() + 1);
            for _ in 0..1_000 {
                std::thread::yield_now();
                value.look();
            }
        };
        let own = here.thread().id();
        plug::VALUE.for_each_thread(here, |_, value| {
            logged();
            let retired = std::thread::spawn(move || handle.retire(plug::MODULE, Duration::ZERO));
            assert!(!retired.join().unwrap().unwrap().is_done());
            // It lets go of it now, as far as it gets: its hook runs, then it waits for this reader.
            let left = worker.begin(move || handle.attach(|_| ()));
            until(|| logged() == ["dies on worker"]);
            look(value);
            assert!(left.try_recv().is_err());
            // What it lets go of cannot be found any more.
            plug::VALUE.for_each_thread(here, |_, _| panic!("it goes"));
            plug::STATIC.for_each_thread(here, |thread, _| assert_eq!(thread.id(), own));
        });
        worker.run(|| ());
        assert_eq!(logged(), ["drop value", "drop static"]);
        // A static one, by a thread that leaves for good.
        assert!(worker.attach(|here| plug::STATIC.get(here).wake()));
        plug::STATIC.for_each_thread(here, |thread, value| {
            if thread.id() != own {
                let left = worker.begin(move || handle.detach().unwrap());
                until(|| thread.state() == tsrm::thread::ThreadState::Draining);
                look(value);
                assert!(left.try_recv().is_err());
            }
        });
        worker.run(|| ());
        assert_eq!((logged(), seen.get()), (vec!["drop static".to_owned()], 2));
    });
    tsrm.detach().unwrap();
    let own = format!("dies on {}", me());
    assert_eq!(logged(), [&[&*own], &DOWN[..]].concat(), "the last to leave does the rest");
}

#[tsrm::test(a18)]
fn two_threads_retire_what_the_other_one_holds(_tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let workers = Worker::several(*tsrm, 2);
    for _ in 0..50 {
        for module in [plug::MODULE, steady::MODULE] {
            tsrm.register(module).unwrap();
        }
        for worker in &workers {
            worker.attach(|here| {
                steady::CACHED.get(here);
                plug::VALUE.get(here).look()
            });
        }
        // Each waits for the other, which is at depth 0, but in the middle of this.
        let answers = [(0, plug::MODULE), (1, steady::MODULE)].map(|(index, module)| {
            workers[index].begin(move || handle.retire(module, LONG).unwrap().is_done())
        });
        assert_eq!(answers.map(|answer| answer.recv().unwrap()), [true, true]);
    }
    logged();
}

/// Waits in a hook until it is told to go on.
#[tsrm::module]
mod slow {
    use super::*;

    pub(super) static WAITS: Mutex<Option<(&str, mpsc::Receiver<bool>)>> = Mutex::new(None);

    fn pass(when: &str) -> Result<(), tsrm::Error> {
        let mut waits = WAITS.lock().unwrap();
        let is_here = waits.as_ref().is_some_and(|(at, _)| *at == when);
        let told = if is_here { waits.take() } else { None };
        drop(waits);
        log(when);
        let is_fine = told.is_none_or(|(_, told)| told.recv().unwrap());
        log(format!("{when} ends"));
        if is_fine { Ok(()) } else { Err("told so".into()) }
    }

    #[global]
    pub(super) static VALUE: Loud = Loud::new("value");
    #[shared]
    pub(super) static SHARED: Loud = Loud::new("shared");

    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), tsrm::Error> {
        VALUE.get(here).look();
        let result = pass("born");
        assert_eq!(SHARED.get(here).look(), "shared");
        result
    }
    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        pass("dies").unwrap();
        assert_eq!(SHARED.get(here).look(), "shared");
    }
    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        log("down");
    }
}

#[tsrm::test(a19)]
fn retired_in_the_middle_of_a_threads_hook(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let worker = Worker::new(*tsrm, "worker");
    let gone = ["down", "drop shared"];
    for is_fine in [true, false] {
        for patient in [true, false] {
            let (go_on, told) = mpsc::channel();
            *slow::WAITS.lock().unwrap() = Some(("born", told));
            tsrm.register(slow::MODULE).unwrap();
            logged();
            let attached = worker.begin(move || handle.try_attach(|_| log("inside")).is_ok());
            until(|| slow::WAITS.lock().unwrap().is_none());
            let retire = patient.then(|| retire_aside(handle, slow::MODULE));
            if !patient {
                assert_eq!(begin_retire(handle, slow::MODULE), ["worker"]);
            }
            go_on.send(is_fine).unwrap();
            assert_eq!(attached.recv().unwrap(), is_fine);
            worker.run(|| ());
            if let Some(retire) = retire {
                assert!(retire.join().unwrap().unwrap().is_done());
            }
            let middle: &[_] = if is_fine {
                &["inside", "dies", "dies ends", "drop value"]
            } else {
                &["drop value"]
            };
            let expected = [&["build value", "born", "born ends"], middle, &gone].concat();
            assert_eq!(logged(), expected, "fine {is_fine}, patient {patient}");
        }
    }
    for leaves in [true, false] {
        for patient in [true, false] {
            let (go_on, told) = mpsc::channel();
            tsrm.register(slow::MODULE).unwrap();
            worker.attach(|_| ());
            *slow::WAITS.lock().unwrap() = Some(("dies", told));
            // In the middle of the hook because it leaves, or because it is retired already.
            let left = if leaves {
                worker.begin(move || handle.detach().unwrap())
            } else {
                worker.begin(move || {
                    handle.attach(|_| drop(handle.retire(slow::MODULE, LONG).unwrap()));
                })
            };
            until(|| slow::WAITS.lock().unwrap().is_none());
            logged();
            let retire = patient.then(|| retire_aside(handle, slow::MODULE));
            if !patient {
                assert_eq!(begin_retire(handle, slow::MODULE), ["worker"]);
            }
            assert!(!logged().contains(&"down".to_owned()), "a hook of it runs");
            go_on.send(true).unwrap();
            left.recv().unwrap();
            worker.run(|| ());
            if let Some(retire) = retire {
                assert!(retire.join().unwrap().unwrap().is_done());
            }
            let mut log = logged();
            log.retain(|line| line != "dies");
            assert_eq!(log, ["dies ends", "drop value", gone[0], gone[1]], "{leaves} {patient}");
        }
    }
}

/// Brings another one along, and takes it away again.
#[tsrm::module]
mod carrier {
    use super::*;

    #[global]
    pub(super) static VALUE: Loud = Loud::new("carrier value");
    #[shared]
    pub(super) static SHARED: Loud = Loud::new("carrier shared");

    #[module_startup]
    fn up(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        Runtime::current().unwrap().register(steady::MODULE)?;
        Ok(())
    }

    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        let tsrm = Runtime::current().unwrap();
        // An attach is possible (in a single-threaded build another thread may have the globals), but this
        // module is out of reach.
        if !tsrm::SINGLE_THREADED {
            tsrm.attach(|here| {
                assert!(VALUE.try_get(here).is_err() && SHARED.try_get(here).is_err());
                steady::CACHED.get(here).fetch_add(1, Ordering::Relaxed);
            });
        }
        assert!(tsrm.retire(steady::MODULE, LONG).unwrap().is_done());
    }
}

#[tsrm::test(a20)]
fn a_module_that_retires_another_one_when_it_goes(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let stop = AtomicBool::new(false);
    let count = if tsrm::SINGLE_THREADED { 1 } else { 3 };
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                handle.detach_after(|| {
                    while !stop.load(Ordering::Relaxed) {
                        handle.attach(|here| {
                            carrier::VALUE.try_get(here).map(Loud::look).ok();
                            carrier::SHARED.try_get(here).map(Loud::look).ok();
                            steady::CACHED.try_get(here).map(|_| ()).ok();
                        });
                        std::thread::yield_now();
                    }
                });
            });
        }
        let faults = handle.report().faults;
        for round in 0..100 {
            handle.register(carrier::MODULE).unwrap();
            // The hook runs on this thread, or on one of the others.
            let patience = if round % 2 == 0 { LONG } else { Duration::ZERO };
            let _ = handle.retire(carrier::MODULE, patience).unwrap();
            assert!(handle.retire(carrier::MODULE, LONG).unwrap().is_done());
            assert!(handle.retire(steady::MODULE, LONG).unwrap().is_done());
            handle.detach().unwrap();
        }
        assert_eq!(handle.report().faults, faults);
        stop.store(true, Ordering::Relaxed);
    });
    logged();
}

/// Retires itself in the middle of its lazy value's initialiser.
#[tsrm::module]
mod impatient {
    use super::*;

    #[shared(lazy)]
    pub(super) static LAZY: Loud = {
        let tsrm = Runtime::current().unwrap();
        assert!(!tsrm.retire(MODULE, LONG).unwrap().is_done());
        tsrm.register(steady::MODULE).unwrap();
        Loud::new("lazy")
    };

    #[module_shutdown]
    fn down(phase: &mut tsrm::Shutdown<'_>) {
        log(format!("down with {}", phase.shared(&LAZY).look()));
    }
}

#[tsrm::test(a21)]
fn retired_in_the_middle_of_a_lazy_initialiser(_tsrm: Runtime) {
    let tsrm = Own::start([impatient::MODULE]).unwrap();
    logged();
    let worker = Worker::new(*tsrm, "worker");
    worker.attach(|here| {
        assert_eq!(impatient::LAZY.get(here).look(), "lazy");
        assert_eq!(impatient::LAZY.get(here).look(), "lazy");
        steady::CACHED.get(here);
    });
    worker.run(|| ());
    assert_eq!(logged(), ["build lazy", "down with lazy", "drop lazy"]);
}

/// Fails at its end wherever it can.
#[tsrm::module]
mod frail {
    use super::*;

    pub(super) struct Glass;

    impl Drop for Glass {
        fn drop(&mut self) {
            panic!("glass breaks");
        }
    }

    #[global]
    pub(super) static BELOW: Loud = Loud::new("below");
    #[global]
    pub(super) static GLASS: Glass = Glass;
    #[global]
    pub(super) static STATIC: Cell<Option<Glass>> = const { Cell::new(None) };

    #[request_shutdown]
    fn ends(_here: Attached<'_>) {
        panic!("request_shutdown panics");
    }
    #[thread_shutdown]
    fn dies(_here: Attached<'_>) {
        panic!("thread_shutdown panics");
    }
    #[module_shutdown]
    fn down(_phase: &mut tsrm::Shutdown<'_>) {
        panic!("module_shutdown panics");
    }
}

#[tsrm::test(a22)]
fn faults_hold_nothing_up(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let (handle, worker) = (*tsrm, Worker::new(*tsrm, "worker"));
    for _ in 0..2 {
        tsrm.register(frail::MODULE).unwrap();
        logged();
        worker.run(move || {
            handle.request(|here| {
                frail::BELOW.get(here);
                frail::GLASS.get(here);
                assert!(frail::STATIC.replace(here, Some(frail::Glass)).is_none());
                let _ = handle.retire(frail::MODULE, LONG).unwrap();
            });
        });
        assert_eq!(
            logged(),
            [
                "build below",
                "fault: frail - request_shutdown: request_shutdown panics",
                "fault: frail - thread_shutdown: thread_shutdown panics",
                "fault: frail GLASS -: glass breaks",
                "drop below",
                "fault: frail STATIC -: glass breaks",
                "fault: frail - module_shutdown: module_shutdown panics",
            ]
        );
        assert!(tsrm.retire(frail::MODULE, LONG).unwrap().is_done());
    }
}
