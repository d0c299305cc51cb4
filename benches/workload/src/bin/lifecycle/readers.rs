//! Whether readers are delayed by modules that come and go.
//!
//! Readers attach, read a global of theirs a hundred times, leave, and let others have their core: as a
//! worker that waits for its next job. Meanwhile another thread registers a thousand modules and
//! retires them; and, as the control, does nothing for as long as that took. A read is never to be
//! delayed; an attach is where a thread meets what has come, and lets go of what goes.
//!
//! (Readers that never let go of their core are, if there are more of them than cores, almost always
//! in the middle of an attach, where a module that goes waits for them. Nearly all of what is then
//! seen is the scheduler.)

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tsrm::{Attached, RetireError, Runtime, SINGLE_THREADED};
use tsrm_workload::globals::executor::CACHED_EG;
use tsrm_workload::harness::{clock, print};

use crate::PATIENCE;
use crate::late::SET;
use crate::times::{Times, Watch};

const READERS: usize = if SINGLE_THREADED { 1 } else { 64 };
const READS: usize = 100;
const REGISTRATIONS: usize = 1000;
/// Between two of them.
const PAUSE: Duration = Duration::from_micros(500);

/// Prints these rows.
pub(crate) fn time(tsrm: Runtime) {
    // In a single-threaded build the reader is the one registered thread.
    tsrm.detach().expect("not inside an attach");
    let (took, seen) = beside_readers(tsrm, || come_and_go(tsrm));
    let (_, control) = beside_readers(tsrm, || pause(took));
    for module in SET {
        // The last ones are still there.
        match tsrm.retire(*module, PATIENCE) {
            Ok(retired) => assert!(retired.is_done(), "{retired}"),
            Err(RetireError::NotRegistered(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    for (suffix, Reader { reads, attaches }) in [("", seen), ("-control", control)] {
        show("read", suffix, &reads);
        show("attach", suffix, &attaches);
    }
}

fn pause(time: Duration) {
    let (_never, nothing) = mpsc::channel::<()>();
    let _ = nothing.recv_timeout(time);
}

fn show(what: &str, suffix: &str, times: &Times) {
    print(&format!("{what}-99.9{suffix}"), times.quantile(0.999));
    print(&format!("{what}-longest{suffix}"), times.longest());
    if let Some(ns) = times.longest_own() {
        print(&format!("{what}-longest-own{suffix}"), ns);
    }
}

/// How long `run` takes, and what all readers see meanwhile.
fn beside_readers(tsrm: Runtime, run: impl FnOnce()) -> (Duration, Reader) {
    let is_over = Arc::new(AtomicBool::new(false));
    let (ready, is_ready) = mpsc::channel();
    let start = |_| {
        let (is_over, ready) = (Arc::clone(&is_over), ready.clone());
        thread::spawn(move || {
            tsrm.detach_after(|| {
                tsrm.attach(read);
                ready.send(()).expect("the starter waits for this");
                Reader::until(&is_over, tsrm)
            })
        })
    };
    let readers: Vec<_> = (0..READERS).map(start).collect();
    (0..READERS).for_each(|_| is_ready.recv().expect("a reader has begun"));
    let (took, ()) = clock::of(run);
    is_over.store(true, Ordering::Relaxed);
    let seen = readers.into_iter().map(|reader| reader.join().expect("a reader has panicked"));
    (took, seen.reduce(Reader::and).expect("there is a reader"))
}

/// What one reader has seen, or several.
#[derive(Debug)]
struct Reader {
    reads: Times,
    /// The ways in, up to the first read, and the ways out, from the last one.
    attaches: Times,
}

impl Reader {
    fn until(is_over: &AtomicBool, tsrm: Runtime) -> Self {
        let mut reader = Self { reads: Times::new(), attaches: Times::new() };
        let mut watch = Watch::new();
        while !is_over.load(Ordering::Relaxed) {
            watch.restart();
            tsrm.attach(|here| {
                watch.lap(&mut reader.attaches);
                for _ in 0..READS {
                    read(here);
                    watch.lap(&mut reader.reads);
                }
            });
            watch.lap(&mut reader.attaches);
            thread::yield_now();
        }
        reader
    }

    fn and(self, other: Self) -> Self {
        Self { reads: self.reads.and(other.reads), attaches: self.attaches.and(other.attaches) }
    }
}

#[inline(never)]
fn read(here: Attached<'_>) {
    black_box(CACHED_EG.get(here).depth.get());
}

/// Modules in a ring: of those that it has, one half is up and the other half on its way out.
fn come_and_go(tsrm: Runtime) {
    for number in 0..REGISTRATIONS {
        let module = SET[number % SET.len()];
        if number >= SET.len() {
            // Its retire began half a ring ago, and may be over.
            match tsrm.retire(module, PATIENCE) {
                Ok(retired) => assert!(retired.is_done(), "{retired}"),
                Err(RetireError::NotRegistered(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        tsrm.register(module).expect("it is not registered");
        if let Some(earlier) = number.checked_sub(SET.len() / 2) {
            let begun = tsrm.retire(SET[earlier % SET.len()], Duration::ZERO);
            let _ = begun.expect("it is registered");
        }
        pause(PAUSE);
    }
}
