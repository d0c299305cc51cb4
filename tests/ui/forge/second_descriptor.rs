//! ATTACK: a second descriptor of a global: its value would be dropped twice.
#![forbid(unsafe_code)]

use tsrm::private::{GlobalDescriptor, GlobalRef, Hooks, ModuleDescriptor};

#[tsrm::module]
mod executor {
    #[global]
    pub static NAMES: Vec<String> = const { Vec::new() };
}

static SECOND: GlobalDescriptor =
    GlobalDescriptor::of_static::<executor::__TsrmMarker_NAMES>("second", "NAMES");

fn second() -> &'static GlobalDescriptor {
    &SECOND
}

static FORGED: ModuleDescriptor =
    ModuleDescriptor::new("forged", &[], &[GlobalRef(second)], &[], &[], Hooks::NONE);

fn main() {
    tsrm::private::declare_module!(FORGED);
}
