//! ATTACK: declarations whose cells are others than their set's, and one that removes the macro's own
//! slot.
#![forbid(unsafe_code)]

use tsrm::private::{AtomicU64, declare_statistics};

#[derive(tsrm::Statistics)]
pub enum Small {
    #[stat(counter)]
    Sent,
}

#[derive(tsrm::Statistics)]
pub enum Large {
    #[stat(counter)]
    Sent,
    #[stat(counter)]
    Received,
}

struct Other;

const _: () = {
    declare_statistics!(Other, "m", "X", "x", Small, {
        type Set = Large;
    });
};

struct Replaced;

const _: () = {
    declare_statistics!(Replaced, "m", "X", "x", Small, {
        type Set = Small;
        unsafe fn slot() -> *const [AtomicU64; 1] {
            std::ptr::without_provenance(16)
        }
        #[cfg(any())]
    });
};

fn main() {}
