//! A small server: worker threads take jobs from a queue and run each as a request; a watchdog
//! stops a request that takes too long.
//!
//! Worker threads are plain threads. Between two requests a worker is attached to nothing, which is
//! what lets a shutdown (or a module that is taken away) get through; inside a request it never
//! waits for the queue.
#![forbid(unsafe_code)]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use tsrm::{Attached, Interrupt, Runtime, ThreadHandle};

#[tsrm::module]
mod server {
    use std::cell::Cell;

    use tsrm::{Attached, Error};

    /// How many requests this thread has begun.
    #[global]
    pub static SERVED: Cell<u32> = const { Cell::new(0) };

    #[request_startup]
    fn begin(here: Attached<'_>) -> Result<(), Error> {
        let served = SERVED.get(here);
        served.set(served.get() + 1);
        Ok(())
    }
}

/// What is asked of the server.
enum Job {
    /// Add up the numbers to this one.
    Sum(u64),
    /// A script that never ends by itself.
    Endless,
}

/// What comes out of it.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Sum(u64),
    Stopped(Option<Interrupt>),
}

/// A request for the watchdog to watch: which thread, and which of its requests.
type Watched = (ThreadHandle, u64);

/// A thread's loop. Returns how many requests it served.
fn work(
    tsrm: Runtime,
    queue: &Mutex<Receiver<Job>>,
    answers: &Sender<Answer>,
    watch: &Sender<Watched>,
) -> u32 {
    let next_job = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
    // Drops the thread's values at the end. Otherwise they are dropped when the thread's TLS is
    // destroyed, which is after `thread::scope` has returned.
    tsrm.detach_after(|| {
        while let Ok(job) = next_job() {
            // Attached from here to the end of the closure. No reference to a global gets out.
            let answer = tsrm.request(|here| run(here, &job, watch));
            answers.send(answer).expect("main waits for all answers");
        }
        tsrm.attach(|here| server::SERVED.get(here).get())
    })
}

/// One request.
fn run(here: Attached<'_>, job: &Job, watch: &Sender<Watched>) -> Answer {
    match job {
        Job::Sum(limit) => Answer::Sum((1..=*limit).sum()),
        Job::Endless => {
            let serial = here.request().expect("this is a request");
            watch.send((here.thread(), serial)).expect("the watchdog outlives the workers");
            // An interpreter asks this at every backward jump. It is one load.
            while !here.interrupted() {
                std::hint::spin_loop();
            }
            Answer::Stopped(here.take_interrupt())
        }
    }
}

/// Stops what it is told of. A real one waits until the request's time is over (`recv_timeout`);
/// for this one it always is.
///
/// It never attaches, so it runs in a single-threaded build as well.
fn watchdog(begun: &Receiver<Watched>) -> Vec<Watched> {
    let mut stopped = Vec::new();
    for (thread, serial) in begun {
        // Hits this request or nothing: if it has ended meanwhile, the thread's next request has
        // another serial and goes on undisturbed.
        assert!(thread.interrupt(serial, Interrupt::TIME_LIMIT));
        stopped.push((thread, serial));
    }
    stopped
}

#[tsrm::main(server)]
fn main(tsrm: Runtime) {
    // In a single-threaded build one thread can be attached: so there is one worker. `main` itself
    // is not attached.
    let workers = if tsrm::SINGLE_THREADED { 1 } else { 4 };
    let (jobs, queue) = channel();
    let queue = Mutex::new(queue);
    let (answers, answered) = channel();
    let (watch, begun) = channel();

    let (served, stopped) = thread::scope(|scope| {
        let watchdog = scope.spawn(move || watchdog(&begun));
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                let (answers, watch, queue) = (answers.clone(), watch.clone(), &queue);
                scope.spawn(move || work(tsrm, queue, &answers, &watch))
            })
            .collect();
        // The workers have their own: these would keep the channels open.
        drop((answers, watch));

        for limit in 0..100 {
            jobs.send(Job::Sum(limit)).expect("a worker is there");
        }
        jobs.send(Job::Endless).expect("a worker is there");
        jobs.send(Job::Sum(1000)).expect("a worker is there");
        drop(jobs);

        let served: u32 = threads.into_iter().map(|thread| thread.join().expect("no panic")).sum();
        (served, watchdog.join().expect("no panic"))
    });

    let (sums, others): (Vec<_>, Vec<_>) =
        answered.iter().partition(|answer| matches!(answer, Answer::Sum(_)));
    println!("{}: {workers} worker(s) served {served} requests, {others:?}", tsrm::MODE);
    assert_eq!(served, 102);
    assert_eq!(sums.len(), 101);
    assert_eq!(others, [Answer::Stopped(Some(Interrupt::TIME_LIMIT))]);
    // Too late: the request is over, so this does nothing and says so.
    let (thread, serial) = &stopped[0];
    assert!(!thread.interrupt(*serial, Interrupt::TIME_LIMIT));
    // Every worker has detached.
    assert_eq!(tsrm.threads().len(), 0);
}
