//! What a child of `fork` has counted: all that had been counted in its parent, and then its own.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use tsrm::Runtime;
use tsrm::stats::SharedStatistics;

#[path = "child.rs"]
mod child;
#[path = "counting.rs"]
mod counting;

use child::fork;
use counting::counted::{self, COUNTED, Counted};
use counting::{count, events, totals};

/// An object that all threads count in.
static POOL: LazyLock<SharedStatistics<Counted>> = LazyLock::new(SharedStatistics::new);

fn in_pool() -> u64 {
    POOL.snapshot().count(Counted::Events)
}

fn main() {
    let tsrm = Runtime::start([counted::MODULE]).unwrap();
    match std::env::args().nth(1).unwrap().as_str() {
        "busy" => busy(tsrm),
        "inside" => inside(tsrm),
        "stranger" => stranger(tsrm),
        "again" => again(tsrm),
        other => panic!("{other}"),
    }
}

/// Counts twice, once in the object; or once, if somebody else has the globals.
fn count_in_pool(tsrm: Runtime) -> [u64; 2] {
    let pooled = tsrm.try_attach(|here| POOL.inc(here, &COUNTED, Counted::Events));
    count(tsrm, 7);
    let pooled = u64::from(pooled.is_ok());
    [1 + pooled, pooled]
}

fn sum([a, b]: [u64; 2], [c, d]: [u64; 2]) -> [u64; 2] {
    [a + c, b + d]
}

/// Four threads count, register and leave; one reads. Nobody is in the child but the thread that forks.
fn busy(tsrm: Runtime) {
    let stop = AtomicBool::new(false);
    let started = AtomicU64::new(0);
    let children = 40;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=4)
            .map(|patience| {
                let (stop, started) = (&stop, &started);
                scope.spawn(move || {
                    let mut counted = [0; 2];
                    started.fetch_add(1, Ordering::Relaxed);
                    for round in 1_u64.. {
                        counted = sum(counted, count_in_pool(tsrm));
                        if round % (100 * patience) == 0 {
                            tsrm.detach().unwrap();
                            if stop.load(Ordering::Relaxed) {
                                return counted;
                            }
                        }
                    }
                    unreachable!();
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let mut seen = [0; 2];
            while !stop.load(Ordering::Relaxed) {
                let now = [events(), in_pool()];
                assert!(now >= seen && now[1] >= seen[1], "{seen:?}, then {now:?}");
                seen = now;
            }
        });
        while started.load(Ordering::Relaxed) < 4 || in_pool() < 4 {
            std::thread::yield_now();
        }
        let (mut fine, mut own) = (0, [0; 2]);
        for round in 0..children {
            let before = [events(), in_pool()];
            let child = || child_of_many(tsrm, before);
            let code = match round % 3 {
                0 => fork(child),
                1 => tsrm.try_attach(|_| fork(child)).unwrap_or_else(|_| fork(child)),
                _ => {
                    own = sum(own, count_in_pool(tsrm));
                    tsrm.detach().unwrap();
                    fork(child)
                }
            };
            tsrm.detach().unwrap();
            fine += i32::from(code == 0);
        }
        stop.store(true, Ordering::Relaxed);
        reader.join().unwrap();
        for thread in threads {
            own = sum(own, thread.join().unwrap());
        }
        println!("children: {fine} fine");
        println!("parent: exact {}", [events(), in_pool()] == own);
    });
}

fn child_of_many(tsrm: Runtime, before: [u64; 2]) -> i32 {
    let start = [events(), in_pool()];
    assert!(start[0] >= before[0] && start[1] >= before[1], "{before:?}, then {start:?}");
    let mut own = count_in_pool(tsrm);
    for _ in 0..4 {
        let others: Vec<_> =
            (0..3).map(|_| std::thread::spawn(move || count_in_pool(tsrm))).collect();
        for other in others {
            own = sum(own, other.join().unwrap());
        }
        assert_eq!([events(), in_pool()], sum(start, own));
    }
    let whole = COUNTED.per_thread();
    let parts = whole.threads.iter().map(|(_, part)| part.count(Counted::Events)).sum::<u64>();
    assert_eq!(parts + whole.rest.count(Counted::Events), events());
    0
}

