//! Behaviour.
use tsrm_tests::remote;

#[tsrm::test(remote)]
fn first(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        remote::COUNT.set(here, 3);
        remote::NAMES.with_borrow_mut(here, |names| names.push("x".into()));
        assert_eq!(remote::COUNT.get(here).get(), 3);
        assert_eq!(remote::NAMES.get(here).borrow().len(), 1);
        println!("{}", tsrm.report());
    });
    tsrm.detach().unwrap();
    tsrm.attach(|here| {
        assert_eq!(remote::COUNT.get(here).get(), 0);
        assert_eq!(remote::NAMES.get(here).borrow().len(), 0);
    });
}
