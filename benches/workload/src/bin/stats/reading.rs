//! What it costs to read a set that many threads count in, and to be one of them.

use std::hint::black_box;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tsrm::{Runtime, SINGLE_THREADED};
use tsrm_workload::harness::{clock, cpu, print};
use tsrm_workload::statistics::counted::{CLIENT, Client};

/// How many threads have counted and sleep, beside the one that reads.
const THREADS: &[usize] = if SINGLE_THREADED { &[1] } else { &[1, 64] };

/// Prints these rows.
pub(crate) fn time(tsrm: Runtime) {
    for &threads in THREADS {
        // In a single-threaded build the one that counts is the one registered thread.
        tsrm.detach().expect("not inside an attach");
        beside(tsrm, threads, || {
            print(&format!("snapshot/{threads}"), per_call(|| drop(black_box(CLIENT.snapshot()))));
            print(
                &format!("per_thread/{threads}"),
                per_call(|| drop(black_box(CLIENT.per_thread()))),
            );
        });
    }
    let fresh = || thread::spawn(move || stay(tsrm)).join().expect("the thread does not panic");
    let [attach, detach] = clock::per_run(fresh);
    print("attach-first/1", attach);
    print("detach/1", detach);
}

/// On the processor.
fn per_call(read: impl Fn()) -> f64 {
    const CALLS: u32 = 64;
    let [ns] = clock::per_run(|| {
        let start = cpu::now();
        (0..CALLS).for_each(|_| read());
        [cpu::now() - start]
    });
    ns / f64::from(CALLS)
}

/// While so many threads are registered that have counted everything.
fn beside(tsrm: Runtime, threads: usize, run: impl FnOnce()) {
    let (ready, is_ready) = mpsc::channel();
    thread::scope(|scope| {
        let wakers: Vec<_> = (0..threads)
            .map(|_| {
                let (waker, sleep) = mpsc::channel::<()>();
                let ready = ready.clone();
                scope.spawn(move || {
                    tsrm.detach_after(|| {
                        tsrm.attach(|here| Client::ALL.map(|counter| CLIENT.inc(here, counter)));
                        ready.send(()).expect("the starter waits for this");
                        // Until the waker is dropped.
                        let _ = sleep.recv();
                    });
                });
                waker
            })
            .collect();
        (0..threads).for_each(|_| is_ready.recv().expect("a thread has begun"));
        run();
        drop(wakers);
    });
}

/// How long a thread takes to register and, after it has counted everything, to leave.
fn stay(tsrm: Runtime) -> [Duration; 2] {
    let (attach, ()) = clock::of(|| {
        tsrm.attach(|here| {
            black_box(here);
        });
    });
    tsrm.attach(|here| Client::ALL.map(|counter| CLIENT.inc(here, counter)));
    let (detach, result) = clock::of(|| tsrm.detach());
    result.expect("not inside an attach");
    [attach, detach]
}
