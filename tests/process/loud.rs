//! Shared by some stories: values that say when they are dropped.

use std::io::Write;

/// Says so when it is dropped. Straight to the descriptor: stdout's buffer may be gone by then.
pub struct Loud(pub &'static str);

/// Prints a line without a buffer.
pub fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").unwrap();
    stdout.flush().unwrap();
}

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
