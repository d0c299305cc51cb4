//! ATTACK: the slot of a shared value, reached from its own initialiser, and by its declaration.
#![forbid(unsafe_code)]

use tsrm::private::SharedDeclaration;

#[tsrm::module]
mod executor {
    #[shared]
    pub static NAMES: Vec<String> = {
        let _slot = &__TSRM_SLOT;
        Vec::new()
    };

    #[shared]
    pub static COUNT: u64 = 7;
}

type Count = executor::__TsrmMarker_COUNT;

fn main() {
    let _address = Count::slot().load();
    let _inside = &Count::slot().0;
    Count::descriptor().publish(None);
}
