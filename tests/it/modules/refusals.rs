//! What is refused, and by which error.

use std::sync::Mutex;
use std::time::Duration;

use tsrm::{QuiesceError, RegisterError, RetireError, Runtime, StartError};

use super::{base, late, middle, top};
use crate::shared::own::{LONG, Own, Worker, alone, log, logged, until};

alone!(a7 a8 a9 a10 a15);

/// Of the name of another one, as a new version of a plugin is.
mod new {
    #[tsrm::module(name = "late")]
    pub(super) mod version {}
}

#[tsrm::test(a7)]
fn names_are_unique_among_what_is_up(_tsrm: Runtime) {
    let tsrm = Own::start([late::MODULE]).unwrap();
    for module in [late::MODULE, new::version::MODULE] {
        let error = tsrm.register(module).unwrap_err();
        assert!(matches!(error, RegisterError::AlreadyRegistered("late")), "{error}");
        assert_eq!(error.to_string(), "cannot register: there is a module `late` already");
    }
    assert!(matches!(
        Own::start([late::MODULE, new::version::MODULE]).err(),
        Some(StartError::DuplicateModule("late"))
    ));
    drop(tsrm);
    let tsrm = Own::start([late::MODULE]).unwrap();
    // While one goes, another of its name may come, but not itself.
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    assert!(!tsrm.retire(late::MODULE, Duration::ZERO).unwrap().is_done());
    let error = tsrm.register(late::MODULE).unwrap_err();
    assert!(matches!(error, RegisterError::Retiring("late")), "{error}");
    tsrm.register(new::version::MODULE).unwrap();
    worker.leave();
    let error = tsrm.register(late::MODULE).unwrap_err();
    assert!(matches!(error, RegisterError::AlreadyRegistered("late")), "{error}");
    assert!(tsrm.retire(new::version::MODULE, LONG).unwrap().is_done());
    tsrm.register(late::MODULE).unwrap();
}

/// Asks for everything while it starts and stops.
#[tsrm::module]
mod curious {
    use tsrm::{Error, Shutdown, Startup};

    use super::*;

    pub(super) static HANDLE: Mutex<Option<Runtime>> = Mutex::new(None);

    fn ask(when: &str) {
        let Some(tsrm) = *HANDLE.lock().unwrap() else { return };
        log(format!("{when}: register: {:?}", tsrm.register(MODULE).unwrap_err()));
        log(format!("{when}: another: {:?}", tsrm.register(late::MODULE).err()));
        log(format!("{when}: retire: {:?}", tsrm.retire(MODULE, LONG).unwrap_err()));
        let quiesce = tsrm.quiesce(LONG).err();
        log(format!("{when}: quiesce: {quiesce:?}"));
        let resource = tsrm.register_resource("x", || Ok(1)).map(|resource| resource.release());
        log(format!("{when}: resource: {resource:?}"));
        log(format!("{when}: shutdown: {:?}", tsrm.shutdown(LONG).unwrap_err()));
        assert!(matches!(Runtime::start([]), Err(StartError::AlreadyStarted)));
    }

    /// The last thing that goes.
    pub(super) struct Last;

    impl Drop for Last {
        fn drop(&mut self) {
            ask("drop");
        }
    }

    #[shared]
    pub(super) static LAST: Last = Last;

    #[module_startup]
    fn up(_phase: &mut Startup<'_>) -> Result<(), Error> {
        ask("up");
        Ok(())
    }

    #[module_shutdown]
    fn down(_phase: &mut Shutdown<'_>) {
        ask("down");
    }
}

#[tsrm::test(a8)]
fn what_a_modules_own_start_and_stop_are_refused(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    *curious::HANDLE.lock().unwrap() = Some(*tsrm);
    tsrm.register(curious::MODULE).unwrap();
    assert_eq!(
        logged(),
        [
            "up: register: AlreadyRegistered(\"curious\")",
            "late up",
            "up: another: None",
            "up: retire: Starting(\"curious\")",
            "up: quiesce: None",
            "up: resource: Ok(true)",
            "up: shutdown: InHook(\"curious\")",
        ]
    );
    assert!(tsrm.retire(late::MODULE, LONG).unwrap().is_done());
    logged();
    assert!(tsrm.retire(curious::MODULE, LONG).unwrap().is_done());
    let refused = |when: &str, another: &str| {
        [
            format!("{when}: register: Retiring(\"curious\")"),
            format!("{when}: another: {another}"),
            format!("{when}: retire: Stopping(\"curious\")"),
            format!("{when}: quiesce: None"),
            format!("{when}: resource: Ok(true)"),
            format!("{when}: shutdown: InHook(\"curious\")"),
        ]
    };
    let mut expected = refused("down", "None").to_vec();
    expected.insert(1, "late up".to_owned());
    // The destructors of shared values are no better off.
    expected.extend(refused("drop", "Some(AlreadyRegistered(\"late\"))"));
    assert_eq!(logged(), expected);
    assert!(tsrm.retire(late::MODULE, LONG).unwrap().is_done());
    tsrm.register(curious::MODULE).unwrap();
    assert!(tsrm.retire(late::MODULE, LONG).unwrap().is_done());
    logged();
    // The same hook, when the runtime ends.
    tsrm.end();
    let told = logged();
    let refused = |when: &str| {
        [
            format!("{when}: register: ShuttingDown"),
            format!("{when}: another: Some(ShuttingDown)"),
            format!("{when}: retire: NotRunning"),
            format!("{when}: quiesce: Some(NotRunning)"),
            format!("{when}: resource: Err(ShuttingDown)"),
        ]
    };
    assert_eq!((&told[..5], &told[6..11]), (&refused("down")[..], &refused("drop")[..]));
    for line in [&told[5], &told[11]] {
        assert!(line.contains(": shutdown: "), "{told:?}");
    }
    *curious::HANDLE.lock().unwrap() = None;
}

