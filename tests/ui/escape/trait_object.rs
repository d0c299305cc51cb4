//! ATTACK: the token behind a trait that does not show its lifetime.
#![forbid(unsafe_code)]

use globals::COUNT;
use tsrm::Attached;

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

trait Keeper {
    fn here(&self) -> Attached<'_>;
}

struct Kept<'t>(Attached<'t>);

impl Keeper for Kept<'_> {
    fn here(&self) -> Attached<'_> {
        self.0
    }
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    let keeper: Box<dyn Keeper> = tsrm.attach(|here| Box::new(Kept(here)) as Box<dyn Keeper>);
    COUNT.get(keeper.here()).set(1);
}
