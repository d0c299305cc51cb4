//! Modules that require themselves.
#![forbid(unsafe_code)]

#[tsrm::module(requires = ["output", "execute"], name = "execute")]
mod executor {}

#[tsrm::module(requires = ["r", "mod"])]
mod r#mod {}

#[tsrm::module(name = "parse", requires = ["parser"])]
mod parser {}

mod file {
    tsrm::file_module! {
        #![module(requires = ["files"], name = "files")]
    }
}

fn main() {}
