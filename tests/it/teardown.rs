//! How values go: order, panics, destructors that reach for globals.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};

use tsrm::{AccessError, AttachError, DetachError, Runtime};

thread_local! {
    // Without a destructor that matters: also logged to at a thread's exit. Per thread, since every
    // thread drops the statics of all linked modules, those of this file too.
    static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

fn log(what: &'static str) {
    let _ = LOG.try_with(|log| log.borrow_mut().push(what));
}

fn logged() -> Vec<&'static str> {
    LOG.take()
}

/// Without the statics of `lower` and `upper`, which are linked, so dropped too.
fn logged_here() -> Vec<&'static str> {
    let mut log = logged();
    log.retain(|line| !line.contains("er static"));
    log
}

/// Says when it is dropped.
struct Loud(&'static str);

impl Drop for Loud {
    fn drop(&mut self) {
        log(self.0);
    }
}

#[tsrm::module]
mod lower {
    use super::*;

    #[global]
    pub(super) static FIRST: Loud = const { Loud("lower static 1") };
    #[global]
    pub(super) static SECOND: Loud = const { Loud("lower static 2") };
    #[global]
    pub(super) static EARLY: Loud = Loud("built early");
    #[global]
    pub(super) static LATE: Loud = Loud("built late");

    #[thread_shutdown]
    fn dies(here: tsrm::Attached<'_>) {
        // A hook may still build.
        super::in_hook(here);
    }
}

#[tsrm::module]
mod upper {
    use super::*;

    #[global]
    pub(super) static STATIC: Loud = const { Loud("upper static") };
    #[global]
    pub(super) static IN_HOOK: Loud = Loud("built in a hook");
}

fn in_hook(here: tsrm::Attached<'_>) {
    log("hook");
    upper::IN_HOOK.get(here);
}

#[tsrm::test(lower, upper)]
fn reverse_order(tsrm: Runtime) {
    tsrm.attach(|here| {
        // Not in the order of declaration.
        lower::LATE.get(here);
        lower::EARLY.get(here);
    });
    logged();
    tsrm.detach().unwrap();
    assert_eq!(
        logged(),
        [
            "hook",
            "built in a hook",
            "built early",
            "built late",
            "upper static",
            "lower static 2",
            "lower static 1",
        ]
    );
}

/// Its drop panics, and so does the drop of its panic's payload.
struct Grenade(&'static str);

struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            log("payload dropped");
            panic!("the payload panics too");
        }
    }
}

impl Drop for Grenade {
    fn drop(&mut self) {
        log(self.0);
        match self.0 {
            "with payload" => std::panic::panic_any(Payload),
            name => panic!("{name} panics"),
        }
    }
}

#[tsrm::module]
mod grenades {
    use super::*;

    #[global]
    pub(super) static BELOW: Loud = Loud("below");
    #[global]
    pub(super) static TEXT: Grenade = Grenade("text");
    #[global]
    pub(super) static PAYLOAD: Grenade = Grenade("with payload");
    #[global]
    pub(super) static ABOVE: Loud = Loud("above");
    #[global]
    pub(super) static STATIC: Cell<Option<Grenade>> = const { Cell::new(None) };
}

#[tsrm::test(grenades)]
fn destructors_that_panic(tsrm: Runtime) {
    for _ in 0..2 {
        let faults = tsrm.report().faults;
        tsrm.attach(|here| {
            grenades::BELOW.get(here);
            grenades::TEXT.get(here);
            grenades::PAYLOAD.get(here);
            grenades::ABOVE.get(here);
            assert!(grenades::STATIC.replace(here, Some(Grenade("static"))).is_none());
        });
        logged();
        tsrm.detach().unwrap();
        assert_eq!(
            logged_here(),
            ["above", "with payload", "payload dropped", "text", "below", "static"]
        );
        assert_eq!(tsrm.report().faults, faults + 3);
    }
}

/// Counts the beginnings and the ends of `Curious` drops.
static CURIOUS_DROPS: AtomicUsize = AtomicUsize::new(0);

/// Reaches for everything in its drop.
struct Curious {
    tsrm: Cell<Option<Runtime>>,
}

thread_local! {
    static STD: RefCell<String> = RefCell::new("std".into());
}

impl Drop for Curious {
    fn drop(&mut self) {
        let Some(tsrm) = self.tsrm.take() else { return };
        log("curious");
        CURIOUS_DROPS.fetch_add(1, Ordering::SeqCst);
        assert!(matches!(
            curious::OTHER.try_with(|_| ()),
            Err(AccessError::Attach(AttachError::Draining))
        ));
        assert!(matches!(
            curious::STATIC.try_with(|_| ()),
            Err(AccessError::Attach(AttachError::Draining))
        ));
        assert!(curious::OTHER.try_with_attached(|_| ()).is_none());
        assert!(curious::STATIC.try_with_attached(|_| ()).is_none());
        assert!(matches!(tsrm.try_attach(|_| ()), Err(AttachError::Draining)));
        assert!(matches!(tsrm.try_request(|_| ()), Err(tsrm::RequestError::Attach(_))));
        assert_eq!(tsrm.detach(), Err(DetachError::Draining));
        assert_eq!(
            tsrm.shutdown(std::time::Duration::ZERO).unwrap_err(),
            tsrm::ShutdownError::Caller(DetachError::Draining)
        );
        assert!(matches!(Runtime::start([]), Err(tsrm::StartError::AlreadyStarted)));
        let _ = STD.try_with(|text| text.borrow_mut().push('!'));
        // Another thread gets no further than the mode allows.
        let other = std::thread::spawn(move || {
            let result = tsrm.try_attach(|_| ());
            tsrm.detach().unwrap();
            result
        });
        assert_eq!(other.join().unwrap().is_err(), tsrm::SINGLE_THREADED);
        log("curious ends");
        CURIOUS_DROPS.fetch_add(1, Ordering::SeqCst);
    }
}

#[tsrm::module]
mod curious {
    use super::*;

    #[global]
    pub(super) static OTHER: Loud = Loud("other");
    #[global]
    pub(super) static CURIOUS: Curious = Curious { tsrm: Cell::new(None) };
    #[global]
    pub(super) static STATIC: Curious = const { Curious { tsrm: Cell::new(None) } };
}

#[tsrm::test(curious)]
fn destructors_may_not_use_globals(tsrm: Runtime) {
    let faults = tsrm.report().faults;
    tsrm.attach(|here| {
        curious::OTHER.get(here);
        curious::CURIOUS.get(here).tsrm.set(Some(tsrm));
        curious::STATIC.get(here).tsrm.set(Some(tsrm));
    });
    logged();
    tsrm.detach().unwrap();
    assert_eq!(logged_here(), ["curious", "curious ends", "other", "curious", "curious ends"]);
    assert_eq!(tsrm.report().faults, faults, "an assertion of the destructor failed");
    // The same at a thread's exit, where std's TLS may be gone.
    let drops = CURIOUS_DROPS.load(Ordering::SeqCst);
    let exiting = std::thread::spawn(move || {
        tsrm.attach(|here| {
            curious::OTHER.get(here);
            curious::CURIOUS.get(here).tsrm.set(Some(tsrm));
        });
        STD.with(|text| assert_eq!(*text.borrow(), "std"));
    });
    exiting.join().unwrap();
    assert_eq!(CURIOUS_DROPS.load(Ordering::SeqCst), drops + 2);
    assert_eq!(tsrm.report().faults, faults, "an assertion of the destructor failed");
}
