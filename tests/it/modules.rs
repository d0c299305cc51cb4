//! Modules that come up while the runtime runs: who meets them when, in which order, and what is refused.
//! How they go is in `grace.rs`.

mod refusals;

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tsrm::{
    AccessError, AttachError, Hook, HookError, HookFailure, Module, RegisterError, Runtime,
};
use tsrm_tests::{Ledger, Tracked};

use super::shared::own::{LONG, Loud, Own, Worker, alone, log, logged, me};

alone!(a1 a2 a3 a4 a5 a6 a7 a8 a11 a12 a13 a14);

/// A module that logs all that happens to it.
macro_rules! logging {
    ($name:ident $(, $required:literal)*) => {
        #[tsrm::module(requires = [$($required),*])]
        mod $name {
            use tsrm::{Attached, Error, Shutdown, Startup};

            use super::*;

            #[global]
            #[allow(dead_code, reason = "not all are used")]
            pub(super) static VALUE: Loud = Loud::new(concat!(stringify!($name), " value"));

            #[module_startup]
            fn up(phase: &mut Startup<'_>) -> Result<(), Error> {
                log(format!("{} up", phase.module()));
                Ok(())
            }

            #[module_shutdown]
            fn down(phase: &mut Shutdown<'_>) {
                log(format!("{} down", phase.module()));
            }

            #[thread_startup]
            fn born(_here: Attached<'_>) -> Result<(), Error> {
                log(format!("{} born on {}", stringify!($name), me()));
                Ok(())
            }

            #[thread_shutdown]
            fn dies(_here: Attached<'_>) {
                log(format!("{} dies on {}", stringify!($name), me()));
            }

            #[request_startup]
            fn begins(_here: Attached<'_>) -> Result<(), Error> {
                log(format!("{} begins", stringify!($name)));
                Ok(())
            }

            #[request_shutdown]
            fn ends(_here: Attached<'_>) {
                log(format!("{} ends", stringify!($name)));
            }
        }
    };
}

logging!(late);
logging!(base);
logging!(middle, "base");
logging!(top, "middle", "base");

#[tsrm::test(a1)]
fn threads_at_rest_meet_a_late_module_at_their_next_attach(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let workers = Worker::several(*tsrm, 3);
    workers.iter().for_each(|worker| worker.attach(|_| ()));
    tsrm.register(late::MODULE).unwrap();
    assert_eq!(logged(), ["late up"], "no thread is asked for anything");
    for (number, worker) in (1..).zip(&workers) {
        worker.attach(|_| ());
        assert_eq!(logged(), [format!("late born on worker {number}")]);
        worker.attach(|here| late::VALUE.get(here).look());
        assert_eq!(logged(), ["build late value"], "once per thread");
    }
    for (number, worker) in (1..).zip(workers) {
        drop(worker);
        assert_eq!(logged(), [&format!("late dies on worker {number}"), "drop late value"]);
    }
    // A thread that comes after it has no other module than one that came before.
    let worker = Worker::new(*tsrm, "young");
    worker.attach(|_| ());
    assert_eq!(logged(), ["late born on young"]);
    drop(worker);
    tsrm.end();
    assert_eq!(logged(), ["late dies on young", "late down"]);
}

#[tsrm::test(a2)]
fn threads_in_an_attach_meet_a_late_module_at_its_first_use(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    let error = worker.attach(|here| late::VALUE.try_get(here).map(Loud::look).unwrap_err());
    assert!(matches!(error, AccessError::ModuleNotStarted { module: "late", global: "VALUE" }));
    tsrm.register(late::MODULE).unwrap();
    worker.attach(|_| ());
    assert_eq!(logged(), ["late up"], "not in a nested attach");
    worker.run(move || Runtime::current().unwrap().request(|_| log("in the request")));
    assert_eq!(logged(), ["in the request"], "nor in a nested request");
    assert_eq!(worker.attach(|here| late::VALUE.get(here).look()), "late value");
    assert_eq!(logged(), ["late born on worker", "build late value"]);
    worker.attach(|here| late::VALUE.get(here).look());
    worker.run(move || Runtime::current().unwrap().request(|_| log("in the request")));
    assert_eq!(logged(), ["late begins", "in the request", "late ends"]);
    worker.leave();
    worker.attach(|_| ());
    assert_eq!(logged(), [""; 0], "nothing twice");
    worker.detach();
    assert_eq!(logged(), ["late dies on worker", "drop late value"]);
}

