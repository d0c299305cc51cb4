//! Without an oracle, and all at once: threads that do what they like, and values that count themselves and
//! notice when they are used after their drop, or for another's.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use tsrm::{AccessError, Attached, Module, RegisterError, Resource, Runtime, ShutdownError};

use super::{DEAD, NoRuntime, Random, Unwinds, seeds};

/// What was built and dropped.
#[derive(Debug)]
pub(super) struct Books {
    built: AtomicU64,
    dropped: AtomicU64,
}

impl Books {
    const fn new() -> Self {
        Self { built: AtomicU64::new(0), dropped: AtomicU64::new(0) }
    }

    pub(super) fn open(&self) -> u64 {
        self.built.load(Ordering::SeqCst) - self.dropped.load(Ordering::SeqCst)
    }
}

static THREADS_BOOKS: Books = Books::new();
pub(super) static SHARED_BOOKS: Books = Books::new();
/// `module_startup` against `module_shutdown`.
static MODULES_BOOKS: Books = Books::new();

/// A value that knows its place, and is overwritten when it is dropped.
#[derive(Debug)]
pub(super) struct Bird {
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

    pub(super) fn hatch(place: u64, books: &'static Books) -> Self {
        books.built.fetch_add(1, Ordering::SeqCst);
        let mut bird = Self::uncounted(place);
        bird.books = Some(books);
        bird
    }

    pub(super) fn sings(&self, place: u64) {
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
