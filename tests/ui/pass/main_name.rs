//! `#[tsrm::main]`: the runtime's name and pattern are the program's.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod a {}

mod b {
    #[tsrm::module]
    pub(crate) mod c {}
}

#[tsrm::main(a, crate::b::c,)]
fn main(_: tsrm::Runtime) {
    let names: Vec<_> =
        tsrm::Runtime::current().unwrap().report().modules.iter().map(|m| m.name).collect();
    assert_eq!(names, ["a", "c"]);
}
