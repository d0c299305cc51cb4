//! A module that is required twice; arguments that are there twice.
#![forbid(unsafe_code)]

#[tsrm::module(requires = ["output", "scanner", "output"])]
mod executor {}

#[tsrm::module(requires = ["output"], name = "parse", requires = ["scanner"], name = "parser")]
mod parser {}

mod library {
    pub(crate) use tsrm as first;
    pub(crate) use tsrm as second;
}

#[tsrm::module(crate = crate::library::first, crate = crate::library::second)]
mod compiler {}

fn main() {}
