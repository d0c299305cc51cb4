//! ATTACK: a module linked twice: its values would be dropped twice.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::private::{LINKED, ModuleDescriptor, linkme};

    #[global]
    pub static NAMES: Vec<String> = const { Vec::new() };

    #[linkme::distributed_slice(LINKED)]
    #[linkme(crate = linkme)]
    static AGAIN: &ModuleDescriptor = &__TSRM_MODULE;
}

fn main() {}
