//! A first global: each thread has its own value, and reaches it with a token.
#![forbid(unsafe_code)]

use counter::{HITS, NAMES};
use tsrm::{Attached, Runtime};

/// A module is a group of globals. The macro adds `counter::MODULE`, which the runtime starts with.
#[tsrm::module]
mod counter {
    use std::cell::{Cell, RefCell};

    /// `const { … }`: the value is part of the thread itself. The fastest form; take it if you can.
    #[global]
    pub static HITS: Cell<u64> = const { Cell::new(0) };

    /// Without `const`: each thread builds its value when it first uses it. Any expression will do.
    #[global]
    pub static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::with_capacity(16));
}

/// Functions that use globals take `here`, the proof that this thread is attached. Passing it on
/// costs nothing: it has no bytes.
fn greet(here: Attached<'_>, name: &str) {
    let hits = HITS.get(here);
    hits.set(hits.get() + 1);
    NAMES.with_borrow_mut(here, |names| names.push(name.to_owned()));
}

/// Starts the runtime with this module, hands it over, and shuts it down at the end.
#[tsrm::main(counter)]
fn main(tsrm: Runtime) {
    tsrm.attach(|here| {
        greet(here, "Ada");
        greet(here, "Grace");
    });
    // The values stay with the thread between two attaches.
    let (hits, names) =
        tsrm.attach(|here| (HITS.get(here).get(), NAMES.get(here).borrow().join(", ")));
    println!("{}: {hits} hits by {names}", tsrm::MODE);
    assert_eq!((hits, &*names), (2, "Ada, Grace"));
}
