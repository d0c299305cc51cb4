//! Shared values of each form: when they are built, filled and dropped.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use std::sync::atomic::{AtomicU32, Ordering};

static BUILT: AtomicU32 = AtomicU32::new(0);
static DROPPED: AtomicU32 = AtomicU32::new(0);

/// Counts.
#[derive(Debug)]
pub struct Counted(u32);

impl Counted {
    fn new() -> Self {
        Self(BUILT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

/// The module.
#[tsrm::module]
pub mod executor {
    use std::collections::HashMap;
    use std::sync::{Mutex, RwLock};

    use tsrm::{Error, Shutdown, Startup};

    use super::Counted;

    /// Built at the start.
    #[shared]
    pub static EAGER: Counted = Counted::new();

    /// Built by its first use.
    #[shared(lazy)]
    pub static LAZY: Counted = Counted::new();

    /// Built by nobody.
    #[tsrm::shared(lazy)]
    pub static UNUSED: Counted = Counted::new();

    /// Filled by the hook.
    #[tsrm::shared]
    pub static PRICES: RwLock<HashMap<u32, &'static str>> = RwLock::default();

    /// A constant, which is no other storage here.
    #[shared]
    pub static TITLES: Mutex<Vec<String>> = const { Mutex::new(Vec::new()) };

    /// A block.
    #[shared]
    pub static SUM: u32 = {
        let (one, two) = (1, 2);
        one + two
    };

    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        phase.shared_mut(&PRICES).get_mut().map_err(|_| "poisoned")?.insert(7, "seventy");
        let sum = *phase.shared(&SUM);
        phase.shared_mut(&TITLES).get_mut().unwrap().push(format!("{sum}"));
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        assert_eq!(phase.shared(&EAGER).0, 0);
        assert_eq!(super::DROPPED.load(super::Ordering::Relaxed), 0);
    }
}

use executor::{EAGER, LAZY, PRICES, SUM, TITLES};

fn main() -> Result<(), tsrm::StartError> {
    let built = || BUILT.load(Ordering::Relaxed);
    assert_eq!(built(), 0);
    let tsrm = tsrm::Runtime::start([executor::MODULE])?;
    assert_eq!(built(), 1);
    tsrm.attach(|here| {
        assert_eq!(EAGER.get(here).0, 0);
        assert_eq!(built(), 1);
        assert_eq!(LAZY.get(here).0, 1);
        assert_eq!(LAZY.try_get(here).unwrap().0, 1);
        assert_eq!(PRICES.get(here).read().unwrap()[&7], "seventy");
        TITLES.get(here).lock().unwrap().push(String::from("b"));
    });
    assert_eq!(built(), 2);
    assert_eq!(TITLES.with(|titles| titles.lock().unwrap().join(" ")), "3 b");
    assert!(matches!(SUM.try_with(|sum| *sum), Ok(3)));
    assert_eq!(format!("{EAGER:?}"), "Shared(executor::EAGER)");
    tsrm.detach().unwrap();
    assert!(tsrm.shutdown(std::time::Duration::from_secs(5)).unwrap().is_clean());
    assert_eq!(DROPPED.load(Ordering::Relaxed), 2);
    Ok(())
}
