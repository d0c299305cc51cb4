//! Resources and other threads: readers, and those that release what others build.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};

use tsrm::{RegisterError, Resource, ResourceError, ResourceId, Runtime};
use tsrm_tests::{Ledger, Tracked};

use super::released;
use crate::shared::own::{Loud, Own, Worker, alone, log, logged, until};

alone!(a13 a14 a15 a16);

#[tsrm::test(a13)]
fn looked_at_on_every_thread(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let resource = tsrm.register_resource("seen", || Ok(AtomicU64::new(0))).unwrap();
    let workers = Worker::several(*tsrm, 4);
    for (number, worker) in (1..).zip(&workers) {
        worker.attach(move |here| resource.get(here).store(number, Ordering::Relaxed));
    }
    let look = move |here: tsrm::Attached<'_>| {
        let mut typed = Vec::new();
        resource.for_each_thread(here, |thread, value| {
            typed.push((thread.name().unwrap().to_owned(), value.load(Ordering::Relaxed)));
        });
        let mut raw = Vec::new();
        resource.id().for_each_thread(here, |thread, value| {
            // SAFETY: a value of that resource, alive during the call.
            let value = unsafe { value.cast::<AtomicU64>().as_ref() };
            raw.push((thread.name().unwrap().to_owned(), value.load(Ordering::Relaxed)));
        });
        assert_eq!(typed, raw);
        typed
    };
    let expected: Vec<_> =
        (1..=workers.len() as u64).map(|number| (format!("worker {number}"), number)).collect();
    assert_eq!(workers[0].attach(look), expected);
    // At depth 0 or released, as long as it is there.
    resource.release();
    assert_eq!(workers[0].attach(look).len(), expected.len() - 1);
}

#[tsrm::test(a14)]
fn a_reader_holds_back_the_drop_of_a_released_value(_tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    logged();
    let tsrm = Own::start([]).unwrap();
    let worker = Worker::new(*tsrm, "worker");
    let resource = tsrm.register_resource("loud", || Ok(Loud::new("loud"))).unwrap();
    worker.attach(move |here| resource.get(here).look());
    tsrm.attach(|here| {
        let thread = tsrm.threads()[0].clone();
        resource.for_each_thread(here, |_, value| {
            assert!(resource.release());
            let handle = *tsrm;
            let woken = worker.begin(move || handle.attach(|_| ()));
            until(|| thread.state() == tsrm::thread::ThreadState::Draining);
            for _ in 0..1_000 {
                std::thread::yield_now();
                assert_eq!(value.look(), "loud");
            }
            assert!(woken.try_recv().is_err(), "it waits for this reader");
            // A new one finds nothing, and does not have to wait either.
            let mut seen = 0;
            resource.for_each_thread(here, |_, _| seen += 1);
            assert_eq!(seen, 0);
        });
        worker.run(|| ());
    });
    assert_eq!(logged(), ["build loud", "drop loud"]);
}

static OWN_ID: AtomicU64 = AtomicU64::new(0);

fn release_own() -> bool {
    ResourceId::from_bits(OWN_ID.load(Ordering::SeqCst)).is_some_and(ResourceId::release)
}

/// Registers and releases others when it goes.
struct Restless(Runtime, Option<Resource<Loud>>);

impl Drop for Restless {
    fn drop(&mut self) {
        let released = self.1.map(Resource::release);
        let registered = self.0.register_resource("late", || Ok(1)).map(|late| late.release());
        let quiet = matches!(registered, Ok(true) | Err(RegisterError::ShuttingDown));
        log(format!("released {released:?}, quiet {quiet}"));
    }
}

thread_local! {
    static NEXT: Cell<Option<(Runtime, Resource<Loud>)>> = const { Cell::new(None) };
}

#[tsrm::test(a15)]
fn released_from_constructors_and_destructors(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    // Its own, in the middle of its constructor: the value goes as nobody has seen it.
    let own = tsrm.register_resource("own", || {
        let value = Loud::new("own");
        assert!(release_own());
        Ok(value)
    });
    let own = own.unwrap();
    OWN_ID.store(own.id().to_bits(), Ordering::SeqCst);
    tsrm.attach(|here| {
        assert_eq!(released(own.try_get(here)), own.id());
        assert_eq!(logged(), ["build own", "drop own"]);
        assert_eq!(released(own.try_get(here)), own.id());
        own.for_each_thread(here, |_, _| panic!("it has no values"));
    });
    // Another one, in a destructor.
    let loud = tsrm.register_resource("loud", || Ok(Loud::new("loud"))).unwrap();
    NEXT.set(Some((*tsrm, loud)));
    let restless = tsrm.register_resource("restless", || {
        let (tsrm, loud) = NEXT.take().unwrap();
        Ok(Restless(tsrm, Some(loud)))
    });
    let restless = restless.unwrap();
    tsrm.attach(|here| {
        loud.get(here).look();
        restless.get(here);
    });
    logged();
    restless.release();
    assert_eq!(logged(), ["released Some(true), quiet true", "drop loud"]);
    assert_eq!(tsrm.report().resources.len(), 0);
    // And where both are going already, with their thread.
    let loud = tsrm.register_resource("loud", || Ok(Loud::new("loud"))).unwrap();
    NEXT.set(Some((*tsrm, loud)));
    let restless = tsrm.register_resource("restless", || {
        let (tsrm, loud) = NEXT.take().unwrap();
        Ok(Restless(tsrm, Some(loud)))
    });
    let restless = restless.unwrap();
    tsrm.attach(|here| {
        loud.get(here).look();
        restless.get(here);
    });
    logged();
    tsrm.end();
    assert_eq!(logged(), ["released Some(true), quiet true", "drop loud"]);
}

#[tsrm::test(a16)]
fn released_while_others_build(_tsrm: Runtime) {
    static LEDGER: Ledger = Ledger::new();
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let count = if tsrm::SINGLE_THREADED { 1 } else { 4 };
    let before = LEDGER.both();
    let current: Mutex<Option<Resource<Tracked>>> = Mutex::new(None);
    let (here_all, done_all) = (Barrier::new(count + 1), Barrier::new(count + 1));
    let got = AtomicUsize::new(0);
    let rounds = 500;
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                handle.detach_after(|| {
                    for _ in 0..rounds {
                        here_all.wait();
                        let resource = current.lock().unwrap().unwrap();
                        handle.attach(|here| match resource.try_get(here) {
                            Ok(value) => {
                                assert_eq!(value.cell.replace(1), 0);
                                assert_eq!(resource.get(here).cell.get(), 1);
                                got.fetch_add(1, Ordering::SeqCst);
                            }
                            Err(ResourceError::Released(id)) => assert_eq!(id, resource.id()),
                            Err(other) => panic!("{other}"),
                        });
                        done_all.wait();
                    }
                });
            });
        }
        for _ in 0..rounds {
            let resource = handle.register_resource("raced", || Ok(Tracked::new(&LEDGER)));
            let resource = resource.unwrap();
            *current.lock().unwrap() = Some(resource);
            here_all.wait();
            assert!(resource.release());
            done_all.wait();
        }
    });
    let (built, dropped) = LEDGER.both();
    assert_eq!(built - before.0, dropped - before.1);
    assert!(built - before.0 >= got.into_inner());
    assert_eq!(tsrm.report().resources.len(), 0);
}
