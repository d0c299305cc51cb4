//! The same counters in what one would use without `tsrm`.

mod recorder;

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
pub use recorder::install as install_recorder;
use thread_local::ThreadLocal;

use super::{COUNTERS, TURNS};

/// Numbers under a lock.
pub type Locked = Mutex<[u64; COUNTERS]>;

/// All 0.
pub const fn locked() -> Locked {
    Mutex::new([0; COUNTERS])
}

/// One lock around all counters.
pub static LOCKED: Locked = locked();

/// Adds 1 under the lock.
#[inline(always)]
pub fn inc_locked(counters: &Locked, counter: usize) {
    counters.lock().unwrap_or_else(PoisonError::into_inner)[counter] += 1;
}

/// Numbers that are added to atomically. The first ones, which are measured, share a cache line: apart,
/// they are slower (see [`PADDED`]).
#[derive(Debug)]
#[repr(align(128))]
pub struct Array([AtomicU64; COUNTERS]);

impl Array {
    /// All 0.
    #[allow(clippy::new_without_default, reason = "const")]
    pub const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; COUNTERS])
    }

    /// Adds 1, with a locked instruction.
    #[inline(always)]
    pub fn inc(&self, counter: usize) {
        self.0[counter].fetch_add(1, Ordering::Relaxed);
    }

    /// Adds 1, as one does who is the only one to write. If it is not so, counts are lost.
    #[inline(always)]
    pub fn inc_alone(&self, counter: usize) {
        let counter = &self.0[counter];
        counter.store(counter.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// The sum of all.
    pub fn sum(&self) -> u64 {
        self.0.iter().map(|counter| counter.load(Ordering::Relaxed)).sum()
    }
}

/// One array for all threads.
pub static ARRAY: Array = Array::new();

/// A counter on a cache line of its own (two of them, as processors fetch pairs).
#[derive(Debug)]
#[repr(align(128))]
pub struct Padded(AtomicU64);

/// As many as are measured.
pub static PADDED: [Padded; TURNS] = [const { Padded(AtomicU64::new(0)) }; TURNS];

/// Adds 1 to one of [`PADDED`].
#[inline(always)]
pub fn inc_padded(counter: usize) {
    PADDED[counter].0.fetch_add(1, Ordering::Relaxed);
}

const SHARDS: usize = 16;
static SHARDED: [Array; SHARDS] = [const { Array::new() }; SHARDS];

thread_local! {
    /// The shard of a thread, once it was given one.
    static SHARD: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Adds 1 in the shard that this thread has together with every sixteenth other one.
#[inline(always)]
pub fn inc_sharded(counter: usize) {
    let mut shard = SHARD.get();
    if shard >= SHARDS {
        shard = next_shard();
    }
    SHARDED[shard].inc(counter);
}

#[cold]
#[inline(never)]
fn next_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let shard = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    SHARD.set(shard);
    shard
}

/// The `thread_local` crate: an array per thread, which that thread alone writes, and which can be summed.
pub static THREAD_LOCAL: ThreadLocal<Array> = ThreadLocal::new();

/// Adds 1 to this thread's.
#[inline(always)]
pub fn inc_thread_local(counter: usize) {
    THREAD_LOCAL.get_or(Array::new).inc_alone(counter);
}

/// `prometheus_client`'s counters, which their users hold.
pub fn prometheus() -> &'static [Counter; TURNS] {
    static COUNTERS: LazyLock<[Counter; TURNS]> = LazyLock::new(Default::default);
    &COUNTERS
}

/// What tells the counters of a [`prometheus_family`] apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// The value of a label.
    pub name: &'static str,
}

/// `prometheus_client`'s counters, which are found by their labels.
pub fn prometheus_family() -> &'static Family<Label, Counter> {
    static FAMILY: LazyLock<Family<Label, Counter>> = LazyLock::new(Family::default);
    &FAMILY
}

/// What the counters are called that are found by name.
pub const NAMES: [&str; TURNS] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// Adds 1 to the counter of that label.
#[inline(always)]
pub fn inc_prometheus_family(family: &Family<Label, Counter>, counter: usize) {
    family.get_or_create(&Label { name: NAMES[counter] }).inc();
}

/// The counters of `metrics`, which their users hold.
pub fn metrics() -> &'static [metrics::Counter; TURNS] {
    static COUNTERS: LazyLock<[metrics::Counter; TURNS]> =
        LazyLock::new(|| NAMES.map(|name| metrics::counter!(name)));
    &COUNTERS
}

/// Adds 1 to the counter of `metrics` that the recorder has under a name.
#[inline(always)]
pub fn inc_metrics_macro<const COUNTER: usize>() {
    // A literal each: what is known of the name is then computed when the program is compiled.
    let counter = match COUNTER {
        0 => metrics::counter!("c0"),
        1 => metrics::counter!("c1"),
        2 => metrics::counter!("c2"),
        3 => metrics::counter!("c3"),
        4 => metrics::counter!("c4"),
        5 => metrics::counter!("c5"),
        6 => metrics::counter!("c6"),
        7 => metrics::counter!("c7"),
        _ => unreachable!("there are as many as are measured"),
    };
    counter.increment(1);
}
