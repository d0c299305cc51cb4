//! What a thread is to others: a number, a name, a state.

#![deny(unsafe_code)]

use std::cell::Cell;
use std::fmt;
use std::ptr;
use std::time::Duration;

/// The number of a registered thread. Each registration gets a new one, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub(crate) u64);

impl ThreadId {
    /// As a plain number, for logs and metrics.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number that no other thread has while the calling one is in the middle of something. Later ones may have
/// it. Not 0.
pub(crate) fn token() -> usize {
    thread_local! {
        static TOKEN: Cell<u8> = const { Cell::new(0) };
    }
    TOKEN.with(|token| ptr::from_ref(token).addr())
}

/// A thread's identity in messages: its number and, where it has one, its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadLabel {
    /// The number the runtime gave it; never reused.
    pub id: ThreadId,
    /// The name it was spawned with.
    pub name: Option<String>,
}

impl fmt::Display for ThreadLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "thread {} `{name}`", self.id),
            None => write!(f, "thread {} (unnamed)", self.id),
        }
    }
}

/// What a registered thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreadState {
    /// Registered and at depth 0: between two requests, or idle.
    Idle,
    /// Inside an attach.
    Attached,
    /// Running its `thread_shutdown` hooks.
    Leaving,
    /// Dropping its values.
    Draining,
}

impl fmt::Display for ThreadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Idle => "idle",
            Self::Attached => "attached",
            Self::Leaving => "leaving",
            Self::Draining => "draining",
        })
    }
}

/// A thread that was waited for in vain: still registered when the deadline of a shutdown passed, or
/// still holding a module at that of a retire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Straggler {
    /// Which thread.
    pub thread: ThreadLabel,
    /// How many attaches it was inside; 0 for one that was idle and never detached.
    pub depth: u32,
    /// What it was doing.
    pub state: ThreadState,
    /// How long it had been registered.
    pub registered_for: Duration,
}

impl fmt::Display for Straggler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}, depth {}, registered for {:.1?}",
            self.thread, self.state, self.depth, self.registered_for
        )
    }
}
