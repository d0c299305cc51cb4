//! The same code at several addresses.
//!
//! Where the branches of a dispatch loop fall within cache lines and predictor entries moves its
//! time by 10 % either way, with not one instruction more or less. Two builds never have the same
//! layout, so a comparison of one layout with another is a lottery. The machine is therefore
//! compiled in several layouts, and the median of them is what counts.

use std::arch::asm;

/// Shifts what follows in the function by so many instructions that do nothing: bytes on x86, words
/// elsewhere.
#[inline(always)]
#[allow(unsafe_code, reason = "assembler")]
pub(super) fn shift<const BY: usize>() {
    // SAFETY: does nothing, `BY` times.
    unsafe {
        asm!(".rept {by}", "nop", ".endr", by = const BY, options(nomem, nostack, preserves_flags));
    }
}
