//! Initialisers that begin like statements; types of all kinds: generic, tuples, arrays, function pointers, trait objects, macros, `'static`
//! references; several globals of one type.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod executor {
    use std::cell::{Cell, OnceCell, RefCell};
    use std::collections::BTreeMap;
    use std::rc::Rc;

    macro_rules! counter {
        () => {
            Cell<u64>
        };
    }

    macro_rules! three {
        () => {
            3
        };
    }

    const LENGTH: usize = 4;

    pub struct Pair<A, const N: usize>(pub [A; N]);

    pub trait Shape {
        fn corners(&self) -> u32;
    }

    pub struct Square;

    impl Shape for Square {
        fn corners(&self) -> u32 {
            4
        }
    }

    #[global]
    pub static NESTED: Cell<Vec<Option<u8>>> = const { Cell::new(Vec::new()) };

    #[global]
    pub static NESTED_TOO: Cell<Vec<Option<u8>>> = const { Cell::new(Vec::new()) };

    #[global]
    pub static NESTED_LATER: Cell<Vec<Option<u8>>> = Cell::new(vec![Some(1)]);

    #[global]
    pub static TUPLE: (Cell<u8>, [Cell<u16>; LENGTH]) =
        const { (Cell::new(1), [const { Cell::new(2) }; LENGTH]) };

    #[global]
    pub static GENERIC: Pair<Option<&'static str>, { LENGTH / 2 }> =
        const { Pair([Some("a"), None]) };

    #[global]
    pub static FUNCTION: Cell<fn(u32) -> u32> = const { Cell::new(u32::count_ones) };

    #[global]
    pub static HIGHER: Cell<for<'a> fn(&'a str) -> &'a str> = Cell::new(str::trim);

    #[global]
    pub static SHAPE: RefCell<Box<dyn Shape>> = RefCell::new(Box::new(Square));

    #[global]
    pub static SHARED: Rc<OnceCell<BTreeMap<String, u8>>> = Rc::default();

    #[global]
    pub static MACRO: counter!() = const { Cell::new(3) };

    #[global]
    pub static SUM: u8 = { 1 } + 2;

    #[global]
    pub static BRACES: u8 = three! {} + 1;

    #[global]
    pub static THREE: u8 = three! {};

    #[global]
    pub static UNIT: () = const {};

    #[global]
    pub static QUALIFIED: <Vec<u8> as IntoIterator>::Item = u8::MAX;
}

use executor::*;

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        NESTED.set(here, vec![None]);
        assert_eq!(NESTED.take(here), [None]);
        assert_eq!(NESTED_TOO.replace(here, vec![]), []);
        assert_eq!(NESTED_LATER.take(here), [Some(1)]);
        assert_eq!(TUPLE.get(here).0.get() as u16 + TUPLE.get(here).1[3].get(), 3);
        assert_eq!(GENERIC.get(here).0, [Some("a"), None]);
        assert_eq!(FUNCTION.get(here).get()(7), 3);
        assert_eq!(HIGHER.get(here).get()(" a "), "a");
        assert_eq!(SHAPE.with_borrow(here, |shape| shape.corners()), 4);
        assert_eq!(SHARED.get(here).get(), None);
        assert_eq!(MACRO.get(here).get(), 3);
        assert_eq!(*SUM.get(here) + *BRACES.get(here) + *THREE.get(here), 10);
        assert_eq!(*UNIT.get(here), ());
        assert_eq!(*QUALIFIED.get(here), 255);
    });
}
