//! Required modules that are no strings.
#![forbid(unsafe_code)]

#[tsrm::module(requires = [output, "executor"])]
mod scanner {}

#[tsrm::module(requires = [crate::output::MODULE])]
mod parser {}

#[tsrm::module(requires = [1, b"output", concat!("out", "put")])]
mod compiler {}

mod optimiser {
    tsrm::file_module! {
        #![module(requires = [output])]
    }
}

fn main() {}