#[tsrm::test(a3)]
fn requirements_order_everything(_tsrm: Runtime) {
    logged();
    // Listed in reverse.
    let tsrm = Own::start([top::MODULE, middle::MODULE, late::MODULE, base::MODULE]).unwrap();
    assert_eq!(logged(), ["base up", "middle up", "top up", "late up"]);
    let worker = Worker::new(*tsrm, "worker");
    let handle = *tsrm;
    worker.run(move || handle.request(|_| log("request")));
    drop(worker);
    tsrm.end();
    let order = ["base", "middle", "top", "late"];
    let line = |what: &'static str| move |name: &&str| format!("{name} {what}");
    let mut expected: Vec<_> = order.iter().map(line("born on worker")).collect();
    expected.extend(order.iter().map(line("begins")));
    expected.push("request".to_owned());
    expected.extend(order.iter().rev().map(line("ends")));
    expected.extend(order.iter().rev().map(line("dies on worker")));
    expected.extend(order.iter().rev().map(line("down")));
    assert_eq!(logged(), expected);

    // A thread that meets them in an attach by the last one.
    let tsrm = Own::start([]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    for module in [base::MODULE, late::MODULE, middle::MODULE, top::MODULE] {
        tsrm.register(module).unwrap();
    }
    logged();
    worker.attach(|here| top::VALUE.get(here).look());
    let met = ["base born on worker", "middle born on worker", "top born on worker"];
    assert_eq!(logged(), [&met[..], &["build top value"]].concat());
    worker.leave();
    worker.attach(|_| ());
    assert_eq!(logged(), ["late born on worker"]);
    drop(worker);
    assert_eq!(
        logged(),
        [
            "late dies on worker",
            "top dies on worker",
            "middle dies on worker",
            "base dies on worker",
            "drop top value"
        ]
    );
}

logging!(g1);
logging!(g2);
logging!(g3);
logging!(g4);
logging!(g5);
logging!(g6);
logging!(g7);

/// Registers another module wherever it can.
#[tsrm::module]
mod host {
    use tsrm::{Attached, Error, Shutdown, Startup};

    use super::*;

    fn invite(module: Module) {
        log(format!("{}: {:?}", module.name(), Runtime::current().unwrap().register(module)));
    }

    pub(super) struct Inviting;

    impl Drop for Inviting {
        fn drop(&mut self) {
            invite(g6::MODULE);
        }
    }

    #[global]
    pub(super) static VALUE: Inviting = Inviting;

    #[module_startup]
    fn up(_phase: &mut Startup<'_>) -> Result<(), Error> {
        invite(g1::MODULE);
        Ok(())
    }
    #[thread_startup]
    fn born(_here: Attached<'_>) -> Result<(), Error> {
        invite(g2::MODULE);
        Ok(())
    }
    #[request_startup]
    fn begins(_here: Attached<'_>) -> Result<(), Error> {
        invite(g3::MODULE);
        Ok(())
    }
    #[request_shutdown]
    fn ends(_here: Attached<'_>) {
        invite(g4::MODULE);
    }
    #[thread_shutdown]
    fn dies(_here: Attached<'_>) {
        invite(g5::MODULE);
    }
    #[module_shutdown]
    fn down(_phase: &mut Shutdown<'_>) {
        invite(g7::MODULE);
    }
}

#[tsrm::test(a4)]
fn registered_from_hooks_of_each_kind_and_a_destructor(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let worker = Worker::new(*tsrm, "w");
    worker.enter();
    worker.run(move || handle.register(host::MODULE).unwrap());
    assert_eq!(logged(), ["g1 up", "g1: Ok(())"]);
    worker.leave();
    worker.run(move || handle.request(|_| log("request")));
    assert_eq!(
        logged(),
        [
            // What comes up in a thread's startup, it meets in the same attach.
            &["g2 up", "g2: Ok(())", "g1 born on w", "g2 born on w"][..],
            // What comes up later, in the next.
            &["g3 up", "g3: Ok(())", "g1 begins", "g2 begins", "request"],
            &["g2 ends", "g1 ends", "g4 up", "g4: Ok(())"],
        ]
        .concat()
    );
    worker.attach(|here| {
        host::VALUE.get(here);
    });
    assert_eq!(logged(), ["g3 born on w", "g4 born on w"]);
    worker.detach();
    assert_eq!(
        logged(),
        [
            &["g4 dies on w", "g3 dies on w", "g2 dies on w", "g1 dies on w"][..],
            &["g5 up", "g5: Ok(())", "g6 up", "g6: Ok(())"],
        ]
        .concat()
    );
    assert!(tsrm.retire(host::MODULE, LONG).unwrap().is_done());
    assert_eq!(logged(), ["g7 up", "g7: Ok(())"]);
    worker.attach(|_| ());
    let born: Vec<_> = (1..=7).map(|number| format!("g{number} born on w")).collect();
    assert_eq!(logged(), born);
    drop(worker);
    logged();
    tsrm.end();
    let down: Vec<_> = (1..=7).rev().map(|number| format!("g{number} down")).collect();
    assert_eq!(logged(), down);
}

#[tsrm::module]
mod statics {
    use super::*;

    #[global]
    pub(super) static COUNT: Cell<u64> = const { Cell::new(1) };
    #[global]
    pub(super) static LOUD: Loud = const { Loud::still("static") };
    #[global]
    pub(super) static CACHED: u64 = 6;

    #[thread_startup]
    fn born(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        log(format!("found {}", COUNT.replace(here, 7)));
        Ok(())
    }
}

#[tsrm::test(a5)]
fn statics_begin_anew_when_their_module_comes_or_goes(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    // What it was, and now it is 5.
    let touch = |worker: &Worker| {
        worker.attach(|here| (statics::COUNT.replace(here, 5), statics::LOUD.get(here).wake()))
    };
    worker.enter();
    assert_eq!(touch(&worker), (1, true), "it can be used at any time");
    tsrm.register(statics::MODULE).unwrap();
    assert_eq!(touch(&worker), (5, false), "in an attach nothing changes");
    assert_eq!(logged(), [""; 0]);
    worker.leave();
    assert_eq!(logged(), ["drop static"]);
    assert_eq!(touch(&worker), (7, true));
    assert_eq!(logged(), ["found 1"], "afresh for its `thread_startup`, and kept from then on");
    assert_eq!(touch(&worker), (5, false));
    worker.enter();
    assert!(!tsrm.retire(statics::MODULE, Duration::ZERO).unwrap().is_done());
    assert_eq!(touch(&worker), (5, false));
    assert_eq!(logged(), [""; 0]);
    worker.leave();
    assert_eq!(logged(), ["drop static"]);
    assert_eq!(touch(&worker), (1, true));
    assert_eq!(touch(&worker), (5, false), "it can be used at any time");
    // One that sleeps finds out when it wakes up.
    tsrm.register(statics::MODULE).unwrap();
    assert_eq!(logged(), [""; 0]);
    assert_eq!(touch(&worker), (7, true));
    assert_eq!(logged(), ["drop static", "found 1"]);
    worker.detach();
    assert_eq!(logged(), ["drop static"]);
    assert!(tsrm.retire(statics::MODULE, LONG).unwrap().is_done());
    // One that meets the module in the middle of an attach goes on with what it finds.
    worker.enter();
    assert_eq!(touch(&worker), (1, true));
    tsrm.register(statics::MODULE).unwrap();
    assert_eq!(worker.attach(|here| *statics::CACHED.get(here)), 6);
    assert_eq!(logged(), ["found 5"]);
    assert_eq!(touch(&worker), (7, false));
    worker.leave();
    assert_eq!(touch(&worker), (5, false), "its startup is not undone behind it");
    drop(worker);
    assert_eq!(logged(), ["drop static"]);
}

#[tsrm::module]
mod settings {
    use tsrm::{Error, Shutdown, Startup};

    use super::*;

    #[module_startup]
    fn up(phase: &mut Startup<'_>) -> Result<(), Error> {
        log(format!("size {:?}", phase.setting::<u32>("size")?));
        Ok(())
    }

    #[module_shutdown]
    fn down(_phase: &mut Shutdown<'_>) {
        log("down");
    }
}

#[tsrm::test(a6)]
fn settings_of_a_late_module(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    tsrm.register_with(settings::MODULE, [("settings.size", 5)]).unwrap();
    assert!(tsrm.retire(settings::MODULE, LONG).unwrap().is_done());
    tsrm.register(settings::MODULE).unwrap();
    assert!(tsrm.retire(settings::MODULE, LONG).unwrap().is_done());
    assert_eq!(logged(), ["size Some(5)", "down", "size None", "down"]);
    for key in ["settings.other", "elsewhere.size", "size", ""] {
        let error = tsrm.register_with(settings::MODULE, [("settings.size", 5), (key, 6)]);
        let error = error.unwrap_err();
        assert!(matches!(&error, RegisterError::UnknownSetting(found) if found == key), "{error}");
        assert_eq!(logged(), ["size Some(5)", "down"]);
    }
    let error = tsrm.register_with(settings::MODULE, [("settings.size", "x")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot register: module_startup of module `settings` failed: setting `settings.size` is \
         \"x\": invalid digit found in string"
    );
    assert_eq!(logged(), [""; 0], "it has not started");
    tsrm.register_with(settings::MODULE, [("settings.size".to_owned(), "7")]).unwrap();
    assert_eq!(logged(), ["size Some(7)"]);
}

#[tsrm::test(a11)]
fn many_threads_register_at_once_and_one_succeeds(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    for _ in 0..50 {
        let wins = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| match tsrm.register(late::MODULE) {
                    Ok(()) => drop(wins.fetch_add(1, Ordering::SeqCst)),
                    Err(error) => {
                        assert!(matches!(error, RegisterError::AlreadyRegistered("late")));
                    }
                });
            }
        });
        assert_eq!(wins.into_inner(), 1);
        assert!(tsrm.retire(late::MODULE, LONG).unwrap().is_done());
        assert_eq!(logged(), ["late up", "late down"]);
    }
}

