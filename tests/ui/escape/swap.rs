//! ATTACK: the inner token swapped with the outer one, which would then live longer.
#![forbid(unsafe_code)]

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|mut outer| {
        tsrm.attach(|mut inner| std::mem::swap(&mut outer, &mut inner));
    });
}
