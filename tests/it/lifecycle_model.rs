//! Random lives of threads, modules, shared values and resources against a naive oracle, which predicts
//! every answer, and every hook, construction and drop with its thread and order. Then the same without an
//! oracle and without order: threads that do what they like, all at once.
//!
//! A seed names a run. `TSRM_MODEL_SEEDS` (how many) and `TSRM_MODEL_FIRST` (the first one) make a soak of it,
//! or repeat one.

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tsrm::{
    AccessError, AttachError, Attached, Interrupt, Module, QuiesceError, RegisterError,
    RequestError, Resource, ResourceError, Retired, Runtime, ShutdownError, StartError, Straggler,
};

/// A module's number: A, B (which requires A) and C.
type M = usize;
const A: M = 0;
const B: M = 1;
const C: M = 2;
const NAMES: [&str; 3] = ["model_a", "model_b", "model_c"];

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Static(M),
    Cached(M),
    Eager(M),
    Lazy(M),
    /// Of one of three constructors.
    Resource(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
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
static LOG: Mutex<Vec<(usize, Event)>> = Mutex::new(Vec::new());
const DRIVER: usize = 100;

/// What is to fail on this thread, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fail {
    Module(M),
    Thread(M),
    Constructor,
}

thread_local! {
    /// The worker; nobody on threads of other tests, which have the statics of this file too.
    static WHO: Cell<Option<usize>> = const { Cell::new(None) };
    static FAIL: Cell<Option<Fail>> = const { Cell::new(None) };
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
const DEAD: u64 = 0xdead_dead_dead_dead;

/// A value that shows whether it is there.
#[derive(Debug)]
struct Canary {
    magic: AtomicU64,
    kind: Kind,
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

    fn check(&self, kind: Kind) {
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
        mod $name {
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

const MODULES: [Module; 3] = [model_a::MODULE, model_b::MODULE, model_c::MODULE];

fn construct<const SLOT: usize>() -> Result<Canary, tsrm::Error> {
    if is_to_fail(Fail::Constructor) {
        return Err("refused".into());
    }
    Ok(Canary::built(Kind::Resource(SLOT)))
}

const CONSTRUCTORS: [fn() -> Result<Canary, tsrm::Error>; 3] =
    [construct::<0>, construct::<1>, construct::<2>];

/// What an operation looks at. A resource is named by its number in the run, which the driver has.
#[derive(Clone, Copy, Debug)]
enum Place {
    Static(M),
    Cached(M),
    Eager(M),
    Lazy(M),
    Resource(usize, Option<Resource<Canary>>),
}

#[derive(Clone, Copy, Debug)]
enum Op {
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
enum Answer {
    Done,
    Entered,
    Left,
    Gone,
    Value(u64),
    Values(Vec<(String, u64)>),
    Flag(bool),
    Reason(Option<Interrupt>),
    Retired(Option<Vec<(String, u32)>>),
    Stragglers(Vec<(String, u32)>),
    Refused(String),
}

fn refused(error: impl Debug) -> Answer {
    Answer::Refused(format!("{error:?}"))
}

fn attach_refused(error: AttachError) -> Answer {
    match error {
        AttachError::SingleThreaded { holder } => {
            Answer::Refused(format!("held by {}", holder.name.unwrap()))
        }
        other => refused(other),
    }
}

fn named(stragglers: &[Straggler]) -> Vec<(String, u32)> {
    stragglers.iter().map(|s| (s.thread.name.clone().unwrap(), s.depth)).collect()
}

struct Command {
    op: Op,
    tsrm: Runtime,
    fail: Option<Fail>,
}

/// What a thread does outside an attach, or in one that it does not look at.
fn anywhere(op: Op, tsrm: Runtime, made: &mut Option<Made>) -> Answer {
    match op {
        Op::Register(module) => match tsrm.register(MODULES[module]) {
            Ok(()) => Answer::Done,
            Err(error) => refused(error),
        },
        Op::Retire(module) => match tsrm.retire(MODULES[module], Duration::ZERO) {
            Ok(Retired::Done) => Answer::Retired(None),
            Ok(Retired::Retiring { threads }) => Answer::Retired(Some(named(&threads))),
            Err(error) => refused(error),
        },
        Op::AddResource(slot) => match tsrm.register_resource("canary", CONSTRUCTORS[slot]) {
            Ok(resource) => {
                *made = Some(Made::Resource(resource));
                Answer::Done
            }
            Err(error) => refused(error),
        },
        Op::Release(_, resource) => Answer::Flag(resource.release()),
        Op::Quiesce => match tsrm.quiesce(Duration::ZERO) {
            Ok(()) => Answer::Done,
            Err(QuiesceError::Busy { threads }) => Answer::Stragglers(named(&threads)),
            Err(error) => refused(error),
        },
        Op::Detach => match tsrm.detach() {
            Ok(()) => Answer::Done,
            Err(error) => refused(error),
        },
        Op::Shutdown => match tsrm.shutdown(Duration::ZERO) {
            Ok(report) => {
                assert!(report.unfinished.is_empty());
                Answer::Stragglers(named(&report.stragglers))
            }
            Err(error) => refused(error),
        },
        Op::Start(modules) => match Runtime::start(modules.iter().map(|m| MODULES[*m])) {
            Ok(tsrm) => {
                *made = Some(Made::Runtime(tsrm));
                Answer::Done
            }
            Err(error) => refused(error),
        },
        other => unreachable!("{other:?}"),
    }
}

/// What an operation made, for others to use.
#[derive(Clone, Copy, Debug)]
enum Made {
    Resource(Resource<Canary>),
    Runtime(Runtime),
}

fn find<'t>(place: Place, here: Attached<'t>) -> Result<&'t Canary, Answer> {
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

fn touch(canary: &Canary, write: Option<u64>) -> Answer {
    let value = canary.get();
    if let Some(write) = write {
        canary.value.store(write, Ordering::Relaxed);
    }
    Answer::Value(value)
}

fn for_each(place: Place, here: Attached<'_>) -> Answer {
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

/// A worker's side.
struct Side {
    inbox: Receiver<Command>,
    outbox: Sender<(Answer, Option<Made>)>,
}

enum End {
    Left,
    Exit,
}

impl Side {
    fn answer(&self, answer: Answer, made: Option<Made>) {
        let _ = self.outbox.send((answer, made));
    }

    fn next(&self) -> Option<Command> {
        let command = self.inbox.recv().ok()?;
        FAIL.set(command.fail);
        Some(command)
    }

    fn run(&self) {
        while let Some(Command { op, tsrm, .. }) = self.next() {
            let mut made = None;
            let answer = match op {
                Op::Exit => return,
                Op::Enter { is_request } => {
                    match catch_unwind(AssertUnwindSafe(|| self.enter(tsrm, is_request))) {
                        Ok(Ok(End::Exit)) => return,
                        Ok(Ok(End::Left)) => Answer::Left,
                        Ok(Err(refused)) => refused,
                        Err(payload) if payload.is::<Unwinds>() => Answer::Left,
                        Err(payload) => resume_unwind(payload),
                    }
                }
                Op::Touch(place, write) => tsrm
                    .try_attach(|here| find(place, here).map(|found| touch(found, write)))
                    .unwrap_or_else(|error| Err(attach_refused(error)))
                    .unwrap_or_else(|refused| refused),
                Op::Leave | Op::Unwind | Op::ForEach(_) | Op::TakeInterrupt => Answer::Gone,
                other => anywhere(other, tsrm, &mut made),
            };
            self.answer(answer, made);
        }
    }

    fn enter(&self, tsrm: Runtime, is_request: bool) -> Result<End, Answer> {
        let inside = |here: Attached<'_>| {
            self.answer(Answer::Entered, None);
            self.inside(here)
        };
        if is_request {
            tsrm.try_request(inside).map_err(|error| match error {
                RequestError::Attach(error) => attach_refused(error),
                other => refused(other),
            })
        } else {
            tsrm.try_attach(inside).map_err(attach_refused)
        }
    }

    fn inside(&self, here: Attached<'_>) -> End {
        // All that was ever seen in this attach has to stay.
        let mut held = Vec::new();
        while let Some(Command { op, tsrm, .. }) = self.next() {
            let mut made = None;
            let answer = match op {
                Op::Exit => return End::Exit,
                Op::Leave => {
                    held.iter().for_each(|(canary, kind): &(&Canary, Kind)| canary.check(*kind));
                    return End::Left;
                }
                Op::Unwind => resume_unwind(Box::new(Unwinds)),
                Op::Enter { is_request } => match self.enter(tsrm, is_request) {
                    Ok(End::Exit) => return End::Exit,
                    Ok(End::Left) => Answer::Left,
                    Err(refused) => refused,
                },
                Op::Touch(place, write) => match find(place, here) {
                    Ok(found) => {
                        held.push((found, found.kind));
                        touch(found, write)
                    }
                    Err(refused) => refused,
                },
                Op::ForEach(place) => for_each(place, here),
                Op::TakeInterrupt => Answer::Reason(here.take_interrupt()),
                other => anywhere(other, tsrm, &mut made),
            };
            held.iter().for_each(|(canary, kind)| canary.check(*kind));
            self.answer(answer, made);
        }
        End::Exit
    }
}

struct Unwinds;

struct Worker {
    commands: Sender<Command>,
    answers: Receiver<(Answer, Option<Made>)>,
    thread: JoinHandle<()>,
    name: String,
}

fn worker(who: usize, name: String) -> Worker {
    let (commands, inbox) = channel();
    let (outbox, answers) = channel();
    let builder = std::thread::Builder::new().name(name.clone());
    let thread = builder.spawn(move || {
        WHO.set(Some(who));
        Side { inbox, outbox }.run();
    });
    Worker { commands, answers, thread: thread.unwrap(), name }
}

/// xorshift: a seed names a run.
struct Random(u64);

impl Random {
    fn of_seed(seed: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) as usize % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

fn seeds(many: u64) -> impl Iterator<Item = u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let first = number("TSRM_MODEL_FIRST").unwrap_or(1);
    first..first + number("TSRM_MODEL_SEEDS").unwrap_or(many)
}

// ---------------------------------------------------------------------------------------------------------
// The oracle.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Up,
    Retiring,
    Closing,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Stopped,
    Running,
    ShuttingDown,
    Stopping,
}

/// One registration of a module.
#[derive(Debug)]
struct Registration {
    key: usize,
    module: M,
    generation: u32,
    state: State,
    up: u64,
    retired: u64,
    closed: u64,
    requires: Option<usize>,
    eager: u64,
    lazy: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Cached(usize, M),
    Resource(usize, usize),
}

impl Owner {
    fn kind(self) -> Kind {
        match self {
            Self::Cached(_, module) => Kind::Cached(module),
            Self::Resource(_, slot) => Kind::Resource(slot),
        }
    }
}

#[derive(Debug)]
struct Begun {
    key: usize,
    module: M,
    has_failed: bool,
    in_request: bool,
}

#[derive(Debug)]
struct Thread {
    who: usize,
    name: String,
    generation: u32,
    /// One per attach: whether it is a request.
    levels: Vec<bool>,
    called: bool,
    may_begin: bool,
    seen: u64,
    quiet: u64,
    begun: Vec<Begun>,
    /// In the order in which they were built.
    values: Vec<(Owner, u64)>,
    statics: [u64; 3],
    reason: Option<Interrupt>,
}

impl Thread {
    fn holds(&self, key: usize) -> bool {
        self.begun.iter().any(|begun| begun.key == key)
    }

    fn in_request(&self) -> bool {
        self.levels.contains(&true)
    }
}

struct Oracle {
    /// Of the present or last runtime.
    generation: u32,
    life: Life,
    changes: u64,
    next_key: usize,
    /// Registrations that are not forgotten, in order.
    list: Vec<Registration>,
    /// Registered threads, in order.
    threads: Vec<Thread>,
    /// Slot and whether it is there, by number.
    resources: Vec<(usize, bool)>,
    retired_in: [u32; 3],
    log: Vec<(usize, Event)>,
    fail: Option<Fail>,
    /// Who does the step.
    who: usize,
    name: String,
}

type Outcome<T> = Result<T, Answer>;

impl Oracle {
    fn new() -> Self {
        Self {
            generation: 0,
            life: Life::Stopped,
            changes: 0,
            next_key: 0,
            list: Vec::new(),
            threads: Vec::new(),
            resources: Vec::new(),
            retired_in: [u32::MAX; 3],
            log: Vec::new(),
            fail: None,
            who: 0,
            name: String::new(),
        }
    }

    fn note(&mut self, event: Event) {
        self.log.push((self.who, event));
    }

    fn fails(&mut self, what: Fail) -> bool {
        let fails = self.fail == Some(what);
        if fails {
            self.fail = None;
        }
        fails
    }

    /// The calling thread, if it is registered.
    fn me(&self) -> Option<usize> {
        self.threads.iter().position(|thread| thread.who == self.who)
    }

    fn is_running(&self, generation: u32) -> bool {
        self.life == Life::Running && self.generation == generation
    }

    fn modules_are_up(&self, generation: u32) -> bool {
        matches!(self.life, Life::Running | Life::ShuttingDown) && self.generation == generation
    }

    fn registration(&self, key: usize) -> Option<&Registration> {
        self.list.iter().find(|registration| registration.key == key)
    }

    fn state(&self, key: usize) -> State {
        self.registration(key).map_or(State::Down, |registration| registration.state)
    }

    /// Whether hooks of that registration run on a thread.
    fn runs_hooks(&self, generation: u32, key: usize) -> bool {
        self.modules_are_up(generation) && self.state(key) <= State::Retiring
    }

    fn serving(&mut self, module: M) -> Option<&mut Registration> {
        self.list.iter_mut().find(|r| r.module == module && r.state <= State::Retiring)
    }

    fn change(&mut self) -> u64 {
        self.changes += 1;
        self.threads.iter_mut().for_each(|thread| thread.called = true);
        self.changes
    }

    fn look(&mut self) {
        for thread in self.threads.iter_mut().filter(|thread| thread.levels.is_empty()) {
            thread.quiet = self.changes;
        }
    }

    fn is_quiet_since(&self, change: u64) -> bool {
        self.threads.iter().all(|thread| thread.quiet >= change)
    }

    /// Moves retired modules on.
    fn settle(&mut self) {
        loop {
            let next = self.list.iter().position(|r| match r.state {
                State::Up => false,
                State::Retiring => self.is_quiet_since(r.retired),
                State::Closing => self.is_quiet_since(r.closed),
                State::Down => !self.threads.iter().any(|thread| thread.holds(r.key)),
            });
            let Some(index) = next else { return };
            match self.list[index].state {
                State::Retiring => {
                    self.list[index].state = State::Closing;
                    self.list[index].closed = self.change();
                    self.look();
                }
                State::Closing => self.stop(index, true),
                _ => drop(self.list.remove(index)),
            }
        }
    }

    /// `module_shutdown`, then the shared values in reverse.
    fn stop(&mut self, index: usize, is_out_of_use: bool) {
        let Registration { module, requires, eager, lazy, .. } = self.list[index];
        let seen = requires.map_or(eager, |key| self.registration(key).unwrap().eager);
        self.note(Event::ModuleDown(module, seen));
        if is_out_of_use {
            if let Some(lazy) = lazy {
                self.note(Event::Dropped(Kind::Lazy(module), lazy));
            }
            self.note(Event::Dropped(Kind::Eager(module), eager));
        }
        self.list[index].state = State::Down;
    }

    /// A thread that was called does its part, at depth 0.
    fn visit(&mut self, index: usize) {
        if !self.threads[index].called {
            return;
        }
        let thread = &mut self.threads[index];
        (thread.called, thread.may_begin) = (false, true);
        let (seen, generation) = (thread.seen, thread.generation);
        let begun: Vec<_> = thread.begun.iter().map(|b| (b.key, b.module, b.has_failed)).collect();
        let going: Vec<_> = begun
            .into_iter()
            .filter(|(key, _, has_failed)| *has_failed || self.state(*key) > State::Up)
            .collect();
        for (key, module, has_failed) in going.iter().rev() {
            if !has_failed && self.runs_hooks(generation, *key) {
                self.note(Event::ThreadDown(*module, self.threads[index].statics[*module]));
            }
        }
        let (mut stays, mut goes) = (Vec::new(), Vec::new());
        for (owner, value) in std::mem::take(&mut self.threads[index].values) {
            let is_over = match owner {
                Owner::Cached(key, _) => going.iter().any(|(gone, ..)| *gone == key),
                Owner::Resource(number, _) => !self.resources[number].1,
            };
            if is_over { &mut goes } else { &mut stays }.push((owner, value));
        }
        self.threads[index].values = stays;
        for (owner, value) in goes.into_iter().rev() {
            self.note(Event::Dropped(owner.kind(), value));
        }
        // The statics of modules that came or went, but not of those that it has begun with.
        let thread = &self.threads[index];
        let has_changed =
            |r: &&Registration| (r.up > seen || r.retired > seen) && !thread.holds(r.key);
        let changed = self.list.iter().filter(has_changed).map(|r| r.module);
        let changed: Vec<_> = changed.chain(going.iter().map(|(_, module, _)| *module)).collect();
        for module in [A, B, C] {
            if changed.contains(&module) {
                let value = std::mem::take(&mut self.threads[index].statics[module]);
                self.note(Event::Dropped(Kind::Static(module), value));
            }
        }
        let upto = self.changes;
        let thread = &mut self.threads[index];
        thread.begun.retain(|begun| !going.iter().any(|(key, ..)| *key == begun.key));
        (thread.seen, thread.quiet) = (upto, upto);
    }

    /// A thread lets go of everything.
    fn leave(&mut self, index: usize) {
        let generation = self.threads[index].generation;
        let begun: Vec<_> = self.threads[index]
            .begun
            .iter()
            .filter(|begun| !begun.has_failed)
            .map(|begun| (begun.key, begun.module))
            .collect();
        for (key, module) in begun.into_iter().rev() {
            if self.runs_hooks(generation, key) {
                self.note(Event::ThreadDown(module, self.threads[index].statics[module]));
            }
        }
        let thread = self.threads.remove(index);
        for (owner, value) in thread.values.into_iter().rev() {
            self.note(Event::Dropped(owner.kind(), value));
        }
        for (module, value) in thread.statics.into_iter().enumerate() {
            self.note(Event::Dropped(Kind::Static(module), value));
        }
        self.settle();
    }

    fn attach(&mut self, handle: u32) -> Outcome<()> {
        if let Some(index) = self.me() {
            let generation = self.threads[index].generation;
            if !self.threads[index].levels.is_empty() {
                if handle != generation {
                    return Err(refused(AttachError::Stale));
                }
                self.threads[index].levels.push(false);
                return Ok(());
            }
            if self.is_running(generation) {
                if handle != generation {
                    return Err(refused(AttachError::Stale));
                }
                return self.arrive(index);
            }
            self.leave(index);
        }
        if !self.is_running(handle) {
            return Err(refused(AttachError::Stale));
        }
        if tsrm::SINGLE_THREADED
            && let Some(holder) = self.threads.first()
        {
            return Err(Answer::Refused(format!("held by {}", holder.name)));
        }
        self.threads.push(Thread {
            who: self.who,
            name: self.name.clone(),
            generation: handle,
            levels: Vec::new(),
            called: false,
            may_begin: true,
            seen: self.changes,
            quiet: self.changes,
            begun: Vec::new(),
            values: Vec::new(),
            statics: [0; 3],
            reason: None,
        });
        let index = self.threads.len() - 1;
        let arrived = self.arrive(index);
        if arrived.is_err() {
            self.leave(index);
        }
        arrived
    }

    fn arrive(&mut self, index: usize) -> Outcome<()> {
        self.answer_calls(index);
        self.threads[index].levels.push(false);
        if self.threads[index].may_begin {
            let generation = self.threads[index].generation;
            while let Some(key) = self.next_module(index, generation) {
                if let Err(refused) = self.begin(index, key) {
                    self.leave_level();
                    return Err(refused);
                }
            }
            self.threads[index].may_begin = false;
        }
        Ok(())
    }

    fn next_module(&self, index: usize, generation: u32) -> Option<usize> {
        let thread = &self.threads[index];
        let mut up =
            self.list.iter().filter(|r| r.generation == generation && r.state == State::Up);
        up.find(|r| !thread.holds(r.key)).map(|r| r.key)
    }

    /// A thread begins with a module, unless it has.
    fn begin(&mut self, index: usize, key: usize) -> Outcome<()> {
        let found = self.threads[index].begun.iter().position(|begun| begun.key == key);
        let registration = self.registration(key).unwrap();
        let (module, requires) = (registration.module, registration.requires);
        let at = match found {
            Some(at) if !self.threads[index].begun[at].has_failed => return Ok(()),
            Some(at) => at,
            None => {
                if let Some(required) = requires {
                    self.begin(index, required)?;
                }
                let begun = Begun { key, module, has_failed: false, in_request: false };
                self.threads[index].begun.push(begun);
                self.threads[index].begun.len() - 1
            }
        };
        if module == C {
            self.cached(index, key, module);
        }
        let fails = self.fails(Fail::Thread(module));
        self.threads[index].begun[at].has_failed = fails;
        if !fails {
            self.note(Event::ThreadUp(module));
            return Ok(());
        }
        self.note(Event::ThreadFails(module));
        self.threads[index].called = true;
        Err(hook_refused("Hook", module, "ThreadStartup"))
    }

    /// A thread's cached value, which is built if it is not there.
    fn cached(&mut self, index: usize, key: usize, module: M) -> &mut u64 {
        let owner = Owner::Cached(key, module);
        if !self.threads[index].values.iter().any(|(other, _)| *other == owner) {
            self.note(Event::Built(Kind::Cached(module)));
            self.threads[index].values.push((owner, 0));
        }
        self.value(index, owner)
    }

    fn value(&mut self, index: usize, owner: Owner) -> &mut u64 {
        let values = &mut self.threads[index].values;
        &mut values.iter_mut().find(|(other, _)| *other == owner).unwrap().1
    }

    /// The innermost attach ends.
    fn leave_level(&mut self) {
        let index = self.me().unwrap();
        if self.threads[index].levels.last() == Some(&true) {
            self.end_request(index);
        }
        let thread = &mut self.threads[index];
        thread.levels.pop();
        if !thread.levels.is_empty() {
            return;
        }
        let generation = thread.generation;
        if self.is_running(generation) {
            self.answer_calls(index);
        } else {
            self.leave(index);
        }
    }

    /// At depth 0: what the thread does may be what it is called for next.
    fn answer_calls(&mut self, index: usize) {
        while self.threads[index].called {
            self.visit(index);
            self.settle();
        }
    }

    fn end_request(&mut self, index: usize) {
        let generation = self.threads[index].generation;
        for at in (0..self.threads[index].begun.len()).rev() {
            let begun = &mut self.threads[index].begun[at];
            if std::mem::take(&mut begun.in_request) {
                let (key, module) = (begun.key, begun.module);
                if self.runs_hooks(generation, key) {
                    self.note(Event::RequestDown(module));
                }
            }
        }
        self.threads[index].reason = None;
    }

    fn enter(&mut self, handle: u32, is_request: bool) -> Outcome<Answer> {
        self.attach(handle)?;
        if is_request {
            let index = self.me().unwrap();
            let thread = &self.threads[index];
            let refusal = if thread.in_request() {
                Some(refused(RequestError::Nested))
            } else if !self.is_running(thread.generation) {
                Some(refused(AttachError::ShuttingDown))
            } else {
                None
            };
            if let Some(refusal) = refusal {
                self.leave_level();
                return Err(refusal);
            }
            *self.threads[index].levels.last_mut().unwrap() = true;
            for at in 0..self.threads[index].begun.len() {
                let Begun { key, module, has_failed, .. } = self.threads[index].begun[at];
                // One whose thread_startup has failed has nothing to begin with.
                if !has_failed && self.state(key) == State::Up {
                    self.note(Event::RequestUp(module));
                    self.threads[index].begun[at].in_request = true;
                }
            }
        }
        Ok(Answer::Entered)
    }

    fn not_there(&self, module: M, generation: u32) -> Answer {
        let was_retired = self.retired_in[module] == generation;
        refused((if was_retired { "retired" } else { "not started" }, NAMES[module]))
    }

    /// The value that the thread finds.
    fn find(&mut self, index: usize, place: Place) -> Outcome<&mut u64> {
        match place {
            Place::Static(module) => Ok(&mut self.threads[index].statics[module]),
            Place::Cached(module) => {
                let thread = &self.threads[index];
                let generation = thread.generation;
                let mut begun = thread.begun.iter().rev();
                let key = match begun.find(|begun| begun.module == module && !begun.has_failed) {
                    Some(begun) => begun.key,
                    None => {
                        let is_up = |r: &&Registration| {
                            r.module == module && r.generation == generation && r.state == State::Up
                        };
                        let Some(up) = self.list.iter().find(is_up) else {
                            return Err(self.not_there(module, generation));
                        };
                        let key = up.key;
                        self.begin(index, key)?;
                        key
                    }
                };
                Ok(self.cached(index, key, module))
            }
            Place::Eager(module) => {
                let missing = self.not_there(module, self.generation);
                self.serving(module).map(|r| &mut r.eager).ok_or(missing)
            }
            Place::Lazy(module) => {
                let missing = self.not_there(module, self.generation);
                let Some(serving) = self.serving(module) else { return Err(missing) };
                if serving.lazy.is_none() {
                    serving.lazy = Some(0);
                    self.note(Event::Built(Kind::Lazy(module)));
                }
                Ok(self.serving(module).unwrap().lazy.as_mut().unwrap())
            }
            Place::Resource(number, _) => {
                let (slot, is_there) = self.resources[number];
                let owner = Owner::Resource(number, slot);
                if !self.threads[index].values.iter().any(|(other, _)| *other == owner) {
                    if !is_there {
                        return Err(refused("released"));
                    }
                    if self.fails(Fail::Constructor) {
                        let error = "refused".into();
                        return Err(refused(ResourceError::Constructor {
                            resource: "canary",
                            error,
                        }));
                    }
                    self.note(Event::Built(Kind::Resource(slot)));
                    self.threads[index].values.push((owner, 0));
                }
                Ok(self.value(index, owner))
            }
        }
    }

    fn touch(&mut self, index: usize, place: Place, write: Option<u64>) -> Outcome<Answer> {
        let value = self.find(index, place)?;
        let old = *value;
        if let Some(write) = write {
            *value = write;
        }
        Ok(Answer::Value(old))
    }

    fn for_each(&self, place: Place) -> Answer {
        let mut values = Vec::new();
        // A module's values are found while it has a number.
        let key = |module: M| {
            let mut numbered = self.list.iter().filter(|r| r.state <= State::Retiring);
            numbered.rfind(|r| r.module == module).map(|r| r.key)
        };
        for thread in &self.threads {
            let owned = |wanted: Owner| {
                thread.values.iter().find(|(owner, _)| *owner == wanted).map(|(_, value)| *value)
            };
            let value = match place {
                Place::Static(module) => Some(thread.statics[module]),
                Place::Cached(module) => key(module).and_then(|k| owned(Owner::Cached(k, module))),
                Place::Resource(number, _) => {
                    owned(Owner::Resource(number, self.resources[number].0))
                }
                other => unreachable!("{other:?}"),
            };
            values.extend(value.map(|value| (thread.name.clone(), value)));
        }
        Answer::Values(values)
    }

    /// Brings a module up; it may be refused.
    fn bring_up(&mut self, module: M, generation: u32) -> Outcome<()> {
        let present = |r: &&Registration| r.generation == generation && r.state != State::Down;
        let mut others = self.list.iter().filter(present);
        if let Some(other) = others.find(|other| other.module == module) {
            return Err(refused(if other.state == State::Up {
                RegisterError::AlreadyRegistered(NAMES[module])
            } else {
                RegisterError::Retiring(NAMES[module])
            }));
        }
        let is_a = |r: &&Registration| r.module == A && r.state == State::Up;
        let required = self.list.iter().filter(present).find(is_a).map(|r| (r.key, r.eager));
        if module == B && required.is_none() {
            let (module, requires) = (NAMES[B], NAMES[A]);
            return Err(refused(RegisterError::Missing { module, requires }));
        }
        let required = required.filter(|_| module == B);
        self.retired_in[module] = u32::MAX;
        self.note(Event::Built(Kind::Eager(module)));
        let eager = required.map_or(0, |(_, eager)| eager);
        if self.fails(Fail::Module(module)) {
            self.note(Event::ModuleFails(module));
            self.note(Event::Dropped(Kind::Eager(module), eager));
            self.settle();
            return Err(hook_refused("Hook", module, "ModuleStartup"));
        }
        self.note(Event::ModuleUp(module));
        let (key, up) = (self.next_key, self.change());
        self.next_key += 1;
        self.list.push(Registration {
            key,
            module,
            generation,
            state: State::Up,
            up,
            retired: 0,
            closed: 0,
            requires: required.map(|(key, _)| key),
            eager,
            lazy: None,
        });
        Ok(())
    }

    /// As `retire` and `release` do, of the calling thread.
    fn come_by(&mut self) {
        if let Some(index) = self.me() {
            let thread = &self.threads[index];
            if thread.levels.is_empty() && self.is_running(thread.generation) {
                self.visit(index);
            }
        }
    }

    fn retire(&mut self, handle: u32, module: M) -> Outcome<Answer> {
        use tsrm::RetireError::{NeededBy, NotRegistered, NotRunning};
        if !self.is_running(handle) {
            return Err(refused(NotRunning));
        }
        let is_it = |r: &&Registration| r.module == module && r.generation == handle;
        let Some(found) = self.list.iter().rfind(is_it) else {
            if self.retired_in[module] == handle {
                return Ok(Answer::Retired(None));
            }
            return Err(refused(NotRegistered(NAMES[module])));
        };
        let key = found.key;
        if found.state == State::Up {
            let needs = |r: &&Registration| r.requires == Some(key) && r.state != State::Down;
            if let Some(other) = self.list.iter().find(needs) {
                let (module, by) = (NAMES[module], NAMES[other.module]);
                return Err(refused(NeededBy { module, by }));
            }
            let change = self.change();
            let found = self.list.iter_mut().find(|r| r.key == key).unwrap();
            (found.state, found.retired) = (State::Retiring, change);
            self.retired_in[module] = handle;
        }
        self.come_by();
        self.look();
        self.settle();
        let found = self.registration(key).map(|r| (r.state, r.retired.max(r.closed)));
        let (state, mark) = found.unwrap_or((State::Down, 0));
        let is_holder = |thread: &&mut Thread| {
            thread.holds(key) || (state != State::Down && thread.quiet < mark)
        };
        let mut holders = Vec::new();
        for thread in self.threads.iter_mut().filter(is_holder) {
            holders.push((thread.name.clone(), thread.levels.len() as u32));
            if thread.who != self.who && thread.in_request() && thread.reason.is_none() {
                thread.reason = Some(Interrupt::RETIRE);
            }
        }
        let is_done = state == State::Down && holders.is_empty();
        Ok(Answer::Retired((!is_done).then_some(holders)))
    }

    fn release(&mut self, number: usize) -> Answer {
        let (slot, was_there) = self.resources[number];
        self.resources[number].1 = false;
        if was_there {
            let owner = Owner::Resource(number, slot);
            let has = |thread: &&mut Thread| thread.values.iter().any(|(other, _)| *other == owner);
            self.threads.iter_mut().filter(has).for_each(|thread| thread.called = true);
        }
        self.come_by();
        self.settle();
        Answer::Flag(was_there)
    }

    fn my_depth(&self) -> u32 {
        self.me().map_or(0, |index| self.threads[index].levels.len() as u32)
    }

    fn stragglers(&self, which: impl Fn(&Thread) -> bool) -> Answer {
        let threads = self.threads.iter().filter(|thread| which(thread));
        Answer::Stragglers(threads.map(|t| (t.name.clone(), t.levels.len() as u32)).collect())
    }

    fn detach(&mut self, handle: u32) -> Outcome<Answer> {
        use tsrm::DetachError::{Attached, Stale};
        let depth = self.my_depth();
        match self.me() {
            None => {}
            Some(index) if self.threads[index].generation > handle => return Err(refused(Stale)),
            Some(_) if depth > 0 => return Err(refused(Attached { depth })),
            Some(index) => self.leave(index),
        }
        Ok(Answer::Done)
    }

    fn quiesce(&mut self, handle: u32) -> Outcome<Answer> {
        let depth = self.my_depth();
        if depth > 0 {
            return Err(refused(QuiesceError::Attached { depth }));
        }
        if !self.is_running(handle) {
            return Err(refused(QuiesceError::NotRunning));
        }
        let change = self.change();
        self.look();
        if self.is_quiet_since(change) {
            return Ok(Answer::Done);
        }
        // Who waits does its own part meanwhile; a straggler leaves.
        self.come_by();
        if let Some(index) = self.me().filter(|me| !self.is_running(self.threads[*me].generation)) {
            self.leave(index);
        }
        if self.is_quiet_since(change) {
            return Ok(Answer::Done);
        }
        Ok(self.stragglers(|thread| thread.quiet < change))
    }

    fn shutdown(&mut self, handle: u32) -> Outcome<Answer> {
        let depth = self.my_depth();
        if depth > 0 {
            let caller = tsrm::DetachError::Attached { depth };
            return Err(refused(ShutdownError::Caller(caller)));
        }
        if !self.is_running(handle) {
            return Err(refused(ShutdownError::NotRunning));
        }
        self.life = Life::ShuttingDown;
        for thread in self.threads.iter_mut().filter(|thread| thread.in_request()) {
            thread.reason.get_or_insert(Interrupt::SHUTDOWN);
        }
        self.detach(handle)?;
        let stragglers = self.stragglers(|thread| thread.generation == handle);
        self.stop_all(handle);
        Ok(stragglers)
    }

    fn stop_all(&mut self, generation: u32) {
        self.life = Life::Stopping;
        let change = self.change();
        let is_present = |r: &Registration| r.generation == generation && r.state != State::Down;
        for registration in self.list.iter_mut().filter(|r| is_present(r)) {
            registration.closed = change;
        }
        self.resources.iter_mut().for_each(|resource| resource.1 = false);
        self.look();
        let is_out_of_use = self.is_quiet_since(change);
        while let Some(index) = self.list.iter().rposition(is_present) {
            self.stop(index, is_out_of_use);
        }
        self.settle();
        self.life = Life::Stopped;
    }

    fn start(&mut self, modules: &[M]) -> Outcome<Answer> {
        if modules.contains(&B) && !modules.contains(&A) {
            let (module, requires) = (NAMES[B], NAMES[A]);
            return Err(refused(StartError::Missing { module, requires }));
        }
        if self.life != Life::Stopped {
            return Err(refused(StartError::AlreadyStarted));
        }
        self.generation += 1;
        let generation = self.generation;
        let mut order = modules.to_vec();
        if let Some(before) = modules.iter().position(|module| *module == B) {
            // A is brought up in front of B if it is listed behind it.
            let at = modules.iter().position(|module| *module == A).unwrap();
            if at > before {
                order.remove(at);
                order.insert(before, A);
            }
        }
        for module in order {
            if let Err(refusal) = self.bring_up(module, generation) {
                self.stop_all(generation);
                return Err(refusal);
            }
        }
        self.life = Life::Running;
        Ok(Answer::Done)
    }

    /// What the step answers.
    fn predict(&mut self, op: Op, handle: u32, made: Option<Made>) -> Answer {
        self.try_predict(op, handle, made).unwrap_or_else(|refused| refused)
    }

    fn try_predict(&mut self, op: Op, handle: u32, made: Option<Made>) -> Outcome<Answer> {
        match op {
            Op::Enter { is_request } => self.enter(handle, is_request),
            Op::Leave => {
                self.leave_level();
                Ok(Answer::Left)
            }
            Op::Unwind | Op::Exit => {
                while self.my_depth() > 0 {
                    self.leave_level();
                }
                if let (Op::Exit, Some(index)) = (op, self.me()) {
                    self.leave(index);
                }
                Ok(if matches!(op, Op::Exit) { Answer::Gone } else { Answer::Left })
            }
            Op::Touch(place, write) => {
                let is_outside = self.my_depth() == 0;
                if is_outside {
                    self.attach(handle)?;
                }
                let answer = self.touch(self.me().unwrap(), place, write);
                if is_outside {
                    self.leave_level();
                }
                answer
            }
            Op::ForEach(place) => Ok(self.for_each(place)),
            Op::TakeInterrupt => {
                let index = self.me().unwrap();
                Ok(Answer::Reason(self.threads[index].reason.take()))
            }
            Op::Register(module) => {
                if !self.is_running(handle) {
                    return Err(refused(RegisterError::NotRunning));
                }
                self.bring_up(module, handle).map(|()| Answer::Done)
            }
            Op::Retire(module) => self.retire(handle, module),
            Op::AddResource(slot) => {
                if !self.is_running(handle) {
                    return Err(refused(RegisterError::NotRunning));
                }
                assert!(made.is_some());
                self.resources.push((slot, true));
                Ok(Answer::Done)
            }
            Op::Release(number, _) => Ok(self.release(number)),
            Op::Quiesce => self.quiesce(handle),
            Op::Detach => self.detach(handle),
            Op::Shutdown => self.shutdown(handle),
            Op::Start(modules) => self.start(modules),
        }
    }
}

fn hook_refused(variant: &str, module: M, hook: &str) -> Answer {
    Answer::Refused(format!(
        "{variant}(HookError {{ module: {:?}, hook: {hook}, cause: Returned(\"refused\") }})",
        NAMES[module]
    ))
}

// ---------------------------------------------------------------------------------------------------------
// The runs.

struct Run {
    random: Random,
    workers: Vec<Worker>,
    spawned: usize,
    oracle: Oracle,
    /// All runtimes of this run, the last one last, with the oracle's generation.
    handles: Vec<(Runtime, u32)>,
    resources: Vec<Resource<Canary>>,
    steps: Vec<String>,
}

const WORKERS: usize = 3;
const STARTS: [&[M]; 6] = [&[A], &[A, B], &[C, A], &[B, C, A], &[], &[B]];

impl Run {
    fn new(seed: u64) -> Self {
        let oracle = Oracle::new();
        let mut run = Self {
            random: Random::of_seed(seed),
            workers: Vec::new(),
            spawned: 0,
            oracle,
            handles: Vec::new(),
            resources: Vec::new(),
            steps: Vec::new(),
        };
        for who in 0..WORKERS {
            let worker = run.spawn(who);
            run.workers.push(worker);
        }
        run
    }

    fn spawn(&mut self, who: usize) -> Worker {
        self.spawned += 1;
        worker(who, format!("w{who}.{}", self.spawned))
    }

    fn place(&mut self) -> Place {
        let module = self.random.below(3);
        match self.random.below(6) {
            0 => Place::Static(module),
            1 | 2 => Place::Cached(module),
            3 => Place::Eager(module),
            4 => Place::Lazy(module),
            _ if self.resources.is_empty() => Place::Cached(module),
            _ => {
                let number = self.number();
                Place::Resource(number, Some(self.resources[number]))
            }
        }
    }

    /// Mostly one of the last resources.
    fn number(&mut self) -> usize {
        let last = self.resources.len() - 1;
        last - self.random.below(last.min(3) + 1)
    }

    fn op(&mut self, who: usize) -> Op {
        let depth = self.oracle.threads.iter().find(|thread| thread.who == who);
        let depth = depth.map_or(0, |thread| thread.levels.len());
        if self.oracle.life == Life::Stopped && self.random.one_in(4) {
            return Op::Start(STARTS[self.random.below(STARTS.len())]);
        }
        let module = self.random.below(3);
        let shared = |op: usize, random: &mut Random| match op {
            0..=2 => Op::Register(module),
            3..=5 => Op::Retire(module),
            6 => Op::AddResource(random.below(3)),
            7 => Op::Quiesce,
            8 => Op::Start(STARTS[random.below(STARTS.len())]),
            _ => Op::Shutdown,
        };
        if self.random.one_in(12) && !self.resources.is_empty() {
            let number = self.number();
            return Op::Release(number, self.resources[number]);
        }
        if who == DRIVER || self.random.one_in(4) {
            let ops = if self.random.one_in(3) { 10 } else { 8 };
            let op = self.random.below(ops);
            return shared(op, &mut self.random);
        }
        let op = self.random.below(18);
        match op {
            0..=2 if depth < 3 => Op::Enter { is_request: self.random.one_in(3) },
            3 | 4 if depth > 0 => Op::Leave,
            5 => Op::Detach,
            6 if depth > 0 && self.random.one_in(2) => Op::Unwind,
            7 if self.random.one_in(3) => Op::Exit,
            8 if depth > 0 => Op::TakeInterrupt,
            9 if depth > 0 => match self.place() {
                Place::Eager(module) | Place::Lazy(module) => Op::ForEach(Place::Static(module)),
                place => Op::ForEach(place),
            },
            _ => {
                let place = self.place();
                let write = self.random.one_in(2).then(|| 1 + self.random.below(999) as u64);
                Op::Touch(place, write)
            }
        }
    }

    fn step(&mut self, who: usize, op: Op) -> Answer {
        let fail = self.random.one_in(6).then(|| match op {
            Op::Touch(Place::Cached(module), _) => Fail::Thread(module),
            Op::Touch(Place::Resource(..), _) => Fail::Constructor,
            Op::Register(module) => Fail::Module(module),
            Op::Start(_) => Fail::Module(self.random.below(3)),
            _ => Fail::Thread(self.random.below(3)),
        });
        // Mostly the present runtime.
        let last = self.handles.len() - 1;
        let at = if self.random.one_in(8) { self.random.below(last + 1) } else { last };
        let (tsrm, handle) = self.handles[at];
        self.step_with(who, op, fail, tsrm, handle)
    }

    fn step_with(
        &mut self,
        who: usize,
        op: Op,
        fail: Option<Fail>,
        tsrm: Runtime,
        handle: u32,
    ) -> Answer {
        self.steps.push(format!("{who}: {op:?} of runtime {handle}, failing {fail:?}"));
        let (answer, made) = if who == DRIVER {
            FAIL.set(fail);
            let mut made = None;
            let answer = anywhere(op, tsrm, &mut made);
            (answer, made)
        } else {
            self.workers[who].commands.send(Command { op, tsrm, fail }).unwrap();
            if matches!(op, Op::Exit) {
                let new = self.spawn(who);
                let old = std::mem::replace(&mut self.workers[who], new);
                self.oracle.name.clone_from(&old.name);
                old.thread.join().unwrap();
                (Answer::Gone, None)
            } else {
                self.workers[who].answers.recv().expect("the worker has ended")
            }
        };
        match made {
            Some(Made::Resource(resource)) => self.resources.push(resource),
            Some(Made::Runtime(tsrm)) => {
                self.handles.push((tsrm, self.oracle.generation + 1));
            }
            None => {}
        }
        self.oracle.who = who;
        self.oracle.fail = fail;
        if who != DRIVER {
            self.oracle.name.clone_from(&self.workers[who].name);
        }
        let expected = self.oracle.predict(op, handle, made);
        assert_eq!(answer, expected, "the answer");
        self.compare();
        answer
    }

    fn compare(&mut self) {
        let happened = normal(std::mem::take(&mut *LOG.lock().unwrap()));
        let predicted = normal(std::mem::take(&mut self.oracle.log));
        assert_eq!(happened, predicted, "what happened, and what should have");
        let Some((tsrm, generation)) = self.handles.last() else { return };
        let threads: Vec<_> =
            tsrm.threads().iter().map(|t| (t.name().unwrap().to_owned(), t.depth())).collect();
        let expected = self.oracle.stragglers(|thread| thread.generation == *generation);
        assert_eq!(Answer::Stragglers(threads), expected, "the threads");
        let report = tsrm.report();
        let states: Vec<_> = NAMES
            .iter()
            .map(|name| {
                let mut modules = report.modules.iter().filter(|module| module.name == *name);
                let module = modules.next().unwrap();
                assert!(modules.next().is_none());
                (module.started, module.retiring)
            })
            .collect();
        let expected: Vec<_> = [A, B, C]
            .iter()
            .map(|module| {
                let is_it = |r: &&Registration| {
                    r.module == *module && r.generation == *generation && r.state != State::Down
                };
                let state = self.oracle.list.iter().find(is_it).map(|r| r.state);
                (state == Some(State::Up), state.is_some_and(|state| state > State::Up))
            })
            .collect();
        assert_eq!(states, expected, "(started, retiring) of the modules");
        let values: usize = report.resources.iter().map(|resource| resource.values).sum();
        let is_resource = |(owner, _): &&(Owner, u64)| match owner {
            Owner::Resource(number, _) => self.oracle.resources[*number].1,
            Owner::Cached(..) => false,
        };
        let threads = self.oracle.threads.iter();
        let expected: usize =
            threads.map(|thread| thread.values.iter().filter(is_resource).count()).sum();
        assert_eq!(values, expected, "the values of resources");
    }

    fn whole(&mut self, steps: usize) {
        FAIL.set(None);
        let tsrm = Runtime::start([model_a::MODULE]).unwrap();
        self.handles.push((tsrm, 1));
        self.oracle.who = DRIVER;
        let started = self.oracle.start(&[A]);
        assert_eq!(started, Ok(Answer::Done));
        self.compare();
        for _ in 0..steps {
            let who = self.random.below(WORKERS + 1);
            let who = if who == WORKERS { DRIVER } else { who };
            let op = self.op(who);
            let answer = self.step(who, op);
            // What was refused is often tried again.
            let is_again =
                matches!((op, answer), (Op::Touch(..) | Op::Enter { .. }, Answer::Refused(_)));
            if is_again && self.random.one_in(2) {
                self.step(who, op);
            }
        }
        // Everybody goes; nothing is left but what had to leak.
        for who in 0..WORKERS {
            self.step(who, Op::Exit);
        }
        assert_eq!(self.oracle.threads.len(), 0);
        if self.oracle.life == Life::Running {
            let (tsrm, handle) = *self.handles.last().unwrap();
            self.step_with(DRIVER, Op::Shutdown, None, tsrm, handle);
        }
        assert_eq!(self.oracle.list.len(), 0);
    }
}

/// A thread drops the statics of modules that it has not begun with in no particular order.
fn normal(mut log: Vec<(usize, Event)>) -> Vec<(usize, Event)> {
    let is_static = |event: &(usize, Event)| matches!(event.1, Event::Dropped(Kind::Static(_), _));
    for run in log.chunk_by_mut(|one, two| is_static(one) && is_static(two)) {
        run.sort_unstable();
    }
    log
}

/// Shuts down whatever runs, so that other tests can start their own.
struct NoRuntime;

impl NoRuntime {
    fn now(tsrm: Runtime) -> Self {
        tsrm.detach().unwrap();
        assert!(tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean());
        Self
    }
}

impl Drop for NoRuntime {
    fn drop(&mut self) {
        WHO.set(None);
        if let Some(tsrm) = Runtime::current() {
            let _ = tsrm.shutdown(Duration::from_secs(5));
        }
    }
}

#[tsrm::test(model_a)]
fn against_an_oracle(tsrm: Runtime) {
    let _none = NoRuntime::now(tsrm);
    WHO.set(Some(DRIVER));
    LOG.lock().unwrap().clear();
    for seed in seeds(1200) {
        let mut run = Run::new(seed);
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run.whole(60))) {
            LOG.clear_poison();
            LOG.lock().unwrap().clear();
            println!("seed {seed} (TSRM_MODEL_SEEDS=1 TSRM_MODEL_FIRST={seed}):");
            run.steps.iter().for_each(|step| println!("  {step}"));
            resume_unwind(payload);
        }
        for worker in run.workers {
            drop(worker.commands);
            worker.thread.join().unwrap();
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Without an oracle, and all at once.

/// What was built and dropped.
#[derive(Debug)]
struct Books {
    built: AtomicU64,
    dropped: AtomicU64,
}

impl Books {
    const fn new() -> Self {
        Self { built: AtomicU64::new(0), dropped: AtomicU64::new(0) }
    }

    fn open(&self) -> u64 {
        self.built.load(Ordering::SeqCst) - self.dropped.load(Ordering::SeqCst)
    }
}

static THREADS_BOOKS: Books = Books::new();
static SHARED_BOOKS: Books = Books::new();
/// `module_startup` against `module_shutdown`.
static MODULES_BOOKS: Books = Books::new();

/// A value that knows its place, and is overwritten when it is dropped.
#[derive(Debug)]
struct Bird {
    song: [AtomicU64; 4],
    books: Option<&'static Books>,
}

impl Bird {
    /// In static storage, where nobody counts.
    const fn uncounted(place: u64) -> Self {
        let song = [const { AtomicU64::new(0) }; 4];
        let mut bird = Self { song, books: None };
        let mut at = 0;
        while at < 4 {
            bird.song[at] = AtomicU64::new(place);
            at += 1;
        }
        bird
    }

    fn hatch(place: u64, books: &'static Books) -> Self {
        books.built.fetch_add(1, Ordering::SeqCst);
        let mut bird = Self::uncounted(place);
        bird.books = Some(books);
        bird
    }

    fn sings(&self, place: u64) {
        for tone in &self.song {
            assert_eq!(tone.load(Ordering::Relaxed), place, "dropped, or another's");
        }
    }
}

impl Drop for Bird {
    fn drop(&mut self) {
        let place = self.song[0].load(Ordering::Relaxed);
        self.sings(place);
        assert_ne!(place, DEAD, "dropped twice");
        self.song.iter().for_each(|tone| tone.store(DEAD, Ordering::Relaxed));
        if let Some(books) = self.books {
            books.dropped.fetch_add(1, Ordering::SeqCst);
        }
        whim();
    }
}

/// Whether shutdowns wait for nobody: then shared values may leak, and go while hooks run.
static IS_RUDE: AtomicBool = AtomicBool::new(false);

/// In a hook of a thread.
fn sings(found: Result<&Bird, AccessError>, place: u64) {
    match found {
        Ok(bird) => bird.sings(place),
        Err(error) => assert!(IS_RUDE.load(Ordering::SeqCst), "{error}"),
    }
}

thread_local! {
    /// How many of this thread's hooks succeed before one fails.
    static PATIENCE: Cell<u32> = const { Cell::new(u32::MAX) };
    /// What this thread's hooks and destructors do besides is as random; 0: nothing.
    static WHIMS: Cell<u64> = const { Cell::new(0) };
}

/// In hooks and destructors: sometimes something that has nothing to do with it.
fn whim() {
    let mut random = Random(WHIMS.replace(0));
    if random.0 == 0 {
        return;
    }
    if random.one_in(12)
        && let Some(tsrm) = Runtime::current()
    {
        let module = FREE[random.below(3)];
        let deadline = Duration::from_micros([0, 100][random.below(2)]);
        match random.below(9) {
            0 | 1 => drop(tsrm.register(module)),
            2 | 3 => drop(tsrm.retire(module, deadline)),
            4 => {
                let _ = free_c::CACHED.try_with(|bird| bird.sings(31));
            }
            5 => {
                let _ = free_b::LAZY.try_with(|bird| bird.sings(23));
            }
            6 => {
                if let Ok(resource) = tsrm.register_resource("bird", hatch) {
                    FREE_RESOURCES.lock().unwrap().push(resource);
                }
            }
            7 => {
                let resource = FREE_RESOURCES.lock().unwrap().pop();
                resource.map(Resource::release);
            }
            // From here never: this thread is inside something.
            _ => assert!(tsrm.shutdown(Duration::ZERO).is_err()),
        }
    }
    WHIMS.set(random.0);
}

macro_rules! free {
    ($(#[$attribute:meta])* $name:ident, $base:literal) => {
        $(#[$attribute])*
        mod $name {
            use super::*;

            #[global]
            pub(super) static STATIC: Bird = const { Bird::uncounted($base) };
            #[global]
            pub(super) static CACHED: Bird = Bird::hatch($base + 1, &THREADS_BOOKS);
            #[shared]
            pub(super) static EAGER: Bird = Bird::hatch($base + 2, &SHARED_BOOKS);
            #[shared(lazy)]
            pub(super) static LAZY: Bird = Bird::hatch($base + 3, &SHARED_BOOKS);

            #[module_startup]
            fn module_startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
                phase.shared(&EAGER).sings($base + 2);
                if $base == 20 {
                    phase.shared(&free_a::EAGER).sings(12);
                }
                whim();
                MODULES_BOOKS.built.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }

            #[module_shutdown]
            fn module_shutdown(phase: &mut tsrm::Shutdown<'_>) {
                phase.shared(&EAGER).sings($base + 2);
                if $base == 20 {
                    phase.shared(&free_a::EAGER).sings(12);
                }
                MODULES_BOOKS.dropped.fetch_add(1, Ordering::SeqCst);
                whim();
            }

            #[thread_startup]
            fn thread_startup(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
                CACHED.get(here).sings($base + 1);
                whim();
                let left = PATIENCE.get();
                PATIENCE.set(if left == 0 { 3 } else { left - 1 });
                if left == 0 { Err("impatient".into()) } else { Ok(()) }
            }

            #[thread_shutdown]
            fn thread_shutdown(here: tsrm::Attached<'_>) {
                whim();
                STATIC.get(here).sings($base);
                sings(CACHED.try_get(here), $base + 1);
                sings(EAGER.try_get(here), $base + 2);
                sings(LAZY.try_get(here), $base + 3);
                if $base == 20 {
                    sings(free_a::EAGER.try_get(here), 12);
                }
            }

            #[request_startup]
            fn request_startup(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
                sings(EAGER.try_get(here), $base + 2);
                Ok(())
            }

            #[request_shutdown]
            fn request_shutdown(here: tsrm::Attached<'_>) {
                whim();
                sings(EAGER.try_get(here), $base + 2);
                STATIC.get(here).sings($base);
            }
        }
    };
}

free!(
    #[tsrm::module]
    free_a,
    10
);
free!(
    #[tsrm::module(requires = ["free_a"])]
    free_b,
    20
);
free!(
    #[tsrm::module]
    free_c,
    30
);

const FREE: [Module; 3] = [free_a::MODULE, free_b::MODULE, free_c::MODULE];

static FREE_RESOURCES: Mutex<Vec<Resource<Bird>>> = Mutex::new(Vec::new());

fn hatch() -> Result<Bird, tsrm::Error> {
    Ok(Bird::hatch(40, &THREADS_BOOKS))
}

/// A thread that does what it likes.
struct Free {
    random: Random,
    is_rude: bool,
}

impl Free {
    fn live(&mut self, ops: usize) {
        PATIENCE.set(3 + self.random.below(30) as u32);
        WHIMS.set(self.random.0);
        for _ in 0..ops {
            let Some(tsrm) = Runtime::current() else {
                let _ = Runtime::start(FREE[..self.random.below(4)].iter().copied());
                continue;
            };
            match self.random.below(24) {
                0..=5 => {
                    let _ = tsrm.try_attach(|here| self.inside(tsrm, here, 1));
                }
                6..=8 => {
                    let _ = tsrm.try_request(|here| self.inside(tsrm, here, 1));
                }
                9 => {
                    let unwinds = catch_unwind(AssertUnwindSafe(|| {
                        tsrm.try_attach(|here| {
                            self.inside(tsrm, here, 1);
                            resume_unwind(Box::new(Unwinds))
                        })
                    }));
                    if let Err(payload) = unwinds {
                        assert!(payload.is::<Unwinds>(), "{:?}", payload.downcast_ref::<String>());
                    }
                }
                10 | 11 => {
                    let _ = free_a::CACHED.try_with(|bird| bird.sings(11));
                    let _ = free_c::LAZY.try_with(|bird| bird.sings(33));
                }
                12..=14 => {
                    let _ = tsrm.detach();
                }
                15 if self.random.one_in(4) => {
                    let patient = Duration::from_secs(600);
                    let deadline = if self.is_rude { Duration::ZERO } else { patient };
                    if let Ok(report) = tsrm.shutdown(deadline) {
                        assert!(self.is_rude || report.is_clean(), "{report}");
                    }
                }
                16 => {
                    let _ = tsrm.quiesce(self.deadline());
                }
                _ => self.modules(tsrm, false),
            }
            if tsrm::SINGLE_THREADED && self.random.one_in(2) {
                let _ = tsrm.detach();
            }
        }
    }

    fn deadline(&mut self) -> Duration {
        Duration::from_micros([0, 0, 50, 500][self.random.below(4)])
    }

    /// What may be done anywhere.
    fn modules(&mut self, tsrm: Runtime, is_inside: bool) {
        let module = FREE[self.random.below(3)];
        match self.random.below(8) {
            0..=2 => match tsrm.register(module) {
                Err(error @ (RegisterError::OutOfMemory | RegisterError::Exhausted)) => {
                    panic!("{error}")
                }
                Err(RegisterError::Hook(error)) => panic!("{error}"),
                _ => {}
            },
            3 | 4 => match tsrm.retire(module, self.deadline()) {
                // Inside it would be waited for: by itself.
                Ok(retired) => assert!(retired.is_done() || !retired.to_string().is_empty()),
                Err(tsrm::RetireError::Stopping(name)) => panic!("{name} is not stopped here"),
                Err(_) => {}
            },
            5 => {
                if let Ok(resource) = tsrm.register_resource("bird", hatch) {
                    FREE_RESOURCES.lock().unwrap().push(resource);
                }
            }
            6 => {
                let resource = {
                    let mut resources = FREE_RESOURCES.lock().unwrap();
                    if resources.len() > 4 { Some(resources.remove(0)) } else { None }
                };
                resource.map(Resource::release);
            }
            _ if is_inside => assert!(matches!(
                tsrm.shutdown(Duration::ZERO),
                Err(ShutdownError::Caller(_) | ShutdownError::NotRunning)
            )),
            _ => drop(tsrm.report()),
        }
    }

    fn inside(&mut self, tsrm: Runtime, here: Attached<'_>, depth: u32) {
        // All that was ever seen in this attach has to stay.
        let mut held: Vec<(&Bird, u64)> = Vec::new();
        for _ in 0..1 + self.random.below(6) {
            macro_rules! see {
                ($place:literal, $found:expr) => {
                    if let Ok(bird) = $found {
                        held.push((bird, $place));
                    }
                };
            }
            match self.random.below(24) {
                0 => see!(10, free_a::STATIC.try_get(here)),
                1 => see!(20, free_b::STATIC.try_get(here)),
                2 => see!(30, free_c::STATIC.try_get(here)),
                3 => see!(11, free_a::CACHED.try_get(here)),
                4 => see!(21, free_b::CACHED.try_get(here)),
                5 => see!(31, free_c::CACHED.try_get(here)),
                6 => see!(12, free_a::EAGER.try_get(here)),
                7 => see!(22, free_b::EAGER.try_get(here)),
                8 => see!(32, free_c::EAGER.try_get(here)),
                9 => see!(13, free_a::LAZY.try_get(here)),
                10 => see!(23, free_b::LAZY.try_get(here)),
                11 => see!(33, free_c::LAZY.try_get(here)),
                12..=14 => {
                    let resource = {
                        let resources = FREE_RESOURCES.lock().unwrap();
                        resources.get(self.random.below(resources.len().max(1))).copied()
                    };
                    if let Some(resource) = resource {
                        see!(40, resource.try_get(here));
                    }
                }
                15 => free_a::CACHED.for_each_thread(here, |_, bird| bird.sings(11)),
                16 => free_c::STATIC.for_each_thread(here, |_, bird| bird.sings(30)),
                17 => {
                    let resource = FREE_RESOURCES.lock().unwrap().last().copied();
                    if let Some(resource) = resource {
                        resource.for_each_thread(here, |_, bird| bird.sings(40));
                    }
                }
                18 if depth < 3 => {
                    let _ = tsrm.try_attach(|here| self.inside(tsrm, here, depth + 1));
                }
                19 if depth < 3 => {
                    let _ = tsrm.try_request(|here| self.inside(tsrm, here, depth + 1));
                }
                20 => std::thread::yield_now(),
                _ => self.modules(tsrm, true),
            }
            held.iter().for_each(|(bird, place)| bird.sings(*place));
        }
    }
}

/// One run: four threads, each of which ends and is followed by another one.
fn free_run(seed: u64) {
    const LIVES: u64 = 3;
    let is_rude = seed.is_multiple_of(3);
    IS_RUDE.store(is_rude, Ordering::SeqCst);
    let faults = Runtime::start(FREE).unwrap().report().faults;
    let (over, is_over) = channel();
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let over = over.clone();
            std::thread::spawn(move || {
                for life in 0..LIVES {
                    let random = Random::of_seed(seed * 1000 + number * LIVES + life);
                    let one = std::thread::spawn(move || Free { random, is_rude }.live(20));
                    if let Err(payload) = one.join() {
                        let _ = over.send(Err(payload));
                        return;
                    }
                }
                let _ = over.send(Ok(()));
            })
        })
        .collect();
    for _ in &threads {
        match is_over.recv_timeout(Duration::from_secs(300)) {
            Ok(Ok(())) => {}
            Ok(Err(payload)) => resume_unwind(payload),
            Err(_) => panic!("a thread hangs: {:#?}", Runtime::current().map(Runtime::report)),
        }
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let tsrm = Runtime::current().unwrap_or_else(|| Runtime::start([]).unwrap());
    assert!(tsrm.threads().is_empty());
    assert!(tsrm.shutdown(Duration::from_secs(300)).unwrap().is_clean());
    assert_eq!(tsrm.report().faults, faults, "an assertion of a hook or destructor failed");
    FREE_RESOURCES.lock().unwrap().clear();
    assert_eq!(THREADS_BOOKS.open(), 0, "values of threads that are gone");
    assert_eq!(MODULES_BOOKS.open(), 0, "modules that were not shut down");
    if is_rude {
        // What leaked is not looked for again.
        SHARED_BOOKS.dropped.fetch_add(SHARED_BOOKS.open(), Ordering::SeqCst);
    }
    assert_eq!(SHARED_BOOKS.open(), 0, "shared values");
}

#[tsrm::test(free_a)]
fn all_at_once(tsrm: Runtime) {
    let _none = NoRuntime::now(tsrm);
    for seed in seeds(300) {
        if let Err(payload) = catch_unwind(|| free_run(seed)) {
            println!("seed {seed} (TSRM_MODEL_SEEDS=1 TSRM_MODEL_FIRST={seed})");
            resume_unwind(payload);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// What the runs above have found, one by one.

#[tsrm::module]
mod detaching {
    use super::*;

    pub(super) static DETACHED: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[global]
    pub(super) static VALUE: Cell<u64> = Cell::new(0);

    #[module_shutdown]
    fn shutdown(phase: &mut tsrm::Shutdown<'_>) {
        assert!(phase.stragglers().is_empty());
        if let Some(tsrm) = Runtime::current() {
            DETACHED.lock().unwrap().push(format!("{:?}", tsrm.detach()));
        }
    }
}

/// A `module_shutdown` runs at depth 0, at the end of the attach that was the last one: the thread may be let
/// go of there.
#[tsrm::test(detaching)]
fn a_module_hook_that_detaches(tsrm: Runtime) {
    for round in 1..=20 {
        tsrm.attach(|here| {
            detaching::VALUE.set(here, 7);
            let retired = tsrm.retire(detaching::MODULE, Duration::ZERO).unwrap();
            assert!(!retired.is_done());
        });
        assert_eq!(*detaching::DETACHED.lock().unwrap(), vec!["Ok(())"; round]);
        assert!(tsrm.threads().is_empty());
        tsrm.register(detaching::MODULE).unwrap();
        tsrm.attach(|here| assert_eq!(detaching::VALUE.get(here).get(), 0));
    }
}

#[tsrm::module]
mod slowly {
    use super::*;

    /// What an initialiser says that it runs by, and waits for.
    pub(super) static HOLD: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);

    #[shared(lazy)]
    pub(super) static LAZY: Bird = {
        let held = HOLD.lock().unwrap().take();
        if let Some((there, go)) = held {
            there.send(()).unwrap();
            go.recv().unwrap();
        }
        Bird::hatch(50, &SHARED_BOOKS)
    };
}

/// The first use of a lazy value, in an attach that began behind the retire, while the module goes: the user
/// may keep it for as long as its attach, and nobody else finds it.
#[tsrm::test(slowly)]
fn a_lazy_value_built_while_its_module_goes(tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    tsrm.detach().unwrap();
    let before = SHARED_BOOKS.open();
    let (inside, is_inside) = channel();
    let (leave, may_leave) = channel::<()>();
    let (there, is_there) = channel();
    let (go, may_go) = channel();
    let (used, is_used) = channel();
    let (end, may_end) = channel::<()>();
    *slowly::HOLD.lock().unwrap() = Some((there, may_go));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            tsrm.attach(|_| {
                inside.send(()).unwrap();
                may_leave.recv().unwrap();
            });
            tsrm.detach().unwrap();
            inside.send(()).unwrap();
        });
        is_inside.recv().unwrap();
        assert!(!tsrm.retire(slowly::MODULE, Duration::ZERO).unwrap().is_done());
        scope.spawn(move || {
            tsrm.attach(|here| {
                let bird = slowly::LAZY.get(here);
                used.send(()).unwrap();
                may_end.recv().unwrap();
                bird.sings(50);
                let again = slowly::LAZY.try_get(here);
                assert!(matches!(again, Err(AccessError::ModuleRetired { .. })), "{again:?}");
                bird.sings(50);
            });
            tsrm.detach().unwrap();
        });
        is_there.recv().unwrap();
        // The last thread that the retire waits for: the value is out of reach before it is there.
        leave.send(()).unwrap();
        is_inside.recv().unwrap();
        go.send(()).unwrap();
        is_used.recv().unwrap();
        let found = slowly::LAZY.try_with(|_| ());
        assert!(matches!(found, Err(AccessError::ModuleRetired { .. })), "{found:?}");
        tsrm.detach().unwrap();
        assert!(!tsrm.retire(slowly::MODULE, Duration::ZERO).unwrap().is_done());
        assert_eq!(SHARED_BOOKS.open(), before + 1);
        end.send(()).unwrap();
    });
    assert!(tsrm.retire(slowly::MODULE, Duration::from_secs(600)).unwrap().is_done());
    assert_eq!(SHARED_BOOKS.open(), before);
    tsrm.register(slowly::MODULE).unwrap();
}
