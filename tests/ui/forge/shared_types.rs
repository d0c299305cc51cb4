//! ATTACK: declarations whose storage is of another type than their value.
#![forbid(unsafe_code)]

use std::rc::Rc;

use tsrm::private::declare_shared;

struct Other;

fn number() -> usize {
    16
}

declare_shared!(Other, "m", "x", usize, number, false, {
    type Value = &'static str;
});

struct Counted;

fn counted() -> Rc<u8> {
    Rc::new(0)
}

declare_shared!(Counted, "m", "x", Rc<u8>, counted, false, {
    type Value = Rc<u8>;
});

fn main() {}
