//! Required modules that are not in a list.
#![forbid(unsafe_code)]

#[tsrm::module(requires = "output")]
mod executor {}

#[tsrm::module(requires = output)]
mod scanner {}

#[tsrm::module(requires = ("output", "executor"))]
mod parser {}

#[tsrm::module(requires = ["output"; 2])]
mod compiler {}

mod optimiser {
    tsrm::file_module! {
        #![module(requires = "output")]
    }
}

fn main() {}
