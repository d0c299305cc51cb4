//! ATTACK: shared values and globals in the lists of two modules, and twice in one list. Each list
//! has its own value, which is dropped once, when nobody has a reference to it.
#![forbid(unsafe_code)]
#![deny(warnings)]

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tsrm::private::{GlobalRef, Hooks, ModuleDescriptor, SharedRef, declare_module};

static ALIVE: AtomicI64 = AtomicI64::new(0);

/// Counts those that are alive, and knows whether it is.
pub struct Counted(Box<u64>);

impl Counted {
    fn new() -> Self {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Self(Box::new(7))
    }

    #[track_caller]
    fn check(&self) {
        assert_eq!(*self.0, 7);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0 = 0;
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

#[tsrm::module]
mod executor {
    #[shared]
    pub static EAGER: super::Counted = super::Counted::new();

    #[shared(lazy)]
    pub static LAZY: super::Counted = super::Counted::new();

    #[global]
    pub static CACHED: super::Counted = super::Counted::new();
}

use tsrm::Attached;

use executor::{CACHED, EAGER, LAZY};

type Eager = executor::__TsrmMarker_EAGER;
type Lazy = executor::__TsrmMarker_LAZY;
type Cached = executor::__TsrmMarker_CACHED;

static FORGED: ModuleDescriptor = ModuleDescriptor::new(
    "forged",
    &[],
    &[GlobalRef::of::<Cached>(), GlobalRef::of::<Cached>()],
    &[SharedRef::of::<Eager>(), SharedRef::of::<Lazy>(), SharedRef::of::<Eager>()],
    &[],
    Hooks::NONE,
);

declare_module!(FORGED);

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let forged = tsrm::Module::new(|| &FORGED);
    let look = |here: Attached<'_>| {
        EAGER.get(here).check();
        LAZY.get(here).check();
        CACHED.get(here).check();
    };
    for (first, second) in [(forged, executor::MODULE), (executor::MODULE, forged)] {
        tsrm.attach(look);
        tsrm.register(forged).unwrap();
        tsrm.attach(look);
        tsrm.attach(|here| {
            look(here);
            let (eager, lazy, cached) = (EAGER.get(here), LAZY.get(here), CACHED.get(here));
            assert!(!tsrm.retire(first, Duration::ZERO).unwrap().is_done());
            eager.check();
            lazy.check();
            cached.check();
            look(here);
            assert!(!tsrm.retire(second, Duration::ZERO).unwrap().is_done());
            eager.check();
            lazy.check();
            cached.check();
        });
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
        tsrm.attach(|here| {
            assert!(EAGER.try_get(here).is_err());
            assert!(LAZY.try_get(here).is_err());
            assert!(CACHED.try_get(here).is_err());
        });
        tsrm.register(executor::MODULE).unwrap();
    }
    tsrm.attach(look);
    tsrm.detach().unwrap();
}
