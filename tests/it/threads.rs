//! Many threads, threads that end in all ways, threads that are spawned by this crate.

use std::cell::Cell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use tsrm::Runtime;
use tsrm_tests::{Ledger, Tracked};

#[tsrm::module]
mod many {
    use super::*;

    pub(super) static CACHED_LEDGER: Ledger = Ledger::new();
    pub(super) static STATIC_LEDGER: Ledger = Ledger::new();
    pub(super) static BORN: AtomicUsize = AtomicUsize::new(0);
    pub(super) static DEAD: AtomicUsize = AtomicUsize::new(0);

    #[global]
    pub(super) static CACHED: Tracked = Tracked::new(&CACHED_LEDGER);
    #[global]
    pub(super) static STATIC: Tracked = const { Tracked::uncounted(&STATIC_LEDGER) };

    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        BORN.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        DEAD.fetch_add(1, Ordering::SeqCst);
    }
}

/// What the ledgers say: built, dropped, dropped statics, hooks.
fn books() -> [usize; 5] {
    let (built, dropped) = many::CACHED_LEDGER.both();
    let hooks = [&many::BORN, &many::DEAD].map(|count| count.load(Ordering::SeqCst));
    [built, dropped, many::STATIC_LEDGER.dropped(), hooks[0], hooks[1]]
}

#[tsrm::module]
mod alone_1 {}
#[tsrm::module]
mod alone_2 {}
#[tsrm::module]
mod alone_3 {}
#[tsrm::module]
mod alone_4 {}

#[tsrm::test(many, alone_1)]
fn ten_thousand_one_after_another(tsrm: Runtime) {
    let before = books();
    let count = 10_000;
    for _ in 0..count {
        // Without a detach: the exit guard does it, before `join` returns.
        std::thread::spawn(move || {
            tsrm.attach(|here| {
                assert_eq!(many::CACHED.get(here).cell.replace(1), 0);
                assert_eq!(many::STATIC.get(here).cell.replace(1), 0);
            });
        })
        .join()
        .unwrap();
    }
    assert_eq!(books(), before.map(|was| was + count));
    assert_eq!(tsrm.report().threads.len(), 0);
}

#[tsrm::test(many, alone_2)]
fn thousands_at_once(tsrm: Runtime) {
    let count = if tsrm::SINGLE_THREADED { 1 } else { 4_096 };
    let before = books();
    let attached = Barrier::new(count + 1);
    let seen = Barrier::new(count + 1);
    tsrm::thread::scope(|scope| {
        for number in 0..count as u64 {
            let (attached, seen) = (&attached, &seen);
            let builder = tsrm::thread::Builder::new().stack_size(64 * 1024);
            let spawned = builder.spawn_scoped(scope, move |here| {
                many::CACHED.get(here).cell.set(number);
                many::STATIC.get(here).cell.set(number);
                attached.wait();
                seen.wait();
                assert_eq!(many::CACHED.get(here).cell.get(), number);
                assert_eq!(many::STATIC.get(here).cell.get(), number);
            });
            spawned.unwrap();
        }
        attached.wait();
        let report = tsrm.report();
        assert_eq!(report.threads.len(), count);
        let module = &report.modules[0];
        let values: Vec<_> = module.globals.iter().map(|global| global.values).collect();
        assert_eq!((module.name, values), ("many", vec![count, count]));
        seen.wait();
    });
    // Exact right after the scope: these threads detach before their end can be seen.
    assert_eq!(books(), before.map(|was| was + count));
    assert_eq!(tsrm.report().threads.len(), 0);
}

#[tsrm::test(many, alone_3)]
fn one_of_four_exits(tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    let (attached, gone) = (Barrier::new(4), Barrier::new(4));
    let before = books();
    tsrm::thread::scope(|scope| {
        let stay = |number: u64| {
            let (attached, gone) = (&attached, &gone);
            scope.spawn(move |here| {
                many::STATIC.get(here).cell.set(number);
                many::CACHED.get(here).cell.set(number);
                attached.wait();
                gone.wait();
                assert_eq!(many::STATIC.get(here).cell.get(), number);
                assert_eq!(many::CACHED.get(here).cell.get(), number);
            });
        };
        (1..=3).for_each(stay);
        let leaver = std::thread::spawn(move || {
            tsrm.attach(|here| many::CACHED.get(here).cell.set(4));
        });
        attached.wait();
        leaver.join().unwrap();
        let now = books();
        assert_eq!((now[1], now[2]), (before[1] + 1, before[2] + 1));
        gone.wait();
    });
    assert_eq!(books(), before.map(|was| was + 4));
}

