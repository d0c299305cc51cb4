//! Globals in the jobs of a rayon pool.
//!
//! - Attach inside each job. The token is not `Send`, so the compiler refuses to take one in from
//!   outside.
//! - Do not wait for other jobs (`join`, `par_iter`, `install`) while attached: a rayon thread that
//!   waits runs somebody else's job meanwhile, in the middle of your attach. A `RefCell` that you
//!   have borrowed is borrowed in that job too, and a `request` in it is refused as nested.
//! - Let the pool's threads detach before the pool goes, as nobody waits for their end.
#![forbid(unsafe_code)]

use std::sync::atomic::Ordering;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use tsrm::{Attached, Runtime};

#[tsrm::module]
mod primes {
    use std::sync::atomic::AtomicU64;

    /// How many primes this thread has found. Atomic, since another thread adds them up.
    #[global]
    pub static FOUND: AtomicU64 = const { AtomicU64::new(0) };

    /// The primes to divide by, below the root of the largest number. Each thread finds its own,
    /// when it first needs them.
    #[global]
    pub static SMALL: Vec<u32> =
        (2..150_u32).filter(|n| (2..*n).all(|smaller| !n.is_multiple_of(smaller))).collect();
}

/// Whether `number` is a prime; as any function that uses globals.
fn is_prime(here: Attached<'_>, number: u32) -> bool {
    let mut divisors = primes::SMALL.get(here).iter().take_while(|prime| **prime < number);
    number > 1 && divisors.all(|prime| !number.is_multiple_of(*prime))
}

/// One job.
fn search(here: Attached<'_>, numbers: &[u32]) {
    for number in numbers {
        if is_prime(here, *number) {
            primes::FOUND.get(here).fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What all threads have found. A thread that has detached is not among them.
fn total(here: Attached<'_>) -> u64 {
    let mut total = 0;
    primes::FOUND.for_each_thread(here, |thread, found| {
        let found = found.load(Ordering::Relaxed);
        println!("  thread {}: {found}", thread.id());
        total += found;
    });
    total
}

#[tsrm::main(primes)]
fn main(tsrm: Runtime) -> Result<(), rayon::ThreadPoolBuildError> {
    // In a single-threaded build one thread can be attached, so the pool has one.
    let pool = ThreadPoolBuilder::new()
        .num_threads(if tsrm::SINGLE_THREADED { 1 } else { 4 })
        .exit_handler(move |_| tsrm.detach().expect("jobs attach in closures"))
        .build()?;

    let numbers: Vec<u32> = (0..20_000).collect();
    println!("{}:", tsrm::MODE);
    let found = pool.install(|| {
        // One attach for each piece, not one for each number, though it costs only nanoseconds.
        numbers.par_chunks(500).for_each(|piece| tsrm.attach(|here| search(here, piece)));
        // In the pool: in a single-threaded build its thread is the one that holds the globals.
        tsrm.attach(total)
    });
    println!("  {found} primes below {}", numbers.len());
    assert_eq!(found, 2262);

    // `drop(pool)` does not wait for the pool's threads to end, so the exit handler may run late.
    // Whoever must know that they have let go (a shutdown, or a single-threaded build in which
    // `main` wants to attach next) asks each of them.
    pool.broadcast(|_| tsrm.detach().expect("outside of all jobs"));
    assert_eq!(tsrm.threads().len(), 0);
    // The values are gone with their threads: this thread starts with its own.
    assert_eq!(tsrm.attach(|here| primes::FOUND.get(here).load(Ordering::Relaxed)), 0);
    Ok(())
}