#[tsrm::module]
mod steady {
    use super::*;

    #[global]
    pub(super) static NUMBER: Cell<usize> = Cell::new(0);
}

/// Fails on one thread, when it has done half of its work.
#[tsrm::module]
mod picky {
    use super::*;

    pub(super) static LEDGER: Ledger = Ledger::new();
    pub(super) static REFUSED: Mutex<Option<&str>> = Mutex::new(None);
    pub(super) static BORN: AtomicUsize = AtomicUsize::new(0);
    pub(super) static DEAD: AtomicUsize = AtomicUsize::new(0);

    #[global]
    pub(super) static VALUE: Tracked = Tracked::new(&LEDGER);

    #[thread_startup]
    fn born(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        VALUE.get(here).cell.set(1);
        if *REFUSED.lock().unwrap() == Some(&*me()) {
            return Err("no room".into());
        }
        BORN.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        DEAD.fetch_add(1, Ordering::SeqCst);
    }
}

fn no_room(error: &HookError) -> bool {
    (error.module, error.hook) == ("picky", Hook::ThreadStartup)
        && matches!(&error.cause, HookFailure::Returned(cause) if cause.to_string() == "no room")
}

/// Built and dropped, begun and ended.
fn picky_books() -> [usize; 4] {
    let (built, dropped) = picky::LEDGER.both();
    [built, dropped, picky::BORN.load(Ordering::SeqCst), picky::DEAD.load(Ordering::SeqCst)]
}

