//! ATTACK: the token given to a function pointer that wants it for ever.
#![forbid(unsafe_code)]

use tsrm::Attached;

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let mut kept = None;
        let mut keep: Box<dyn FnMut(Attached<'static>)> = Box::new(|here| kept = Some(here));
        keep(here);
    });
}
