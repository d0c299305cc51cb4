//! What the random runs have found, one by one.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
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
