//! The locks' words: who asks gets in, nobody is in beside whom he must not be, no wake is lost.
//!
//! Here are the very kernels, and what they name: a [`futex`], a [`clock`], and a [`sync::watch`] that watches
//! nothing. A lost wake shows as a deadlock, which loom reports; a missing acquire or release as a race on the
//! value that a lock guards. Each model ends with words that are 0, so nothing is left behind either.
//!
//! Loom takes `compare_exchange_weak` for the strong one, lets a load read any of the last seven values, and puts an
//! edge from who wakes to whom it wakes, which the locks do not need: who did not sleep has none.

#[path = "../../../tsrm-core/src/sync/raw/spin.rs"]
mod spin;

#[path = "../../../tsrm-core/src/sync/raw/queue.rs"]
mod queue;

#[path = "../../../tsrm-core/src/sync/raw/srw_word.rs"]
mod srw_word;

#[path = "../../../tsrm-core/src/sync/raw/sux_word.rs"]
mod sux_word;

pub(crate) mod clock;
pub(crate) mod futex;

pub(crate) mod sys {
    pub(crate) use super::futex::{self, Queue};
}

pub(crate) mod sync {
    pub(crate) mod watch {
        pub(crate) fn spun() {}
        pub(crate) fn parked() {}
        pub(crate) fn woke() {}
    }
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod srw;
#[cfg(test)]
mod sux;
