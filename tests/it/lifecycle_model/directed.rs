//! What the random runs have found, one by one.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use tsrm::{AccessError, Runtime};

use super::free::{Bird, SHARED_BOOKS};

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

    #[shared(lazy)]
    pub(super) static LAZY: Bird = Bird::hatch(50, &SHARED_BOOKS);
}

/// The first use of a lazy value behind the retire of its module, in an attach from before: it is that
/// attach's to the end, and nobody else finds it.
#[tsrm::test(slowly)]
fn a_lazy_value_built_while_its_module_goes(tsrm: Runtime) {
    if tsrm::SINGLE_THREADED {
        return;
    }
    tsrm.detach().unwrap();
    let before = SHARED_BOOKS.open();
    let (inside, is_inside) = channel();
    let (use_it, may_use) = channel::<()>();
    let (used, is_used) = channel();
    let (end, may_end) = channel::<()>();
    let is_refused = move || {
        let found = tsrm.attach(|here| slowly::LAZY.try_get(here).map(|_| ()));
        tsrm.detach().unwrap();
        matches!(found, Err(AccessError::ModuleRetired { .. }))
    };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            tsrm.attach(|here| {
                inside.send(()).unwrap();
                may_use.recv().unwrap();
                let bird = slowly::LAZY.get(here);
                used.send(()).unwrap();
                may_end.recv().unwrap();
                bird.sings(50);
                assert!(std::ptr::eq(bird, slowly::LAZY.get(here)));
            });
            tsrm.detach().unwrap();
        });
        is_inside.recv().unwrap();
        assert!(!tsrm.retire(slowly::MODULE, Duration::ZERO).unwrap().is_down());
        assert!(is_refused());
        use_it.send(()).unwrap();
        is_used.recv().unwrap();
        assert!(is_refused());
        assert!(!tsrm.retire(slowly::MODULE, Duration::ZERO).unwrap().is_down());
        assert_eq!(SHARED_BOOKS.open(), before + 1);
        end.send(()).unwrap();
    });
    assert!(tsrm.retire(slowly::MODULE, Duration::from_secs(600)).unwrap().is_done());
    assert_eq!(SHARED_BOOKS.open(), before);
    tsrm.register(slowly::MODULE).unwrap();
}