/// A thread that counts and then waits.
struct Waiting {
    leave: Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl Waiting {
    /// What it does first, it does inside an attach if it can, and then stays there.
    fn spawn(tsrm: Runtime, events: u64) -> Self {
        let (done, is_done) = channel();
        let (leave, may_leave): (_, Receiver<()>) = channel();
        let builder = std::thread::Builder::new().name("holder".into());
        let thread = builder.spawn(move || {
            let wait = || {
                (0..events).for_each(|size| count(tsrm, 100 + size));
                let open = COUNTED.anywhere().open(Counted::Open);
                done.send(()).unwrap();
                may_leave.recv().unwrap();
                drop(open);
            };
            if tsrm.try_attach(|_| wait()).is_err() {
                wait();
            }
        });
        is_done.recv().unwrap();
        Self { leave, thread: thread.unwrap() }
    }

    fn leave(self) {
        self.leave.send(()).unwrap();
        self.thread.join().unwrap();
    }
}

/// Forks inside an attach, with a guard; another thread has one too, which nobody in the child closes.
fn inside(tsrm: Runtime) {
    let mut open = None;
    let code = tsrm.attach(|here| {
        let other = Waiting::spawn(tsrm, 5);
        count(tsrm, 1);
        open = Some(COUNTED.open(here, Counted::Open));
        println!("parent: {}", totals());
        let code = fork(|| {
            println!("child: {}", totals());
            count(tsrm, 200);
            drop(open.take());
            println!("child: {}", totals());
            let threads = COUNTED.per_thread().threads;
            let own = threads[0].1.count(Counted::Events);
            println!("child: {} thread(s), {own}", threads.len());
            0
        });
        println!("parent: {}", totals());
        other.leave();
        code
    });
    assert_eq!(code, 0);
    tsrm.detach().unwrap();
    drop(open);
    println!("parent: {}", totals());
}

/// Forks on a thread that is not registered; in a single-threaded build, not by the holder.
fn stranger(tsrm: Runtime) {
    let holder = Waiting::spawn(tsrm, 5);
    let code = fork(|| {
        println!("child: {}", totals());
        count(tsrm, 300);
        println!("child: {}, {} thread(s)", totals(), COUNTED.per_thread().threads.len());
        0
    });
    assert_eq!(code, 0);
    holder.leave();
    println!("parent: {}", totals());
}

/// A child that forks: at once; and when it has made threads, which have the memory of those that it has not.
fn again(tsrm: Runtime) {
    let holders: Vec<_> = [5, 6, 7].map(|events| Waiting::spawn(tsrm, events)).into();
    let code = fork(|| {
        let at_once = fork(|| {
            println!("grandchild: {}", totals());
            count_on_plain_threads(tsrm, 10);
            println!("grandchild: {}", totals());
            0
        });
        count_on_plain_threads(tsrm, 20);
        println!("child: {}", totals());
        let by_main = fork(|| {
            count(tsrm, 1);
            println!("second grandchild: {}", totals());
            0
        });
        let by_another = std::thread::spawn(move || {
            count(tsrm, 1);
            fork(|| {
                println!("third grandchild: {}", totals());
                count_on_plain_threads(tsrm, 30);
                println!("third grandchild: {}", totals());
                0
            })
        });
        assert_eq!([at_once, by_main, by_another.join().unwrap()], [0; 3]);
        println!("child: {}", totals());
        0
    });
    assert_eq!(code, 0);
    holders.into_iter().for_each(Waiting::leave);
    println!("parent: {}", totals());
}

/// That many, all of which are there at once.
fn count_on_plain_threads(tsrm: Runtime, threads: usize) {
    let all = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                count(tsrm, 2);
                all.wait();
            });
        }
    });
}
