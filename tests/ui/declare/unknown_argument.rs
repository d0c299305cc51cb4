//! Arguments that do not exist; what stands beside them is read.
#![forbid(unsafe_code)]

#[tsrm::module(priority = 3)]
mod executor {}

mod library {
    pub(crate) use tsrm as other;
}

#[tsrm::module(requires = [output], name = 7, crate = crate::library::other, require = ["output"])]
mod output {}

fn main() {}
