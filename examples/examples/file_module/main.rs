//! A module in a file of its own: see `output.rs` beside this file.
//!
//! An attribute cannot stand on `mod output;`, since it would see nothing of the file. So the file
//! itself says that it is a module, and here it is an ordinary `mod`.
#![forbid(unsafe_code)]

mod output;

#[tsrm::main(output)]
fn main(tsrm: tsrm::Runtime) {
    let page = tsrm.request(|here| {
        output::write(here, "Hello, ");
        output::write(here, "world!");
        output::finish(here)
    });
    // The next request begins with an empty buffer, thanks to the module's hook.
    let next = tsrm.request(output::finish);
    println!("{}: {page:?}, then {next:?}", tsrm::MODE);
    assert_eq!((&*page, &*next), ("Hello, world!", ""));
}
