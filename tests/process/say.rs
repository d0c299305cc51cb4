//! Shared by some stories: how to say something at the very end.

use std::io::Write;

/// Prints a line without a buffer: stdout's may be gone by then.
pub fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").unwrap();
    stdout.flush().unwrap();
}
