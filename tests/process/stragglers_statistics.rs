//! Threads that a shutdown does not wait for go on counting: in the same process, so in the same totals.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tsrm::Runtime;

#[path = "counting.rs"]
mod counting;

use counting::counted::{self, COUNTED, Counted};
use counting::{count, totals};

/// A thread that does one step when it is told, and says when it is done.
struct Thread {
    go: Sender<()>,
    done: Receiver<()>,
    join: JoinHandle<()>,
}

impl Thread {
    fn spawn(body: impl FnOnce(&dyn Fn()) + Send + 'static) -> Self {
        let (go, may_go) = channel();
        let (says, done) = channel();
        let join = std::thread::spawn(move || {
            body(&|| {
                says.send(()).unwrap();
                may_go.recv().unwrap();
            });
        });
        done.recv().unwrap();
        Self { go, done, join }
    }

    fn step(&self) {
        self.go.send(()).unwrap();
        self.done.recv().unwrap();
    }

    fn finish(self) {
        self.go.send(()).unwrap();
        self.join.join().unwrap();
    }
}

/// Is inside an attach all the time.
fn holder(tsrm: Runtime) -> Thread {
    Thread::spawn(move |wait| {
        tsrm.attach(|here| {
            count(tsrm, 1);
            let open = COUNTED.open(here, Counted::Open);
            wait();
            // Shut down meanwhile.
            (0..2).for_each(|_| count(tsrm, 2));
            wait();
            // Started again.
            COUNTED.local(here).add(Counted::Events, 3);
            wait();
            drop(open);
        });
        // Registered no more.
        COUNTED.anywhere().inc(Counted::Events);
    })
}

/// Is registered, and outside. Not in a single-threaded build, where it counts without a token.
fn idle(tsrm: Runtime) -> Thread {
    Thread::spawn(move |wait| {
        count(tsrm, 1);
        let opened = tsrm.try_attach(|here| COUNTED.open(here, Counted::Open));
        let open = opened.unwrap_or_else(|_| COUNTED.anywhere().open(Counted::Open));
        wait();
        // With the next runtime, if there is one by now.
        count(Runtime::current().unwrap(), 7);
        drop(open);
    })
}

fn say(what: &str) {
    println!("{what}: {}, {:?}", totals(), COUNTED.snapshot().state());
}

fn main() {
    let tsrm = Runtime::start([counted::MODULE]).unwrap();
    let holder = holder(tsrm);
    let idle = idle(tsrm);
    say("up");
    let kept = COUNTED.anywhere().open_many(Counted::Open, 10);
    assert!(!tsrm.shutdown(Duration::from_millis(30)).unwrap().is_clean());
    say("down");
    holder.step();
    say("counts on");

    let again = Runtime::start([counted::MODULE]).unwrap();
    holder.step();
    say("up again");
    // Whoever cannot attach, counts without.
    count(again, 100);
    say("main counts");
    idle.finish();
    say("idle left");
    holder.finish();
    say("holder left");
    // In a thread-safe build main is registered already.
    again.detach().unwrap();
    again.attach(|here| COUNTED.inc(here, Counted::Events));
    let whole = COUNTED.per_thread();
    println!("{} thread(s), {}", whole.threads.len(), whole.threads[0].1.count(Counted::Events));
    assert!(again.shutdown(Duration::from_secs(600)).unwrap().is_clean());
    drop(kept);
    say("done");
}
