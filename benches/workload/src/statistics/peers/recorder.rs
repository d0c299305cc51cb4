//! A recorder for `metrics`: counters alone, in maps behind read-write locks, about one map per core.
//!
//! It does for a counter what the registry of `metrics-util` does, on which its exporters are built: a look-up
//! by the hash that the key brings along, and a count of the reference that is handed out. That one itself
//! would bring seventeen more packages, one of them under another licence.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

/// Makes it the process's.
///
/// # Panics
/// There is one already.
pub fn install() {
    let installed = metrics::set_global_recorder(Maps::new());
    installed.expect("it is installed once");
}

type Map = HashMap<Key, Arc<AtomicU64>, BuildHasherDefault<Hashed>>;

#[derive(Debug)]
struct Maps {
    /// A power of two of them.
    maps: Box<[RwLock<Map>]>,
}

impl Maps {
    fn new() -> Self {
        let count = thread::available_parallelism().map_or(1, usize::from).next_power_of_two();
        Self { maps: std::iter::repeat_with(RwLock::default).take(count).collect() }
    }
}

impl Recorder for Maps {
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let map = &self.maps[key.get_hash() as usize & (self.maps.len() - 1)];
        if let Some(counter) = map.read().unwrap_or_else(PoisonError::into_inner).get(key) {
            return Counter::from_arc(Arc::clone(counter));
        }
        let mut map = map.write().unwrap_or_else(PoisonError::into_inner);
        Counter::from_arc(Arc::clone(map.entry(key.clone()).or_default()))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }

    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
}

/// What a key feeds it is a hash already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a key feeds one number, its hash");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
