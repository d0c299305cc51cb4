//! Shared by the stories about statistics: a set with one of each kind.

use counted::{COUNTED, Counted};

/// A module with a set.
#[tsrm::module]
pub mod counted {
    /// What happens in the stories.
    #[derive(tsrm::Statistics)]
    pub enum Counted {
        /// What happened.
        #[stat(counter)]
        Events,
        /// What is open.
        #[stat(gauge)]
        Open,
        /// The largest one.
        #[stat(peak)]
        Largest,
        /// How large they are.
        #[stat(histogram, max = 1000)]
        Sizes,
    }

    /// The stories'.
    #[statistics]
    pub static COUNTED: tsrm::Statistics<Counted>;
}

/// How many events there were.
#[allow(dead_code, reason = "not in every story")]
pub fn events() -> u64 {
    COUNTED.snapshot().count(Counted::Events)
}

/// Everything.
#[allow(dead_code, reason = "not in every story")]
pub fn totals() -> String {
    let now = COUNTED.snapshot();
    let [events, open, largest, sizes] =
        [Counted::Events, Counted::Open, Counted::Largest, Counted::Sizes]
            .map(|statistic| now.count(statistic));
    format!("{events} event(s), {open} open, largest {largest}, {sizes} size(s)")
}

/// Counts an event of that size, with a token if one is to be had.
#[allow(dead_code, reason = "not in every story")]
pub fn count(tsrm: tsrm::Runtime, size: u64) {
    let counted = tsrm.try_attach(|here| {
        COUNTED.inc(here, Counted::Events);
        COUNTED.raise(here, Counted::Largest, size);
        COUNTED.record(here, Counted::Sizes, size);
    });
    if counted.is_err() {
        let anywhere = COUNTED.anywhere();
        anywhere.inc(Counted::Events);
        anywhere.raise(Counted::Largest, size);
        anywhere.record(Counted::Sizes, size);
    }
}
