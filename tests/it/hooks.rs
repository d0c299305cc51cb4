//! Hooks: their order, their failures. Each test lists modules of its own and so runs alone.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tsrm::{AttachError, Hook, HookFailure, Runtime};

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static FAIL: RefCell<Option<(&'static str, Failure)>> = const { RefCell::new(None) };
}

#[derive(Clone, Copy)]
enum Failure {
    Error,
    Panic,
}

fn log(what: &str) -> Result<(), tsrm::Error> {
    LOG.with_borrow_mut(|log| log.push(what.to_owned()));
    match FAIL.take() {
        Some((at, Failure::Error)) if at == what => Err(format!("{what} refuses").into()),
        Some((at, Failure::Panic)) if at == what => panic!("{what} panics"),
        other => {
            FAIL.set(other);
            Ok(())
        }
    }
}

fn fail_at(what: &'static str, how: Failure) {
    FAIL.set(Some((what, how)));
}

fn logged() -> Vec<String> {
    LOG.take()
}

macro_rules! logging_module {
    ($name:ident) => {
        #[tsrm::module]
        mod $name {
            use tsrm::{Attached, Error};

            use super::log;

            #[thread_startup]
            fn born(_here: Attached<'_>) -> Result<(), Error> {
                log(concat!(stringify!($name), " born"))
            }

            #[thread_shutdown]
            fn dies(_here: Attached<'_>) {
                log(concat!(stringify!($name), " dies")).unwrap();
            }

            #[request_startup]
            fn begins(_here: Attached<'_>) -> Result<(), Error> {
                log(concat!(stringify!($name), " begins"))
            }

            #[request_shutdown]
            fn ends(_here: Attached<'_>) {
                log(concat!(stringify!($name), " ends")).unwrap();
            }
        }
    };
}

logging_module!(first);
logging_module!(second);

/// Without any hook: in the middle of the list, it must not confuse the counting.
#[tsrm::module]
mod silent {}

#[tsrm::test(first, silent, second)]
fn order(tsrm: Runtime) {
    tsrm.request(|_| log("request").unwrap());
    tsrm.request(|_| ());
    tsrm.detach().unwrap();
    assert_eq!(
        logged(),
        [
            "first born",
            "second born",
            "first begins",
            "second begins",
            "request",
            "second ends",
            "first ends",
            "first begins",
            "second begins",
            "second ends",
            "first ends",
            "second dies",
            "first dies",
        ]
    );
}

#[tsrm::test(silent, first, second)]
fn a_thread_startup_that_fails(tsrm: Runtime) {
    for how in [Failure::Error, Failure::Panic] {
        fail_at("second born", how);
        let error = tsrm.try_attach(|_| ()).unwrap_err();
        let AttachError::Hook(error) = error else { panic!("{error}") };
        assert_eq!((error.module, error.hook), ("second", Hook::ThreadStartup));
        let text = error.to_string();
        match (how, &error.cause) {
            (Failure::Error, HookFailure::Returned(_)) => {
                assert_eq!(text, "thread_startup of module `second` failed: second born refuses");
            }
            (Failure::Panic, HookFailure::Panicked(_)) => {
                assert_eq!(text, "thread_startup of module `second` panicked: second born panics");
            }
            _ => panic!("{text}"),
        }
        // What began was ended, and the thread is not registered.
        assert_eq!(logged(), ["first born", "second born", "first dies"]);
        assert_eq!(tsrm.threads().len(), 0);
    }
    // The next attach tries again.
    tsrm.attach(|_| ());
    assert_eq!(logged(), ["first born", "second born"]);
}

#[tsrm::test(first, second, silent)]
fn a_request_startup_that_fails(tsrm: Runtime) {
    tsrm.attach(|_| ());
    logged();
    for how in [Failure::Error, Failure::Panic] {
        fail_at("second begins", how);
        let error = tsrm.try_request(|_| panic!("must not run")).unwrap_err();
        let tsrm::RequestError::Hook(error) = error else { panic!("{error}") };
        assert_eq!((error.module, error.hook), ("second", Hook::RequestStartup));
        assert_eq!(logged(), ["first begins", "second begins", "first ends"]);
    }
    tsrm.request(|here| assert!(!here.interrupted()));
    assert_eq!(logged(), ["first begins", "second begins", "second ends", "first ends"]);
}

#[tsrm::test(second, first)]
fn shutdown_hooks_that_panic(tsrm: Runtime) {
    let faults = tsrm.report().faults;
    fail_at("first ends", Failure::Panic);
    tsrm.request(|_| ());
    fail_at("first dies", Failure::Panic);
    tsrm.detach().unwrap();
    assert_eq!(
        logged(),
        [
            "second born",
            "first born",
            "second begins",
            "first begins",
            "first ends",
            "second ends",
            "first dies",
            "second dies",
        ]
    );
    assert_eq!(tsrm.report().faults, faults + 2);
}

