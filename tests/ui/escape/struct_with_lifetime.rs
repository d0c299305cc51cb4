//! ATTACK: the token in a structure that lives outside.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

struct Keeper<'t> {
    here: Option<Attached<'t>>,
}

impl<'t> Keeper<'t> {
    fn keep(&mut self, here: Attached<'t>) {
        self.here = Some(here);
    }
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let mut keeper = Keeper { here: None };
    tsrm.attach(|here| keeper.keep(here));
    COUNT.get(keeper.here.unwrap()).set(1);
}