fn refused_everything(tsrm: Runtime) {
    let error = tsrm.register(late::MODULE).unwrap_err();
    assert!(matches!(error, RegisterError::NotRunning), "{error}");
    assert_eq!(error.to_string(), "cannot register: this runtime is not running");
    let error = tsrm.register_resource("x", || Ok(1)).unwrap_err();
    assert!(matches!(error, RegisterError::NotRunning), "{error}");
    assert_eq!(tsrm.retire(late::MODULE, LONG).unwrap_err(), RetireError::NotRunning);
    assert!(matches!(tsrm.quiesce(LONG), Err(QuiesceError::NotRunning)));
}

#[tsrm::test(a9)]
fn not_running_stale_and_shutting_down(_tsrm: Runtime) {
    logged();
    let first = Own::start([]).unwrap();
    let stale = *first;
    first.end();
    refused_everything(stale);
    let second = Own::start([late::MODULE]).unwrap();
    refused_everything(stale);
    second.attach(|_| {
        // Whether it is quiet is not asked of a stale handle either, but this thread is in an attach.
        assert!(matches!(stale.register(base::MODULE), Err(RegisterError::NotRunning)));
        assert_eq!(stale.retire(late::MODULE, LONG).unwrap_err(), RetireError::NotRunning);
    });
    second.detach().unwrap();
    let worker = Worker::new(*second, "worker");
    worker.enter();
    let handle = *second;
    let shutdown = std::thread::spawn(move || handle.shutdown(LONG).unwrap());
    until(|| Runtime::current().is_none());
    worker.run(move || {
        assert!(matches!(handle.register(base::MODULE), Err(RegisterError::ShuttingDown)));
        assert!(matches!(
            handle.register_resource("x", || Ok(1)).map(|_| ()),
            Err(RegisterError::ShuttingDown)
        ));
        assert_eq!(handle.retire(late::MODULE, LONG).unwrap_err(), RetireError::NotRunning);
        assert!(matches!(handle.quiesce(LONG), Err(QuiesceError::Attached { depth: 1 })));
    });
    worker.leave();
    assert!(shutdown.join().unwrap().is_clean());
    refused_everything(handle);
    assert!(second.shutdown(LONG).is_err());
}

#[tsrm::module(requires = ["ring_2"])]
mod ring_1 {}
#[tsrm::module(requires = ["ring_3"])]
mod ring_2 {}
#[tsrm::module(requires = ["late", "ring_1"])]
mod ring_3 {}

#[tsrm::test(a10)]
fn requirements_that_are_not_met(_tsrm: Runtime) {
    logged();
    let missing = |error: StartError| match error {
        StartError::Missing { module, requires } => (module, requires),
        other => panic!("{other}"),
    };
    assert_eq!(missing(Own::start([middle::MODULE]).err().unwrap()), ("middle", "base"));
    let error = Own::start([base::MODULE, late::MODULE, top::MODULE]).err().unwrap();
    assert_eq!(
        error.to_string(),
        "module `top` requires module `middle`, which is not there: list both when the runtime starts, \
         or register `middle` first"
    );
    assert_eq!(missing(error), ("top", "middle"));
    let ring = [ring_1::MODULE, late::MODULE, ring_2::MODULE, ring_3::MODULE];
    let error = Own::start(ring).err().unwrap();
    let StartError::Circular(name) = error else { panic!("{error}") };
    assert!(name.starts_with("ring_"), "{name}");
    assert_eq!(logged(), [""; 0], "nothing was started");

    let tsrm = Own::start([]).unwrap();
    let error = tsrm.register(top::MODULE).unwrap_err();
    assert!(matches!(error, RegisterError::Missing { module: "top", requires: "middle" }));
    tsrm.register(base::MODULE).unwrap();
    tsrm.register(middle::MODULE).unwrap();
    tsrm.register(top::MODULE).unwrap();
    // One that goes is not there.
    assert!(tsrm.retire(top::MODULE, LONG).unwrap().is_done());
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    assert!(!tsrm.retire(middle::MODULE, Duration::ZERO).unwrap().is_done());
    let error = tsrm.register(top::MODULE).unwrap_err();
    assert!(matches!(error, RegisterError::Missing { module: "top", requires: "middle" }));
    worker.leave();
}

#[tsrm::test(a15)]
fn the_report_shows_what_is_up_and_what_goes(_tsrm: Runtime) {
    let tsrm = Own::start([base::MODULE]).unwrap();
    let state = |name: &str| {
        let report = tsrm.report();
        let mut found = report.modules.iter().filter(|module| module.name == name);
        found.next().map(|module| (module.started, module.retiring)).unwrap()
    };
    assert_eq!((state("base"), state("middle")), ((true, false), (false, false)));
    tsrm.register(middle::MODULE).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    worker.enter();
    assert_eq!(state("middle"), (true, false));
    let up: Vec<_> = tsrm.report().modules.iter().map(|module| module.name).take(2).collect();
    assert_eq!(up, ["base", "middle"]);
    assert!(!tsrm.retire(middle::MODULE, Duration::ZERO).unwrap().is_done());
    assert_eq!(state("middle"), (false, true));
    assert!(tsrm.report().to_string().contains("middle (being retired)"));
    worker.leave();
    assert_eq!(state("middle"), (false, false));
}
