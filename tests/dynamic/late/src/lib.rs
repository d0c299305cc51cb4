//! A shared object that the program loads while its threads are registered.

use plug::Library;

/// A module that nobody knows before.
#[tsrm::module]
pub mod late {
    /// What it counts.
    #[derive(tsrm::Statistics)]
    pub enum Late {
        /// What happened.
        #[stat(counter)]
        Events,
    }

    /// The library's.
    #[statistics]
    pub static LATE: tsrm::Statistics<Late>;
}

/// What the program looks up.
#[unsafe(no_mangle)]
pub static TSRM_LATE: Library = Library {
    module: || late::MODULE,
    count: |here| late::LATE.inc(here, late::Late::Events),
    events: || late::LATE.snapshot().count(late::Late::Events),
    own_events: || {
        let threads = late::LATE.per_thread().threads;
        threads.iter().map(|(_, own)| own.count(late::Late::Events)).collect()
    },
};