#[tsrm::test(a12)]
fn a_late_thread_startup_that_fails_on_one_thread(_tsrm: Runtime) {
    let tsrm = Own::start([steady::MODULE]).unwrap();
    let handle = *tsrm;
    let workers = Worker::several(*tsrm, 16);
    let others = workers.len() - 1;
    for (number, worker) in (1..).zip(&workers) {
        worker.attach(move |here| steady::NUMBER.set(here, number));
    }
    let (refused, name) = if others == 0 { (0, "worker 1") } else { (6, "worker 7") };
    *picky::REFUSED.lock().unwrap() = Some(name);
    let threads = tsrm.threads().len();
    let before = picky_books();
    tsrm.register(picky::MODULE).unwrap();
    for round in 1..=2 {
        for (index, worker) in workers.iter().enumerate() {
            let seen = worker.run(move || handle.try_attach(|here| steady::NUMBER.get(here).get()));
            match seen {
                Ok(number) => assert!(index != refused && number == index + 1),
                Err(AttachError::Hook(error)) => assert!(index == refused && no_room(&error)),
                Err(other) => panic!("{other}"),
            }
        }
        let add = [others + round, round, others, 0];
        assert_eq!(picky_books(), std::array::from_fn(|at| before[at] + add[at]));
        assert_eq!(tsrm.threads().len(), threads, "it stays registered");
    }
    *picky::REFUSED.lock().unwrap() = None;
    let unlucky = &workers[refused];
    let number = unlucky.attach(|here| (steady::NUMBER.get(here).get(), here.thread().depth()));
    assert_eq!(number, (refused + 1, 2 - 1), "with its other values");
    assert_eq!(unlucky.attach(|here| picky::VALUE.get(here).cell.get()), 1);
    drop(workers);
    let add = [others + 3, others + 3, others + 1, others + 1];
    assert_eq!(picky_books(), std::array::from_fn(|at| before[at] + add[at]));
}

