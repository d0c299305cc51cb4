//! What all reports end with.

use std::fmt::Write;

use crate::machine::Machine;
use crate::targets::Target;

/// Appends a line.
pub(crate) fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("a string takes everything");
}

/// Appends where the numbers come from, and the verdicts.
pub(crate) fn write_end(text: &mut String, machine: &Machine, targets: &[Target]) {
    line(text, format_args!("{machine}\n"));
    if machine.valgrind.is_none() {
        line(text, format_args!("Instructions were skipped: there is no valgrind here.\n"));
    }
    line(text, format_args!("Targets, with fat LTO:"));
    for target in targets {
        line(text, format_args!("  {target}"));
    }
}
