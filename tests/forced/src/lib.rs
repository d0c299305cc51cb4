//! A build can force the storage of every global. Whatever it is, the program behaves the same.
//!
//! A package of its own, built once for each: `cargo test -p tsrm-forced --features force-table`.
#![forbid(unsafe_code)]
#![cfg(test)]

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tsrm::{Runtime, Storage};

static DROPPED: AtomicU32 = AtomicU32::new(0);

/// Counts its end.
struct Counted(Cell<u32>);

impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

#[tsrm::module]
mod forced {
    use super::*;

    #[global]
    pub(super) static CONSTANT: Counted = const { Counted(Cell::new(7)) };

    #[global]
    pub(super) static BUILT: Rc<Counted> = Rc::new(Counted(Cell::new(9)));

    #[global]
    pub(super) static SEEN: AtomicU32 = const { AtomicU32::new(0) };
}

fn expected() -> [Storage; 3] {
    match (cfg!(feature = "force-table"), cfg!(feature = "force-cached")) {
        (true, _) => [Storage::Table; 3],
        (false, true) => [Storage::Cached; 3],
        (false, false) => [Storage::Static, Storage::Cached, Storage::Static],
    }
}

#[test]
fn every_storage_behaves_the_same() {
    let tsrm = Runtime::start([forced::MODULE]).unwrap();
    println!("storage: {:?}", expected());
    let report = tsrm.report();
    let module = report.modules.iter().find(|module| module.name == "forced").unwrap();
    let storages: Vec<_> = module.globals.iter().map(|global| global.storage).collect();
    assert_eq!(storages, expected());

    for round in 1..=3 {
        tsrm.attach(|here| {
            assert_eq!(forced::CONSTANT.get(here).0.replace(70), 7, "fresh in round {round}");
            assert_eq!(forced::BUILT.get(here).0.replace(90), 9);
            forced::SEEN.get(here).store(round, Ordering::Relaxed);
        });
        tsrm.attach(|here| {
            assert_eq!(forced::CONSTANT.get(here).0.get(), 70);
            assert_eq!(forced::BUILT.get(here).0.get(), 90);
            assert_eq!(forced::CONSTANT.try_with_attached(|value| value.0.get()), Some(70));
            let mut seen = Vec::new();
            forced::SEEN.for_each_thread(here, |_, value| seen.push(value.load(Ordering::Relaxed)));
            assert_eq!(seen, [round]);
        });
        tsrm.detach().unwrap();
        assert_eq!(DROPPED.swap(0, Ordering::Relaxed), 2);
    }

    tsrm.attach(|here| {
        forced::CONSTANT.get(here).0.set(1);
        forced::BUILT.get(here).0.set(1);
    });
    assert!(tsrm.retire(forced::MODULE, Duration::from_secs(60)).unwrap().is_done());
    assert_eq!(DROPPED.swap(0, Ordering::Relaxed), 2);
    tsrm.register(forced::MODULE).unwrap();
    tsrm.attach(|here| {
        assert_eq!(forced::CONSTANT.get(here).0.get(), 7);
        assert_eq!(forced::BUILT.get(here).0.get(), 9);
    });
    assert!(tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean());
}