#[tsrm::test(a13)]
fn a_late_thread_startup_that_fails_inside_an_attach(_tsrm: Runtime) {
    let tsrm = Own::start([steady::MODULE]).unwrap();
    let handle = *tsrm;
    let worker = Worker::new(*tsrm, "worker");
    let before = picky_books();
    worker.enter();
    worker.attach(|here| steady::NUMBER.set(here, 5));
    *picky::REFUSED.lock().unwrap() = Some("worker");
    tsrm.register(picky::MODULE).unwrap();
    for _ in 0..2 {
        let error = worker.attach(|here| picky::VALUE.try_get(here).map(|_| ()).unwrap_err());
        assert!(matches!(&error, AccessError::Hook(error) if no_room(error)), "{error}");
        assert_eq!(worker.attach(|here| steady::NUMBER.get(here).get()), 5);
    }
    worker.leave();
    let books = picky_books();
    assert_eq!((books[0], books[2]), (books[1], before[2]), "nothing half-done stays");
    let error = worker.run(move || handle.try_attach(|_| ()).unwrap_err());
    assert!(matches!(&error, AttachError::Hook(error) if no_room(error)), "{error}");
    *picky::REFUSED.lock().unwrap() = None;
    worker.enter();
    assert_eq!(worker.attach(|here| picky::VALUE.get(here).cell.get()), 1);
    assert_eq!(worker.attach(|here| steady::NUMBER.get(here).get()), 5);
    worker.leave();
    drop(worker);
    let books = picky_books();
    assert_eq!((books[0], books[2], books[3]), (books[1], before[2] + 1, before[3] + 1));
}

