//! `file_module!`, with arguments and without.
#![forbid(unsafe_code)]
#![deny(warnings)]

mod first {
    tsrm::file_module! {
        #![module(name = "another")]

        use std::cell::Cell;

        /// A counter.
        #[global]
        pub(crate) static COUNT: Cell<u64> = const { Cell::new(1) };

        pub(super) const FOUR: u64 = 4;

        /// One for all.
        #[shared]
        pub(crate) static SUM: u64 = 3;
    }
}

mod second {
    tsrm::file_module! {
        #![module(requires = ["another"])]

        #[shared(lazy)]
        pub(crate) static SUM: u64 = super::first::FOUR;

        #[request_shutdown]
        fn end(here: tsrm::Attached<'_>) {
            super::first::COUNT.set(here, 2);
        }
    }
}

mod third {
    tsrm::file_module! {}
}

#[tsrm::main(first, second, third)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.request(|_here| ());
    assert_eq!(tsrm.attach(|here| first::COUNT.get(here).get()), 2);
    assert_eq!(tsrm.attach(|here| first::SUM.get(here) + second::SUM.get(here)), 7);
    let names: Vec<_> = tsrm.report().modules.iter().map(|module| module.name).collect();
    assert_eq!(names, ["another", "second", "third"]);
}
