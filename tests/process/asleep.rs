//! Shared by the stories about locks: threads that are known to sleep.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread::{JoinHandle, spawn, yield_now};

/// A thread that has nothing left to do but to wait for a lock.
pub struct Asleep<R> {
    /// It.
    pub thread: JoinHandle<R>,
    /// Where the kernel says what it is doing.
    task: PathBuf,
}

impl<R: Send + 'static> Asleep<R> {
    /// Starts it, and returns when it sleeps.
    pub fn spawn(waits: impl FnOnce() -> R + Send + 'static) -> Self {
        let (says, said) = channel();
        let thread = spawn(move || {
            says.send(fs::read_link("/proc/thread-self").unwrap_or_default()).unwrap();
            waits()
        });
        let new = Self { thread, task: PathBuf::from("/proc").join(said.recv().unwrap()) };
        new.wait();
        new
    }

    /// Until it sleeps (again). Where the kernel does not say so, gives it the time to: a story shows less then, and
    /// still ends well.
    pub fn wait(&self) {
        // Not for a moment, for an allocator or the like.
        const OFTEN: u32 = 20;
        let mut seen = 0;
        while seen < OFTEN {
            seen = if self.is_seen_awake() { 0 } else { seen + 1 };
            yield_now();
        }
    }

    fn is_seen_awake(&self) -> bool {
        let Ok(stat) = fs::read_to_string(self.task.join("stat")) else { return false };
        // Behind the name, in which there may be anything.
        stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('S'))
    }
}
