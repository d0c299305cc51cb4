//! ATTACK: a handle to a shared value that was never declared.
#![forbid(unsafe_code)]

struct Undeclared;

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let shared = tsrm::Shared::<Undeclared>::new();
    tsrm.attach(|here| shared.get(here));
}
