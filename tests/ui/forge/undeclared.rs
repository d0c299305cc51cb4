//! ATTACK: a handle to what was never declared.
#![forbid(unsafe_code)]

struct Undeclared;

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let global = tsrm::Global::<Undeclared>::new();
    tsrm.attach(|here| global.get(here));
}
