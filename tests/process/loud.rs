//! Shared by some stories: values that say when they are dropped.

#[path = "say.rs"]
mod say;

pub use say::say;

/// Says so when it is dropped.
pub struct Loud(pub &'static str);

impl Drop for Loud {
    fn drop(&mut self) {
        say(self.0);
        if self.0 == "cached dropped" && std::env::args().nth(1).as_deref() == Some("destructor") {
            std::process::exit(6);
        }
    }
}

/// One value of each storage.
#[tsrm::module]
pub mod module {
    use super::{Loud, say};

    /// Dropped last.
    #[global]
    pub static STATIC: Loud = const { Loud("static dropped") };

    /// Dropped first.
    #[global]
    pub static CACHED: Loud = Loud("cached dropped");

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        say("hook");
        if std::env::args().nth(1).as_deref() == Some("hook") {
            std::process::exit(5);
        }
    }
}
