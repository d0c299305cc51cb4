//! Whether counts are lost: what threads have counted, beside what they should have.
//!
//! First by plain loads and stores on an array that all threads share, which is what our code would be
//! without a shard per thread. That must lose, or the check is worth nothing: it is repeated until it does.
//! Then by our sets, while a reader adds them up again and again and looks whether anything goes backwards;
//! the threads leave and come again all the time, since that is when their counts change places.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tsrm::stats::{OwnedStatistics, SharedStatistics, Snapshot};
use tsrm::{Attached, Runtime, SINGLE_THREADED};
use tsrm_workload::statistics::TURNS;
use tsrm_workload::statistics::counted::{CLIENT, Client};
use tsrm_workload::statistics::peers::Array;

const RACERS: usize = 4;
const THREADS: usize = if SINGLE_THREADED { 1 } else { 16 };
/// Of each thread.
const COUNTS: u64 = 4 << 20;
/// Between coming and leaving.
const COUNTS_OF_A_STAY: u64 = 1 << 14;
/// How often the racers may be lucky.
const TRIES: u32 = 50;

/// Prints a line of JSON for each check.
pub(crate) fn all(tsrm: Runtime) {
    // In a single-threaded build another thread counts.
    tsrm.detach().expect("not inside an attach");
    racers();
    process(tsrm);
    connections(tsrm);
    pool(tsrm);
}

/// What readers saw meanwhile.
#[derive(Clone, Copy, Default)]
struct Reads {
    count: u64,
    /// How often a counter was less than before.
    backward: u64,
}

fn print(name: &str, threads: usize, counted: u64, reads: Reads) {
    let expected = threads as u64 * COUNTS;
    let Reads { count, backward } = reads;
    println!(
        "{{\"name\":\"{name}\",\"threads\":{threads},\"expected\":{expected},\"counted\":{counted},\
         \"reads\":{count},\"backward\":{backward}}}"
    );
}

fn racers() {
    let race = || {
        let (array, barrier) = (Array::new(), Barrier::new(RACERS));
        thread::scope(|scope| {
            for _ in 0..RACERS {
                scope.spawn(|| {
                    barrier.wait();
                    (0..COUNTS).for_each(|count| array.inc_alone(count as usize % TURNS));
                });
            }
        });
        array.sum()
    };
    let expected = RACERS as u64 * COUNTS;
    let counted = (0..TRIES).map(|_| race()).find(|counted| *counted != expected);
    print("racy", RACERS, counted.unwrap_or(expected), Reads::default());
}

fn process(tsrm: Runtime) {
    let meter = CLIENT.meter();
    let (reads, _) = beside_a_reader(
        || vec![CLIENT.snapshot()],
        || live(tsrm, || (), |(), here, counter| CLIENT.inc(here, counter)),
    );
    print("process", THREADS, sum(&meter.read()), reads);
}

fn connections(tsrm: Runtime) {
    let meter = CLIENT.meter();
    let (reads, connections) = beside_a_reader(
        || vec![CLIENT.snapshot()],
        || {
            live(tsrm, OwnedStatistics::<Client>::new, |connection, here, counter| {
                connection.inc(here, &CLIENT, counter);
            })
        },
    );
    print("connections: the process", THREADS, sum(&meter.read()), reads);
    let counted = connections.iter().map(|connection| sum(&connection.snapshot())).sum();
    print("connections: all of them", THREADS, counted, Reads::default());
}

fn pool(tsrm: Runtime) {
    let (meter, pool) = (CLIENT.meter(), SharedStatistics::<Client>::new());
    let (reads, _) = beside_a_reader(
        || vec![CLIENT.snapshot(), pool.snapshot()],
        || live(tsrm, || (), |(), here, counter| pool.inc(here, &CLIENT, counter)),
    );
    print("pool: the process", THREADS, sum(&meter.read()), reads);
    print("pool: itself", THREADS, sum(&pool.snapshot()), reads);
}

fn sum(snapshot: &Snapshot) -> u64 {
    Client::ALL.iter().map(|counter| snapshot.count(*counter)).sum()
}

/// All threads count, each with an object of its own, and come and go. Returns the objects.
fn live<T: Send>(
    tsrm: Runtime,
    new: impl Fn() -> T + Sync,
    count: impl Fn(&T, Attached<'_>, Client) + Sync,
) -> Vec<T> {
    let barrier = Barrier::new(THREADS);
    let thread = || {
        let object = new();
        barrier.wait();
        for _ in 0..COUNTS / COUNTS_OF_A_STAY {
            let stay = |here: Attached<'_>| {
                for number in 0..COUNTS_OF_A_STAY {
                    count(&object, here, Client::ALL[number as usize % TURNS]);
                }
            };
            tsrm.detach_after(|| tsrm.attach(stay));
        }
        object
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(thread)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread has panicked")).collect()
    })
}

/// Runs that while a thread reads again and again.
fn beside_a_reader<R>(
    read: impl Fn() -> Vec<Snapshot> + Sync,
    run: impl FnOnce() -> R,
) -> (Reads, R) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut reads, mut earlier) = (Reads::default(), read());
            while !is_over.load(Ordering::Relaxed) {
                let now = read();
                let pairs = earlier.iter().zip(&now);
                reads.backward += pairs.map(|(earlier, now)| backward(earlier, now)).sum::<u64>();
                reads.count += 1;
                earlier = now;
            }
            reads
        });
        let result = run();
        is_over.store(true, Ordering::Relaxed);
        (reader.join().expect("the reader has panicked"), result)
    })
}

/// How many counters are less than they were.
fn backward(earlier: &Snapshot, now: &Snapshot) -> u64 {
    let steps_back = |counter: &&Client| now.count(**counter) < earlier.count(**counter);
    Client::ALL.iter().filter(steps_back).count() as u64
}
