//! ATTACK: a declaration of a shared value made by hand: safe, which it is not, and `unsafe`, in a
//! crate that forbids it.
#![forbid(unsafe_code)]

use tsrm::private::{SharedDeclaration, SharedDescriptor, SharedSlot};

struct Forged;

impl SharedDeclaration for Forged {
    type Value = u64;

    fn descriptor() -> &'static SharedDescriptor {
        loop {}
    }

    fn slot() -> &'static SharedSlot<u64> {
        loop {}
    }

    fn initial() -> u64 {
        0
    }
}

struct Sworn;

unsafe impl SharedDeclaration for Sworn {
    type Value = u64;

    fn descriptor() -> &'static SharedDescriptor {
        loop {}
    }

    fn slot() -> &'static SharedSlot<u64> {
        loop {}
    }

    fn initial() -> u64 {
        0
    }
}

fn main() {}
