//! Other registered threads, beside the one that measures.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tsrm::Runtime;
use tsrm_workload::globals::executor::CACHED_EG;

/// What the others do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Activity {
    /// They sleep at depth 0.
    Asleep,
    /// They attach in a loop, and use a global.
    Busy,
}

/// So many others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Others {
    pub(crate) count: usize,
    pub(crate) activity: Activity,
}

impl Others {
    pub(crate) const NONE: Self = Self::asleep(0);

    pub(crate) const fn asleep(count: usize) -> Self {
        Self { count, activity: Activity::Asleep }
    }

    pub(crate) const fn busy(count: usize) -> Self {
        Self { count, activity: Activity::Busy }
    }

    /// Starts them; they stay until the company is dropped.
    pub(crate) fn start(self, tsrm: Runtime) -> Company {
        let is_over = Arc::new(AtomicBool::new(false));
        let (ready, is_ready) = mpsc::channel();
        let start = |_| {
            let (is_over, ready) = (Arc::clone(&is_over), ready.clone());
            let live = move || {
                tsrm.attach(|here| CACHED_EG.get(here).increment());
                ready.send(()).expect("the starter waits for this");
                while !is_over.load(Ordering::Relaxed) {
                    match self.activity {
                        Activity::Asleep => thread::park(),
                        Activity::Busy => tsrm.attach(|here| CACHED_EG.get(here).increment()),
                    }
                }
            };
            thread::spawn(move || tsrm.detach_after(live))
        };
        let threads = (0..self.count).map(start).collect();
        (0..self.count).for_each(|_| is_ready.recv().expect("a thread has begun"));
        Company { is_over, threads }
    }
}

/// The end of a row's name: nothing for nobody.
impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { count: 0, .. } => Ok(()),
            Self { count, activity: Activity::Asleep } => write!(f, "-{count}-asleep"),
            Self { count, activity: Activity::Busy } => write!(f, "-{count}-busy"),
        }
    }
}

/// Dropping it ends the threads.
#[derive(Debug)]
pub(crate) struct Company {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Company {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}
