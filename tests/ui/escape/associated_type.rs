//! ATTACK: the lifetime hidden in an associated type.
#![forbid(unsafe_code)]

use tsrm::Attached;

trait Launder {
    type Clean;
    fn launder(self) -> Self::Clean;
}

impl<'t> Launder for Attached<'t> {
    type Clean = Attached<'t>;

    fn launder(self) -> Self::Clean {
        self
    }
}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let here = tsrm.attach(|here| here.launder());
    drop(here);
}
