//! What the oracle's runs are about: three modules with a value of each kind, of which every hook,
//! construction and drop is logged; and the operations on them, with what these answer.

use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tsrm::{AccessError, Attached, Interrupt, Module, Resource, ResourceError, Runtime};

use super::DEAD;

/// A module's number: A, B (which requires A) and C.
pub(super) type M = usize;
pub(super) const A: M = 0;
pub(super) const B: M = 1;
pub(super) const C: M = 2;
pub(super) const NAMES: [&str; 3] = ["model_a", "model_b", "model_c"];

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Static(M),
    Cached(M),
    Eager(M),
    Lazy(M),
    /// Of one of three constructors.
    Resource(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    ModuleUp(M),
    ModuleFails(M),
    /// With what it saw: A's eager value, or in C its own.
    ModuleDown(M, u64),
    ThreadUp(M),
    ThreadFails(M),
    /// With its thread's static value.
    ThreadDown(M, u64),
    RequestUp(M),
    RequestDown(M),
    Built(Kind),
    Dropped(Kind, u64),
}

/// What happened, and on which worker.
pub(super) static LOG: Mutex<Vec<(usize, Event)>> = Mutex::new(Vec::new());
pub(super) const DRIVER: usize = 100;

/// What is to fail on this thread, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fail {
    Module(M),
    Thread(M),
    Constructor,
}

thread_local! {
    /// The worker; nobody on threads of other tests, which have the statics of this file too.
    pub(super) static WHO: Cell<Option<usize>> = const { Cell::new(None) };
    pub(super) static FAIL: Cell<Option<Fail>> = const { Cell::new(None) };
}

fn log(event: Event) {
    if let Some(who) = WHO.get() {
        LOG.lock().unwrap().push((who, event));
    }
}

fn is_to_fail(what: Fail) -> bool {
    let fails = FAIL.get() == Some(what);
    if fails {
        FAIL.set(None);
    }
    fails
}

const ALIVE: u64 = 0x0a11_0a11_0a11_0a11;

/// A value that shows whether it is there.
#[derive(Debug)]
pub(super) struct Canary {
    magic: AtomicU64,
    pub(super) kind: Kind,
    value: AtomicU64,
}

impl Canary {
    const fn new(kind: Kind) -> Self {
        Self { magic: AtomicU64::new(ALIVE), kind, value: AtomicU64::new(0) }
    }

    fn built(kind: Kind) -> Self {
        log(Event::Built(kind));
        Self::new(kind)
    }

    fn get(&self) -> u64 {
        assert_eq!(self.magic.load(Ordering::Relaxed), ALIVE, "dropped under a reference");
        self.value.load(Ordering::Relaxed)
    }

    pub(super) fn check(&self, kind: Kind) {
        self.get();
        assert_eq!(self.kind, kind, "another's value");
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        let value = self.get();
        self.magic.store(DEAD, Ordering::Relaxed);
        log(Event::Dropped(self.kind, value));
    }
}