#[tsrm::test(a14)]
fn a_late_thread_startup_that_fails_in_a_request(_tsrm: Runtime) {
    let tsrm = Own::start([late::MODULE]).unwrap();
    let handle = *tsrm;
    let worker = Worker::new(*tsrm, "worker");
    worker.attach(|_| ());
    *picky::REFUSED.lock().unwrap() = Some("worker");
    tsrm.register(picky::MODULE).unwrap();
    logged();
    let error = worker.run(move || handle.try_request(|_| log("ran")).unwrap_err());
    let tsrm::RequestError::Attach(AttachError::Hook(error)) = error else { panic!("{error}") };
    assert!(no_room(&error));
    assert_eq!(logged(), [""; 0], "no request has begun");
    *picky::REFUSED.lock().unwrap() = None;
    worker.run(move || handle.request(|_| log("ran")));
    assert_eq!(logged(), ["late begins", "ran", "late ends"]);
}

/// Uses another module in its hooks.
#[tsrm::module]
mod front {
    use super::*;

    pub(super) static AT: Mutex<&str> = Mutex::new("");

    fn use_late(here: tsrm::Attached<'_>, when: &str) {
        log(format!("front {when}"));
        if *AT.lock().unwrap() == when {
            late::VALUE.get(here).look();
        }
    }

    #[thread_startup]
    fn born(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        use_late(here, "born");
        Ok(())
    }
    #[request_startup]
    fn begins(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        use_late(here, "begins");
        Ok(())
    }
    #[request_shutdown]
    fn ends(here: tsrm::Attached<'_>) {
        use_late(here, "ends");
    }
    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        use_late(here, "dies");
    }
}

#[tsrm::test(a8)]
fn met_by_a_hook_of_another_module(_tsrm: Runtime) {
    let met = ["late born on w", "build late value"];
    let cases: [(&str, &[&[&str]]); 4] = [
        (
            "born",
            &[
                // It came later than this one, so it comes behind it, and goes before it.
                &["front born", met[0], met[1], "front begins", "late begins", "request"],
                &["late ends", "front ends", "late dies on w", "front dies", "drop late value"],
            ],
        ),
        (
            "begins",
            &[
                &["front born", "front begins", met[0], met[1], "late begins", "request"],
                &["late ends", "front ends", "late dies on w", "front dies", "drop late value"],
            ],
        ),
        (
            "ends",
            &[
                // Its request has not begun, so it does not end.
                &["front born", "front begins", "request", "front ends", met[0], met[1]],
                &["late dies on w", "front dies", "drop late value"],
            ],
        ),
        (
            "dies",
            &[
                // What begins on the way out ends on the way out.
                &["front born", "front begins", "request", "front ends", "front dies"],
                &[met[0], met[1], "late dies on w", "drop late value"],
            ],
        ),
    ];
    for (when, expected) in cases {
        *front::AT.lock().unwrap() = when;
        let tsrm = Own::start([front::MODULE]).unwrap();
        let (handle, worker) = (*tsrm, Worker::new(*tsrm, "w"));
        let request = || worker.run(move || handle.request(|_| log("request")));
        logged();
        match when {
            "born" => {
                tsrm.register(late::MODULE).unwrap();
                request();
            }
            "dies" => {
                request();
                tsrm.register(late::MODULE).unwrap();
            }
            _ => {
                // In an attach in which the thread has not met it.
                worker.enter();
                tsrm.register(late::MODULE).unwrap();
                request();
                worker.leave();
            }
        }
        worker.detach();
        let mut log = logged();
        log.retain(|line| line != "late up");
        assert_eq!(log, expected.concat(), "{when}");
    }
}
