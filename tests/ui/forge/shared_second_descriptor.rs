//! ATTACK: a second descriptor of a shared value, in a list.
#![forbid(unsafe_code)]

use tsrm::private::{Hooks, ModuleDescriptor, SharedDescriptor, SharedRef};

#[tsrm::module]
mod executor {
    #[shared]
    pub static NAMES: Vec<String> = Vec::new();
}

static SECOND: SharedDescriptor =
    SharedDescriptor::of::<executor::__TsrmMarker_NAMES>("second", "NAMES", false);

fn second() -> &'static SharedDescriptor {
    &SECOND
}

static FORGED: ModuleDescriptor =
    ModuleDescriptor::new("forged", &[], &[], &[SharedRef(second)], &[], Hooks::NONE);

fn main() {
    tsrm::private::declare_module!(FORGED);
}
