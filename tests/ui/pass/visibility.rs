//! Globals of every visibility; private types in them as far as rustc lets them.
#![forbid(unsafe_code)]
#![deny(warnings)]

mod outer {
    #[tsrm::module]
    pub(crate) mod executor {
        use std::cell::{Cell, RefCell};

        struct Private(u64);

        #[derive(Default)]
        pub(super) struct Super(pub(super) Cell<u64>);

        #[global]
        static PRIVATE: RefCell<Private> = const { RefCell::new(Private(1)) };

        #[global]
        pub(self) static SELF: Cell<u64> = Cell::new(2);

        #[global]
        pub(super) static SUPER: Super = Super(Cell::new(3));

        #[global]
        pub(crate) static CRATE: Cell<u64> = const { Cell::new(4) };

        #[global]
        pub(in crate::outer) static IN: Cell<u64> = const { Cell::new(5) };

        #[global]
        pub static PUBLIC: Cell<u64> = const { Cell::new(6) };

        pub(crate) fn sum(here: tsrm::Attached<'_>) -> u64 {
            PRIVATE.with_borrow(here, |private| private.0) + SELF.get(here).get()
        }
    }

    pub(crate) fn sum(here: tsrm::Attached<'_>) -> u64 {
        executor::SUPER.get(here).0.get() + executor::IN.get(here).get()
    }
}

use outer::executor;

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(executor::sum(here) + outer::sum(here), 11);
        assert_eq!(executor::CRATE.get(here).get() + executor::PUBLIC.get(here).get(), 10);
    });
}
