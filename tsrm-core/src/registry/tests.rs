//! Numbers that run out (I10): what no test from outside could bring about.

use std::time::Duration;

use super::REGISTRY;
use crate::{RegisterError, Runtime, StartError};

#[tsrm::module]
mod numbered {
    #[global]
    pub(super) static TEXT: String = "text".to_owned();
}

/// The calling thread and the runtime are this test's alone.
#[test]
fn numbers_that_run_out() {
    let patience = Duration::from_secs(60);
    let tsrm = Runtime::start([]).unwrap();
    let first = tsrm.register_resource("first", || Ok(1)).unwrap();
    let limit = |limit| std::mem::replace(&mut REGISTRY.lock().places.limit, limit);

    // One place more, which a module of two cannot have.
    let before = limit(2);
    let refused = tsrm.register(numbered::MODULE);
    assert!(matches!(refused, Err(RegisterError::Exhausted)), "{refused:?}");
    let second = tsrm.register_resource("second", || Ok(2)).unwrap();
    let refused = tsrm.register_resource("third", || Ok(3));
    assert!(matches!(refused, Err(RegisterError::Exhausted)), "{refused:?}");
    tsrm.attach(|here| assert_eq!((*first.get(here), *second.get(here)), (1, 2)));

    // Nothing is half done: what is given back can be had again.
    assert!(second.release());
    tsrm.detach().unwrap();
    let third = tsrm.register_resource("third", || Ok(3)).unwrap();
    assert_eq!(third.id().to_bits() as u32, second.id().to_bits() as u32, "the same place");
    tsrm.attach(|here| {
        assert_eq!((*first.get(here), *third.get(here)), (1, 3));
        assert!(second.try_get(here).is_err());
    });
    limit(before);
    tsrm.register(numbered::MODULE).unwrap();
    tsrm.attach(|here| assert_eq!(numbered::TEXT.get(here), "text"));
    assert!(tsrm.shutdown(patience).unwrap().is_clean());

    // The last runtime of a process that has had so many.
    REGISTRY.lock().generation = u32::MAX - 1;
    let last = Runtime::start([numbered::MODULE]).unwrap();
    last.attach(|here| assert_eq!(numbered::TEXT.get(here), "text"));
    assert!(last.shutdown(patience).unwrap().is_clean());
    assert!(matches!(Runtime::start([]), Err(StartError::Exhausted)));
    assert!(tsrm.try_attach(|_| ()).is_err());
}
