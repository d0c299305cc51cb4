//! ATTACK: a second descriptor of a set, in a list.
#![forbid(unsafe_code)]

use tsrm::private::{Hooks, ModuleDescriptor, StatisticsDescriptor, StatisticsRef};

#[tsrm::module]
mod client {
    #[derive(tsrm::Statistics)]
    pub enum Client {
        #[stat(counter)]
        Sent,
    }

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

static SECOND: StatisticsDescriptor =
    StatisticsDescriptor::of::<client::__TsrmMarker_CLIENT>("second", "CLIENT", "client");

fn second() -> &'static StatisticsDescriptor {
    &SECOND
}

static FORGED: ModuleDescriptor =
    ModuleDescriptor::new("forged", &[], &[], &[], &[StatisticsRef(second)], Hooks::NONE);

fn main() {
    tsrm::private::declare_module!(FORGED);
    let _ = client::Client::Sent;
}
