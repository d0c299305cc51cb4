//! Types of shared values: generic, trait objects, functions, macros, private ones; initialisers that
//! begin or end like statements.
#![forbid(unsafe_code)]
#![deny(warnings)]

mod outer {
    #[tsrm::module]
    pub(crate) mod executor {
        use std::collections::BTreeMap;
        use std::sync::{Arc, LazyLock, OnceLock, RwLock};

        struct Private(u64);

        pub(super) struct Super(pub(super) u64);

        macro_rules! map {
            ($value:ty) => {
                BTreeMap<String, $value>
            };
        }

        macro_rules! three {
            () => {
                3
            };
        }

        pub trait Shape: Send + Sync {
            fn corners(&self) -> u32;
        }

        struct Square;

        impl Shape for Square {
            fn corners(&self) -> u32 {
                4
            }
        }

        #[shared]
        static PRIVATE: Private = Private(1);

        #[shared(lazy)]
        pub(super) static SUPER: Super = Super(PLUS);

        #[shared]
        pub(in crate::outer) static IN: (u64, [Option<&'static str>; 2]) = (3, [Some("a"), None]);

        #[shared]
        pub(crate) static SHAPE: Box<dyn Shape> = Box::new(Square);

        #[shared]
        pub(crate) static MACRO: RwLock<map!(Arc<str>)> = RwLock::new(<map!(Arc<str>)>::new());

        #[shared]
        pub(crate) static FUNCTION: fn(&str) -> &str = str::trim;

        #[shared]
        pub(crate) static CLOSURE: Box<dyn Fn(u64) -> u64 + Send + Sync> =
            Box::new(|number| number + PLUS);

        #[shared]
        pub(crate) static ONCE: OnceLock<u64> = OnceLock::new();

        #[shared]
        pub(crate) static LATER: LazyLock<u64> = LazyLock::new(|| 7);

        #[shared(lazy)]
        pub(crate) static UNIT: () = ();

        #[shared]
        pub(crate) static BLOCK: u64 = { 1 } + 2;

        #[shared(lazy)]
        pub(crate) static EITHER: u64 = if PLUS == 2 { 1 } else { 2 } + three! {} + 1;

        #[shared]
        pub(crate) static LARGE: [u8; 1 << 16] = [1; 1 << 16];

        const PLUS: u64 = 2;

        pub(crate) fn private(here: tsrm::Attached<'_>) -> u64 {
            PRIVATE.get(here).0
        }
    }

    pub(crate) fn sum(here: tsrm::Attached<'_>) -> u64 {
        executor::SUPER.get(here).0 + executor::IN.get(here).0
    }
}

use outer::executor::{self, *};

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(executor::private(here) + outer::sum(here), 6);
        assert_eq!(SHAPE.get(here).corners(), 4);
        MACRO.get(here).write().unwrap().insert("a".into(), "b".into());
        assert_eq!(&*MACRO.get(here).read().unwrap()["a"], "b");
        assert_eq!(FUNCTION.get(here)(" a "), "a");
        assert_eq!(CLOSURE.get(here)(1), 3);
        assert_eq!(*ONCE.get(here).get_or_init(|| 5), 5);
        assert_eq!(**LATER.get(here), 7);
        assert_eq!(*UNIT.get(here), ());
        assert_eq!(*BLOCK.get(here) + *EITHER.get(here), 8);
        assert_eq!(LARGE.get(here).iter().map(|&byte| u32::from(byte)).sum::<u32>(), 1 << 16);
    });
}