#[tsrm::test(many, alone_4)]
fn threads_that_end_in_all_ways(tsrm: Runtime) {
    let before = books();
    let touch = move || {
        tsrm.attach(|here| {
            many::CACHED.get(here);
            many::STATIC.get(here);
        });
    };
    // Detached, and again.
    let thread = std::thread::spawn(move || {
        touch();
        tsrm.detach().unwrap();
        touch();
    });
    thread.join().unwrap();
    assert_eq!(books(), before.map(|was| was + 2));
    // By a panic, at depth 0 and inside two attaches.
    let outside = move || {
        touch();
        panic!("outside")
    };
    assert!(std::thread::spawn::<_, ()>(outside).join().is_err());
    let inside = move || {
        tsrm.attach(|here| {
            tsrm.attach(|_| {
                many::CACHED.get(here);
                panic!("inside")
            })
        })
    };
    assert!(std::thread::spawn::<_, ()>(inside).join().is_err());
    let ours = tsrm::thread::spawn(|here| {
        many::CACHED.get(here);
        panic!("ours")
    });
    assert!(ours.join().is_err());
    assert_eq!(books(), before.map(|was| was + 5));
    assert_eq!(tsrm.report().threads.len(), 0);
}

#[tsrm::test(many)]
fn spawned_threads_have_names(_tsrm: Runtime) {
    let named = tsrm::thread::Builder::new().name("worker 7");
    let label = named.spawn(|here| {
        let thread = here.thread();
        (thread.name().map(str::to_owned), thread.id())
    });
    let (name, id) = label.unwrap().join().unwrap();
    assert_eq!(name.as_deref(), Some("worker 7"));
    assert!(id.get() > 0);
}

#[tsrm::test(many)]
fn threads_that_cannot_be(_tsrm: Runtime) {
    let spawned = tsrm::thread::Builder::new().name("a\0b").spawn(|_| ());
    assert_eq!(spawned.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    let spawned = tsrm::thread::Builder::new().stack_size(usize::MAX).spawn(|_| ());
    assert!(spawned.is_err());
}

/// Attaches in its drop: at a thread's exit, before or after the exit guard.
struct LateComer(Runtime);

thread_local! {
    static EARLY: Cell<Option<LateComer>> = const { Cell::new(None) };
    static LATE: Cell<Option<LateComer>> = const { Cell::new(None) };
}

static LATE_ATTACHES: AtomicUsize = AtomicUsize::new(0);

impl Drop for LateComer {
    fn drop(&mut self) {
        let fresh = self.0.try_attach(|here| many::CACHED.get(here).cell.replace(1) == 0);
        assert!(fresh.is_ok(), "{fresh:?}");
        LATE_ATTACHES.fetch_add(1, Ordering::SeqCst);
    }
}

#[tsrm::module]
mod alone_5 {}

#[tsrm::test(many, alone_5)]
fn attaches_from_tls_destructors(tsrm: Runtime) {
    let before = books();
    std::thread::spawn(move || {
        // Registered first, so destroyed last: behind the exit guard.
        LATE.set(Some(LateComer(tsrm)));
        tsrm.attach(|here| many::CACHED.get(here).cell.set(1));
        EARLY.set(Some(LateComer(tsrm)));
    })
    .join()
    .unwrap();
    assert_eq!(LATE_ATTACHES.load(Ordering::SeqCst), 2);
    let now = books();
    // One registration until the guard ran, one behind it; each has been torn down.
    assert_eq!(now, before.map(|was| was + 2));
    assert_eq!(tsrm.report().threads.len(), 0);
}
