//! `super::`, `self::` and `crate::` mean in the module what they mean in a plain one, in types, in
//! initialisers and in hooks. Modules nest, and the inner ones are modules of their own.
#![forbid(unsafe_code)]
#![deny(warnings)]

const FIRST: u64 = 1;

struct Above(std::cell::Cell<u64>);

impl Above {
    const fn new(value: u64) -> Self {
        Self(std::cell::Cell::new(value))
    }
}

#[tsrm::module]
mod outer {
    #[global]
    pub(super) static STATIC: super::Above =
        const { super::Above::new(super::FIRST + self::own()) };

    #[global]
    pub(super) static CACHED: super::Above = crate::Above::new(super::FIRST + self::own());

    const fn own() -> u64 {
        10
    }

    #[thread_startup]
    fn born(here: super::Here<'_>) -> super::Outcome {
        self::STATIC.get(here).0.set(100);
        Ok(())
    }

    #[tsrm::module]
    pub(super) mod inner {
        #[global]
        pub(crate) static STATIC: super::super::Above =
            const { super::super::Above::new(super::own()) };
    }
}

#[tsrm::module(name = "another")]
mod inner {
    use super::Above;

    #[global]
    pub(super) static STATIC: Above = const { Above::new(7) };
}

type Here<'t> = tsrm::Attached<'t>;
type Outcome = Result<(), tsrm::Error>;

#[tsrm::main(outer, outer::inner, self::inner)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(outer::STATIC.get(here).0.get(), 100);
        assert_eq!(outer::CACHED.get(here).0.get(), 11);
        assert_eq!(outer::inner::STATIC.get(here).0.get(), 10);
        assert_eq!(inner::STATIC.get(here).0.get(), 7);
    });
    assert_eq!(outer::MODULE.name(), "outer");
    assert_eq!(outer::inner::MODULE.name(), "inner");
    assert_eq!(inner::MODULE.name(), "another");
}
