//! ATTACK: the token by reference where only `Sync` is asked for.
#![forbid(unsafe_code)]

fn shares<T: Sync>(_value: &T) {}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| shares(&here));
}
