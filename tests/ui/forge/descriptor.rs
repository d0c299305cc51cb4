//! ATTACK: a second description of a module, so that its values are dropped twice.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::private::{Hooks, ModuleDescriptor};

    #[global]
    pub static NAMES: Vec<String> = const { Vec::new() };

    static AGAIN: ModuleDescriptor =
        ModuleDescriptor::new("again", &[&__TSRM_GLOBAL_NAMES], Hooks::NONE);
}

fn main() {}
