//! ATTACK: a trait with a method for every lifetime, whose implementation keeps what it is given.
#![forbid(unsafe_code)]

use tsrm::Attached;

trait Visitor {
    fn visit(&mut self, here: Attached<'_>);
}

struct Keep<'k>(Option<Attached<'k>>);

impl<'k> Visitor for Keep<'k> {
    fn visit(&mut self, here: Attached<'_>) {
        self.0 = Some(here);
    }
}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let mut keep = Keep(None);
    tsrm.attach(|here| keep.visit(here));
}
