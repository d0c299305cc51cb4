//! Modules and resources that come and go in numbers, under threads that are busy all the time.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tsrm::{Attached, Module, RegisterError, ResourceId, RetireError, Runtime};

use super::shared::own::{LONG, Own, alone, until};

alone!(a1 a2 a3 a4 a5 a6 a7);

const ALIVE: u64 = 0x600d_600d_600d_600d;
const DEAD: u64 = 0xdead_dead_dead_dead;

/// Counts itself, and shows it when it is looked at after its end.
#[derive(Debug)]
struct Canary(AtomicU64);

static BUILT: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);

impl Canary {
    fn new() -> Self {
        BUILT.fetch_add(1, Ordering::Relaxed);
        Self(AtomicU64::new(ALIVE))
    }

    fn look(&self) {
        assert_eq!(self.0.load(Ordering::Relaxed), ALIVE);
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        assert_eq!(self.0.swap(DEAD, Ordering::Relaxed), ALIVE, "dropped twice");
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Built and not dropped.
fn alive() -> usize {
    let dropped = DROPPED.load(Ordering::SeqCst);
    BUILT.load(Ordering::SeqCst) - dropped
}

/// What the readers read all the time.
#[tsrm::module]
mod steady {
    use super::*;

    #[global]
    pub(super) static CACHED: (AtomicU64, Canary) = (AtomicU64::new(0), Canary::new());
    #[global]
    pub(super) static STATIC: AtomicU64 = const { AtomicU64::new(0) };
    #[shared]
    pub(super) static SHARED: Canary = Canary::new();
}

fn write_steady(here: Attached<'_>, number: u64) {
    steady::CACHED.get(here).0.store(number, Ordering::Relaxed);
    steady::STATIC.get(here).store(number, Ordering::Relaxed);
}

fn read_steady(here: Attached<'_>, number: u64) {
    let (value, canary) = steady::CACHED.get(here);
    assert_eq!(value.load(Ordering::Relaxed), number);
    canary.look();
    assert_eq!(steady::STATIC.get(here).load(Ordering::Relaxed), number);
    steady::SHARED.get(here).look();
}

macro_rules! plugs {
    ($($name:ident)*) => {
        $(
            #[tsrm::module]
            mod $name {
                use super::*;

                #[global]
                pub(super) static CACHED: Canary = Canary::new();
                #[global]
                pub(super) static STATIC: AtomicU64 = const { AtomicU64::new(ALIVE) };
                #[shared]
                pub(super) static SHARED: Canary = Canary::new();
            }
        )*
        const PLUGS: &[Module] = &[$($name::MODULE),*];

        /// Looks at what is there. What is there is right.
        fn look_at_plugs(here: Attached<'_>) -> usize {
            let mut found = 0;
            $(
                if let Ok(value) = $name::CACHED.try_get(here) {
                    value.look();
                    found += 1;
                }
                if let Ok(value) = $name::SHARED.try_get(here) {
                    value.look();
                }
                assert_eq!($name::STATIC.get(here).load(Ordering::Relaxed), ALIVE);
            )*
            found
        }

        /// Looks at what others have, which may go at any time, but not while it is looked at.
        fn look_at_everybodys_plugs(here: Attached<'_>) {
            $(
                $name::CACHED.for_each_thread(here, |_, value| value.look());
                $name::STATIC.for_each_thread(here, |_, value| {
                    assert_eq!(value.load(Ordering::Relaxed), ALIVE);
                });
            )*
        }
    };
}

plugs!(p01 p02 p03 p04 p05 p06 p07 p08 p09 p10 p11 p12 p13 p14 p15 p16 p17 p18 p19 p20 p21 p22 p23 p24
    p25);

#[tsrm::test(a1)]
fn a_thousand_late_registrations_under_readers(_tsrm: Runtime) {
    let rounds = 1_000 / PLUGS.len();
    let readers = if tsrm::SINGLE_THREADED { 1 } else { 64 };
    let before = alive();
    let tsrm = Own::start([steady::MODULE]).unwrap();
    let handle = *tsrm;
    let (stop, ready) = (AtomicBool::new(false), Barrier::new(readers + 1));
    let (reads, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let read = |number: u64| {
        let (mut longest, mut count) = (Duration::ZERO, 0);
        handle.detach_after(|| {
            handle.attach(|here| write_steady(here, number));
            ready.wait();
            while !stop.load(Ordering::Relaxed) {
                let before = Instant::now();
                handle.attach(|here| read_steady(here, number));
                longest = longest.max(before.elapsed());
                count += 1;
                // Some use what comes and goes, some do not, as it goes with plugins.
                if number % 4 == 1 {
                    found.fetch_add(handle.attach(look_at_plugs), Ordering::Relaxed);
                }
                if number % 16 == 2 || tsrm::SINGLE_THREADED {
                    handle.attach(look_at_everybodys_plugs);
                }
                std::thread::yield_now();
            }
        });
        reads.fetch_add(count, Ordering::Relaxed);
        longest
    };
    let longest = std::thread::scope(|scope| {
        let readers: Vec<_> =
            (1..=readers as u64).map(|number| scope.spawn(move || read(number))).collect();
        ready.wait();
        for _ in 0..rounds {
            for module in PLUGS {
                handle.register(*module).unwrap();
            }
            let uses = found.load(Ordering::Relaxed);
            until(|| found.load(Ordering::Relaxed) > uses);
            for module in PLUGS {
                let _ = handle.retire(*module, Duration::ZERO).unwrap();
            }
            for module in PLUGS {
                let retired = handle.retire(*module, LONG).unwrap();
                assert!(retired.is_done(), "{retired}");
            }
        }
        stop.store(true, Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().unwrap()).max()
    });
    println!(
        "{} registrations; {} reads, the longest {longest:?}; {} uses of what comes and goes",
        rounds * PLUGS.len(),
        reads.into_inner(),
        found.into_inner()
    );
    tsrm.end();
    assert_eq!(alive(), before);
}

#[tsrm::module]
mod plug {
    use super::*;

    pub(super) static BORN: AtomicUsize = AtomicUsize::new(0);
    pub(super) static GONE: AtomicUsize = AtomicUsize::new(0);

    #[global]
    pub(super) static CACHED: Canary = Canary::new();
    #[global]
    pub(super) static OTHER: Canary = Canary::new();
    #[shared]
    pub(super) static SHARED: Canary = Canary::new();
    #[shared(lazy)]
    pub(super) static LAZY: Canary = Canary::new();

    #[thread_startup]
    fn born(here: Attached<'_>) -> Result<(), tsrm::Error> {
        BORN.fetch_add(1, Ordering::Relaxed);
        SHARED.get(here).look();
        CACHED.get(here).look();
        Ok(())
    }

    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        GONE.fetch_add(1, Ordering::Relaxed);
        SHARED.get(here).look();
        CACHED.get(here).look();
    }

    /// How many hooks run just now.
    pub(super) static STOPPING: AtomicUsize = AtomicUsize::new(0);

    #[module_shutdown]
    fn down(phase: &mut tsrm::Shutdown<'_>) {
        STOPPING.fetch_add(1, Ordering::SeqCst);
        phase.shared(&SHARED).look();
        phase.shared(&LAZY).look();
        STOPPING.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tsrm::test(a2)]
fn ten_thousand_lives_of_one_module_under_busy_threads(_tsrm: Runtime) {
    let rounds = 10_000;
    let threads = if tsrm::SINGLE_THREADED { 1 } else { 16 };
    let before = alive();
    let tsrm = Own::start([steady::MODULE]).unwrap();
    let handle = *tsrm;
    let (stop, ready) = (AtomicBool::new(false), Barrier::new(threads + 1));
    let uses = AtomicUsize::new(0);
    let work = |number: u64| {
        let mut count = 0;
        handle.detach_after(|| {
            handle.attach(|here| write_steady(here, number));
            ready.wait();
            while !stop.load(Ordering::Relaxed) {
                handle.attach(|here| {
                    read_steady(here, number);
                    let held = plug::CACHED.try_get(here);
                    let other = plug::OTHER.try_get(here);
                    let shared = [plug::SHARED.try_get(here), plug::LAZY.try_get(here)];
                    // In the middle of the attach there is nothing that could take them away.
                    for value in [held, other].into_iter().chain(shared).flatten() {
                        value.look();
                        count += 1;
                    }
                });
                std::thread::yield_now();
            }
        });
        uses.fetch_add(count, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        (1..=threads as u64).for_each(|number| drop(scope.spawn(move || work(number))));
        ready.wait();
        for round in 0..rounds {
            let met = plug::BORN.load(Ordering::Relaxed);
            handle.register(plug::MODULE).unwrap();
            // So that nobody has an idle life.
            until(|| plug::BORN.load(Ordering::Relaxed) > met);
            // With patience and without.
            let patience = if round % 2 == 0 { LONG } else { Duration::ZERO };
            if !handle.retire(plug::MODULE, patience).unwrap().is_done() {
                assert!(handle.retire(plug::MODULE, LONG).unwrap().is_done());
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    println!("{rounds} lives, {} uses", uses.into_inner());
    tsrm.end();
    assert_eq!(alive(), before, "constructed equals dropped");
    // A thread that was found asleep does not run its hook: that would have been too late.
    let (born, gone) = (plug::BORN.load(Ordering::SeqCst), plug::GONE.load(Ordering::SeqCst));
    assert!(gone <= born, "{gone} of {born}");
}

/// The bytes of memory that this process has in use, where the system says so, and the allocator does not
/// keep what is freed, to find out who uses it.
pub(crate) fn resident() -> Option<usize> {
    if std::env::var_os("ASAN_OPTIONS").is_some() {
        return None;
    }
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(statm.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

#[tsrm::test(a3)]
fn a_thousand_thousand_resources_need_no_memory(_tsrm: Runtime) {
    let before = alive();
    let tsrm = Own::start([]).unwrap();
    let lives = |count: usize| {
        let mut highest = 0;
        for _ in 0..count {
            let resource = tsrm.register_resource("short", || Ok(Canary::new())).unwrap();
            tsrm.attach(|here| resource.get(here).look());
            assert!(resource.release());
            highest = highest.max(resource.id().to_bits() as u32);
        }
        highest
    };
    let highest = lives(10_000);
    let memory = resident();
    assert!(lives(990_000) <= highest, "places are used again");
    if let (Some(before), Some(after)) = (memory, resident()) {
        println!("a million resources: {} KiB more", after.saturating_sub(before) / 1024);
        assert!(after < before + (4 << 20), "{before} {after}");
    }
    assert_eq!(alive(), before);
}

#[tsrm::test(a4)]
fn thousands_of_lives_of_modules_need_no_memory(_tsrm: Runtime) {
    let before = alive();
    let tsrm = Own::start([]).unwrap();
    let lives = |count: usize| {
        let mut highest = 0;
        for _ in 0..count {
            tsrm.register(plug::MODULE).unwrap();
            tsrm.attach(|here| {
                plug::OTHER.get(here).look();
                plug::LAZY.get(here).look();
            });
            let marker = tsrm.register_resource("marker", || Ok(())).unwrap();
            highest = highest.max(marker.id().to_bits() as u32);
            marker.release();
            assert!(tsrm.retire(plug::MODULE, LONG).unwrap().is_done());
        }
        highest
    };
    let highest = lives(1_000);
    let memory = resident();
    assert!(lives(20_000) <= highest, "places are used again");
    if let (Some(before), Some(after)) = (memory, resident()) {
        assert!(after < before + (4 << 20), "{before} {after}");
    }
    tsrm.detach().unwrap();
    assert_eq!(alive(), before);
}

#[tsrm::test(a5)]
fn churn_of_threads_and_of_modules(_tsrm: Runtime) {
    let before = alive();
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let threads = if tsrm::SINGLE_THREADED { 1 } else { 8 };
    let stop = AtomicBool::new(false);
    let hooks = || [&plug::BORN, &plug::GONE].map(|count| count.load(Ordering::SeqCst));
    let hooks_before = hooks();
    std::thread::scope(|scope| {
        for number in 0..threads {
            let stop = &stop;
            scope.spawn(move || {
                for turn in 0.. {
                    handle.attach(|here| {
                        if let Ok(value) = plug::OTHER.try_get(here) {
                            value.look();
                        }
                    });
                    // Some stay longer than others.
                    if turn % (1 + number) == 0 {
                        handle.detach().unwrap();
                    }
                    if stop.load(Ordering::Relaxed) {
                        handle.detach().unwrap();
                        break;
                    }
                    std::thread::yield_now();
                }
            });
        }
        for _ in 0..1_000 {
            handle.register(plug::MODULE).unwrap();
            assert!(handle.retire(plug::MODULE, LONG).unwrap().is_done());
        }
        stop.store(true, Ordering::Relaxed);
    });
    let [born, gone] = hooks();
    assert_eq!(born - hooks_before[0], gone - hooks_before[1], "all were waited for");
    tsrm.end();
    assert_eq!(alive(), before);
}

#[tsrm::test(a6)]
fn a_shutdown_in_the_middle_of_churn(_tsrm: Runtime) {
    let before = alive();
    let shared = Own::start([]).unwrap();
    shared.end();
    let threads = if tsrm::SINGLE_THREADED { 1 } else { 3 };
    for round in 0..200 {
        let tsrm = Runtime::start([steady::MODULE]).unwrap();
        let go = Barrier::new(threads + 3);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    go.wait();
                    for _ in 0..20 {
                        let _ = tsrm.try_attach(|here| {
                            write_steady(here, 1);
                            read_steady(here, 1);
                            plug::OTHER.try_get(here).map(Canary::look).ok();
                            plug::LAZY.try_get(here).map(Canary::look).ok();
                        });
                    }
                    tsrm.detach().unwrap();
                });
            }
            scope.spawn(|| {
                go.wait();
                while !matches!(
                    tsrm.register(plug::MODULE),
                    Err(RegisterError::NotRunning | RegisterError::ShuttingDown)
                ) {
                    if let Err(error) = tsrm.retire(plug::MODULE, LONG) {
                        assert_eq!(error, RetireError::NotRunning);
                    }
                }
            });
            scope.spawn(|| {
                go.wait();
                while let Ok(resource) = tsrm.register_resource("raced", || Ok(Canary::new())) {
                    resource.release();
                    if tsrm.quiesce(LONG).is_err() {
                        break;
                    }
                }
            });
            go.wait();
            for _ in 0..round % 50 {
                std::thread::yield_now();
            }
            let report = tsrm.shutdown(LONG).unwrap();
            assert!(report.is_clean(), "{report}");
            assert_eq!(plug::STOPPING.load(Ordering::SeqCst), 0, "it waits for all hooks");
        });
        assert_eq!(Runtime::current(), None);
        assert_eq!(alive(), before, "round {round}");
    }
}

#[tsrm::test(a7)]
fn readers_during_churn_of_resources(_tsrm: Runtime) {
    let before = alive();
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let current = AtomicU64::new(0);
    let (stop, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
    let look = |here: Attached<'_>| {
        // This one, which may be over, and the same place's next use.
        let bits = current.load(Ordering::Relaxed);
        for bits in [bits, bits + (1 << 32)] {
            let Some(id) = ResourceId::from_bits(bits) else { continue };
            id.for_each_thread(here, |_, value| {
                // SAFETY: all resources of this test have such values.
                unsafe { value.cast::<Canary>().as_ref() }.look();
                seen.fetch_add(1, Ordering::Relaxed);
            });
        }
    };
    let cycle = |number: usize| {
        let resource = handle.register_resource("short", || Ok(Canary::new())).unwrap();
        current.store(resource.id().to_bits(), Ordering::Relaxed);
        handle.attach(|here| {
            resource.get(here).look();
            if tsrm::SINGLE_THREADED {
                look(here);
            } else if number.is_multiple_of(64) {
                let before = seen.load(Ordering::Relaxed);
                until(|| seen.load(Ordering::Relaxed) > before);
            }
        });
        assert!(resource.release());
    };
    std::thread::scope(|scope| {
        if !tsrm::SINGLE_THREADED {
            for _ in 0..2 {
                scope.spawn(|| {
                    handle.detach_after(|| {
                        while !stop.load(Ordering::Relaxed) {
                            handle.attach(look);
                        }
                    });
                });
            }
        }
        (0..10_000).for_each(cycle);
        stop.store(true, Ordering::Relaxed);
    });
    assert!(seen.into_inner() > 100);
    assert_eq!(alive(), before);
}