#[tsrm::test(second, first, silent)]
fn a_request_that_panics_is_ended(tsrm: Runtime) {
    let panicked = catch_unwind(AssertUnwindSafe(|| tsrm.request(|_| panic!("in the request"))));
    assert!(panicked.is_err());
    assert_eq!(
        logged(),
        ["second born", "first born", "second begins", "first begins", "first ends", "second ends"]
    );
    // Also when the panic unwinds through an attach around it.
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        tsrm.attach(|_| tsrm.request(|_| panic!("in the request")));
    }));
    assert!(panicked.is_err());
    assert_eq!(logged(), ["second begins", "first begins", "first ends", "second ends"]);
}

/// Hooks use globals, attach, request and detach as they like.
#[tsrm::module]
mod busy {
    use std::cell::Cell;

    use tsrm::{Attached, DetachError, Error, Runtime};

    #[global]
    pub(super) static STEPS: Cell<u32> = Cell::new(1);

    thread_local! {
        pub(super) static LAST: Cell<u32> = const { Cell::new(0) };
    }

    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), Error> {
        let Some(tsrm) = Runtime::current() else { return Err("no runtime".into()) };
        tsrm.attach(|inner| STEPS.set(inner, STEPS.get(here).get() * 10));
        tsrm.try_request(|here| STEPS.set(here, STEPS.get(here).get() + 1))?;
        match tsrm.detach() {
            Err(DetachError::Attached { depth: 1 }) => Ok(()),
            other => Err(format!("{other:?}").into()),
        }
    }

    #[request_shutdown]
    fn ends(here: Attached<'_>) {
        STEPS.set(here, STEPS.get(here).get() * 10);
    }

    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        let nested = STEPS.with(|steps| steps.get());
        LAST.set(nested + STEPS.get(here).get());
        assert!(matches!(
            Runtime::current().unwrap().detach(),
            Err(DetachError::Attached { depth: 1 })
        ));
    }
}

#[tsrm::test(busy)]
fn hooks_may_do_anything(tsrm: Runtime) {
    let steps = tsrm.attach(|here| busy::STEPS.get(here).get());
    // No request hooks: the module has not started on this thread before its `thread_startup` is over.
    assert_eq!(steps, 11);
    tsrm.detach().unwrap();
    assert_eq!(busy::LAST.get(), 22);
}

/// An error whose message or drop panics.
#[derive(Debug)]
enum Nasty {
    Message,
    Drop,
}

impl std::fmt::Display for Nasty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Message => panic!("no words"),
            Self::Drop => f.write_str("nasty"),
        }
    }
}

impl std::error::Error for Nasty {}

impl Drop for Nasty {
    fn drop(&mut self) {
        if matches!(self, Self::Drop) {
            panic!("dropped");
        }
    }
}

thread_local! {
    static NASTY: RefCell<Option<Nasty>> = const { RefCell::new(None) };
}

#[tsrm::module]
mod nasty {
    use super::NASTY;

    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        NASTY.take().map_or(Ok(()), |error| Err(error.into()))
    }

    #[request_startup]
    fn begins(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        NASTY.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

#[tsrm::test(nasty)]
fn errors_that_panic(tsrm: Runtime) {
    let attach = |nasty| {
        NASTY.set(Some(nasty));
        let panic = catch_unwind(AssertUnwindSafe(|| tsrm.attach(|_| ()))).unwrap_err();
        panic.downcast::<String>().map(|text| *text).unwrap()
    };
    assert_eq!(attach(Nasty::Message), "an error whose own message panics: no words");
    assert_eq!(
        attach(Nasty::Drop),
        "cannot attach: thread_startup of module `nasty` failed: nasty"
    );
    tsrm.attach(|_| ());
    NASTY.set(Some(Nasty::Message));
    assert!(catch_unwind(AssertUnwindSafe(|| tsrm.request(|_| ()))).is_err());
    tsrm.request(|_| ());
}

/// Asks for a request where none may begin.
#[tsrm::module]
mod late_request {
    use std::cell::RefCell;

    thread_local! {
        pub(super) static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        let answer = tsrm::Runtime::current().unwrap().try_request(|_| ()).unwrap_err();
        ANSWER.set(answer.to_string());
    }
}

#[tsrm::test(late_request)]
fn no_request_while_leaving(tsrm: Runtime) {
    tsrm.attach(|_| ());
    tsrm.detach().unwrap();
    assert_eq!(
        late_request::ANSWER.take(),
        "cannot begin a request: this thread is leaving (use `attach` in a `thread_shutdown` hook)"
    );
}
