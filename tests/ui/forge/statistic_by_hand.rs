//! ATTACK: an enum of statistics by hand, whose functions would run while a thread registers.
#![forbid(unsafe_code)]

use tsrm::private::{AtomicU64, Counting, DefinitionSlot, Item};

pub struct Evil;

impl tsrm::stats::Statistic for Evil {
    type Cells = [AtomicU64; 0];
    const ITEMS: &'static [Item] = &[];
    const COUNTING: Counting = Counting::Always;

    fn index(self) -> usize {
        0
    }

    fn definition_slot() -> &'static DefinitionSlot {
        loop {}
    }
}

fn main() {}