macro_rules! modelled {
    ($(#[$attribute:meta])* $name:ident, $index:expr, $seen:path) => {
        $(#[$attribute])*
        pub(super) mod $name {
            use super::*;

            #[global]
            pub(super) static STATIC: Canary = const { Canary::new(Kind::Static($index)) };
            #[global]
            pub(super) static CACHED: Canary = Canary::built(Kind::Cached($index));
            #[shared]
            pub(super) static EAGER: Canary = Canary::built(Kind::Eager($index));
            #[shared(lazy)]
            pub(super) static LAZY: Canary = Canary::built(Kind::Lazy($index));

            #[module_startup]
            fn module_startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
                let seen = phase.shared(&$seen).get();
                phase.shared_mut(&EAGER).value = AtomicU64::new(seen);
                if is_to_fail(Fail::Module($index)) {
                    log(Event::ModuleFails($index));
                    return Err("refused".into());
                }
                log(Event::ModuleUp($index));
                Ok(())
            }

            #[module_shutdown]
            fn module_shutdown(phase: &mut tsrm::Shutdown<'_>) {
                log(Event::ModuleDown($index, phase.shared(&$seen).get()));
                phase.shared(&EAGER).check(Kind::Eager($index));
            }

            #[thread_startup]
            fn thread_startup(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
                if $index == C {
                    CACHED.get(here).check(Kind::Cached(C));
                }
                if is_to_fail(Fail::Thread($index)) {
                    log(Event::ThreadFails($index));
                    return Err("refused".into());
                }
                log(Event::ThreadUp($index));
                Ok(())
            }

            #[thread_shutdown]
            fn thread_shutdown(here: tsrm::Attached<'_>) {
                EAGER.get(here).check(Kind::Eager($index));
                log(Event::ThreadDown($index, STATIC.get(here).get()));
            }

            #[request_startup]
            fn request_startup(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
                log(Event::RequestUp($index));
                Ok(())
            }

            #[request_shutdown]
            fn request_shutdown(_here: tsrm::Attached<'_>) {
                log(Event::RequestDown($index));
            }
        }
    };
}

modelled!(
    #[tsrm::module]
    model_a,
    A,
    EAGER
);
modelled!(
    #[tsrm::module(requires = ["model_a"])]
    model_b,
    B,
    model_a::EAGER
);
modelled!(
    #[tsrm::module]
    model_c,
    C,
    EAGER
);

pub(super) const MODULES: [Module; 3] = [model_a::MODULE, model_b::MODULE, model_c::MODULE];

fn construct<const SLOT: usize>() -> Result<Canary, tsrm::Error> {
    if is_to_fail(Fail::Constructor) {
        return Err("refused".into());
    }
    Ok(Canary::built(Kind::Resource(SLOT)))
}

pub(super) const CONSTRUCTORS: [fn() -> Result<Canary, tsrm::Error>; 3] =
    [construct::<0>, construct::<1>, construct::<2>];

/// What an operation looks at. A resource is named by its number in the run, which the driver has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Static(M),
    Cached(M),
    Eager(M),
    Lazy(M),
    Resource(usize, Option<Resource<Canary>>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Enter {
        is_request: bool,
    },
    /// Leaves the innermost attach.
    Leave,
    /// Leaves all attaches by a panic.
    Unwind,
    /// Reads, then perhaps writes; outside an attach inside one of its own.
    Touch(Place, Option<u64>),
    /// Looks at the values of all threads, inside an attach.
    ForEach(Place),
    TakeInterrupt,
    Register(M),
    Retire(M),
    AddResource(usize),
    Release(usize, Resource<Canary>),
    Quiesce,
    Detach,
    Shutdown,
    Start(&'static [M]),
    /// Leaves all attaches and ends the thread.
    Exit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Done,
    Entered,
    Left,
    Gone,
    Value(u64),
    Values(Vec<(String, u64)>),
    Flag(bool),
    Reason(Option<Interrupt>),
    /// Whether it is down, and who holds it.
    Retired(bool, Vec<(String, u32)>),
    Stragglers(Vec<(String, u32)>),
    Refused(String),
}

pub(super) fn refused(error: impl Debug) -> Answer {
    Answer::Refused(format!("{error:?}"))
}

/// What an operation made, for others to use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    Resource(Resource<Canary>),
    Runtime(Runtime),
}

pub(super) fn find<'t>(place: Place, here: Attached<'t>) -> Result<&'t Canary, Answer> {
    macro_rules! of {
        ($module:expr, $global:ident) => {
            match $module {
                A => model_a::$global.try_get(here),
                B => model_b::$global.try_get(here),
                _ => model_c::$global.try_get(here),
            }
            .map_err(|error| match error {
                AccessError::ModuleNotStarted { module, .. } => refused(("not started", module)),
                AccessError::ModuleRetired { module, .. } => refused(("retired", module)),
                other => refused(other),
            })
        };
    }
    let found = match place {
        Place::Static(module) => of!(module, STATIC),
        Place::Cached(module) => of!(module, CACHED),
        Place::Eager(module) => of!(module, EAGER),
        Place::Lazy(module) => of!(module, LAZY),
        Place::Resource(_, resource) => resource.unwrap().try_get(here).map_err(|e| match e {
            ResourceError::Released(_) => refused("released"),
            other => refused(other),
        }),
    }?;
    match place {
        Place::Static(module) => found.check(Kind::Static(module)),
        Place::Cached(module) => found.check(Kind::Cached(module)),
        Place::Eager(module) => found.check(Kind::Eager(module)),
        Place::Lazy(module) => found.check(Kind::Lazy(module)),
        Place::Resource(..) => {
            assert!(matches!(found.kind, Kind::Resource(_)), "another's value: {found:?}");
        }
    }
    Ok(found)
}

pub(super) fn touch(canary: &Canary, write: Option<u64>) -> Answer {
    let value = canary.get();
    if let Some(write) = write {
        canary.value.store(write, Ordering::Relaxed);
    }
    Answer::Value(value)
}

pub(super) fn for_each(place: Place, here: Attached<'_>) -> Answer {
    let mut values = Vec::new();
    let mut note = |thread: &tsrm::ThreadHandle, canary: &Canary| {
        values.push((thread.name().unwrap().to_owned(), canary.get()));
    };
    match place {
        Place::Static(A) => model_a::STATIC.for_each_thread(here, &mut note),
        Place::Static(B) => model_b::STATIC.for_each_thread(here, &mut note),
        Place::Static(_) => model_c::STATIC.for_each_thread(here, &mut note),
        Place::Cached(A) => model_a::CACHED.for_each_thread(here, &mut note),
        Place::Cached(B) => model_b::CACHED.for_each_thread(here, &mut note),
        Place::Cached(_) => model_c::CACHED.for_each_thread(here, &mut note),
        Place::Resource(_, resource) => resource.unwrap().for_each_thread(here, &mut note),
        other => unreachable!("{other:?}"),
    }
    Answer::Values(values)
}
