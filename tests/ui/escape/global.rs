//! ATTACK: the token in a global, whose values outlive the attach.
#![forbid(unsafe_code)]

#[tsrm::module]
mod keeper {
    use std::cell::Cell;

    #[global]
    pub static KEPT: Cell<Option<tsrm::Attached<'static>>> = const { Cell::new(None) };
}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| keeper::KEPT.set(here, Some(here)));
}
