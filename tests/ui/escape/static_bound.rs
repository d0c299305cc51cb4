//! ATTACK: the token where `'static` is asked for.
#![forbid(unsafe_code)]

fn keep<T: 'static>(_value: T) {}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| keep(here));
}
