//! Looking at the values of all threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, mpsc};

use tsrm::Runtime;

#[tsrm::module]
mod seen {
    use super::*;

    #[global]
    pub(super) static STATIC: AtomicU64 = const { AtomicU64::new(0) };

    #[global]
    pub(super) static CACHED: AtomicU64 = AtomicU64::new(100);
}

/// Listed by one test only, which therefore runs alone.
#[tsrm::module]
mod alone {}

#[tsrm::test(seen, alone)]
fn every_value_once(tsrm: Runtime) {
    let others = if tsrm::SINGLE_THREADED { 0 } else { 4 };
    let (ready, go) = (Barrier::new(others + 1), Barrier::new(others + 1));
    tsrm::thread::scope(|scope| {
        for number in 1..=others as u64 {
            let (ready, go) = (&ready, &go);
            scope.spawn(move |here| {
                seen::STATIC.get(here).store(number, Ordering::Relaxed);
                // Every other thread never builds its cached value.
                if number % 2 == 0 {
                    seen::CACHED.get(here).fetch_add(number, Ordering::Relaxed);
                }
                ready.wait();
                go.wait();
            });
        }
        ready.wait();
        tsrm.attach(|here| {
            seen::STATIC.get(here).store(9, Ordering::Relaxed);
            let mut statics = Vec::new();
            seen::STATIC.for_each_thread(here, |thread, value| {
                statics.push((thread.id(), value.load(Ordering::Relaxed)));
            });
            assert!(statics.is_sorted_by_key(|(id, _)| *id), "{statics:?}");
            let mut values: Vec<_> = statics.iter().map(|(_, value)| *value).collect();
            values.sort_unstable();
            assert_eq!(values, if others == 0 { vec![9] } else { vec![1, 2, 3, 4, 9] });
            let mut cached = Vec::new();
            seen::CACHED
                .for_each_thread(here, |_, value| cached.push(value.load(Ordering::Relaxed)));
            cached.sort_unstable();
            assert_eq!(cached, if others == 0 { vec![] } else { vec![102, 104] });
        });
        go.wait();
    });
}

#[tsrm::test(seen)]
fn a_reader_holds_back_the_drop(tsrm: Runtime) {
    #[tsrm::module]
    mod held {
        use super::*;

        pub(super) struct Value(pub(super) AtomicU64);

        impl Drop for Value {
            fn drop(&mut self) {
                // What the reader would see.
                self.0.store(u64::MAX, Ordering::Relaxed);
            }
        }

        #[global]
        pub(super) static VALUE: Value = const { Value(AtomicU64::new(0)) };
    }
    if tsrm::SINGLE_THREADED {
        return;
    }
    let (registered, is_registered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel::<()>();
    let leaver = std::thread::spawn(move || {
        tsrm.attach(|here| held::VALUE.get(here).0.store(5, Ordering::Relaxed));
        registered.send(()).unwrap();
        may_leave.recv().unwrap();
        tsrm.detach().unwrap();
    });
    is_registered.recv().unwrap();
    tsrm.attach(|here| {
        let own = here.thread().id();
        held::VALUE.for_each_thread(here, |thread, value| {
            if thread.id() == own || value.0.load(Ordering::Relaxed) != 5 {
                return;
            }
            // The other thread is told to leave while it is looked at. It gets as far as draining.
            leave.send(()).unwrap();
            while thread.state() != tsrm::thread::ThreadState::Draining {
                std::thread::yield_now();
            }
            for _ in 0..1000 {
                std::thread::yield_now();
                assert_eq!(value.0.load(Ordering::Relaxed), 5);
            }
        });
    });
    leaver.join().unwrap();
}

#[tsrm::test(seen)]
fn readers_during_thread_churn(tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    let workers = 200;
    std::thread::scope(|scope| {
        let churn = scope.spawn(move || {
            for _ in 0..workers {
                tsrm::thread::spawn(|here| {
                    seen::CACHED.get(here).fetch_add(1, Ordering::Relaxed);
                    seen::STATIC.get(here).fetch_add(1, Ordering::Relaxed);
                })
                .join()
                .unwrap();
            }
        });
        while !churn.is_finished() {
            tsrm.attach(|here| {
                seen::CACHED.for_each_thread(here, |_, value| {
                    let value = value.load(Ordering::Relaxed);
                    assert!((100..110).contains(&value), "{value}");
                });
                seen::STATIC.for_each_thread(here, |_, value| {
                    let value = value.load(Ordering::Relaxed);
                    assert!(value < 10, "{value}");
                });
            });
        }
    });
}

#[tsrm::test(seen)]
fn a_panic_inside_lets_go(tsrm: Runtime) {
    tsrm.attach(|here| {
        seen::STATIC.get(here);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            seen::STATIC.for_each_thread(here, |_, _| panic!("looked at"));
        }));
        assert!(panicked.is_err());
    });
    // Would wait for ever for a pin that was left behind.
    tsrm.detach().unwrap();
}
