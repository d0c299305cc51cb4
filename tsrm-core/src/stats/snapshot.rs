//! What a reader has: values of one moment, with their names.

use std::fmt;

use serde_core::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::definition::{Definition, Described};
use super::histogram;
use super::item::Kind;
use super::set::Set;
use super::statistic::Statistic;
use super::sums::Sums;
use crate::thread::identity::ThreadLabel;

/// What became of the module of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetState {
    /// It has not been up in this process.
    NotStarted,
    /// It is up.
    Up,
    /// It was retired, or shut down with its runtime: these are its last values, unless it is used all the
    /// same.
    Retired,
    /// The set is not a module's but an object's.
    Owned,
}

/// The values of a set of statistics at one moment.
///
/// Iterated over, it gives the statistics in the order of their declaration. Serialised, it is a map from
/// their names to their values.
#[derive(Clone)]
pub struct Snapshot {
    set: Option<&'static Set>,
    state: SetState,
    definition: &'static Definition,
    cells: Box<[u64]>,
}

/// One statistic of a [`Snapshot`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// Its name, in snake case.
    pub name: &'static str,
    /// What it counts, if that was said.
    pub unit: Option<&'static str>,
    /// The first paragraph of its documentation.
    pub help: &'static str,
    /// Its value.
    pub value: Value,
}

/// The value of one statistic.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// How often, how much.
    Counter(u64),
    /// How many there are now.
    Gauge(u64),
    /// The greatest value so far.
    Peak(u64),
    /// How values are distributed.
    Histogram(Histogram),
}

impl Value {
    /// As one number: of a histogram, how many values it has.
    pub fn count(&self) -> u64 {
        match self {
            Self::Counter(value) | Self::Gauge(value) | Self::Peak(value) => *value,
            Self::Histogram(histogram) => histogram.count(),
        }
    }

    /// What kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Counter(_) => Kind::Counter,
            Self::Gauge(_) => Kind::Gauge,
            Self::Peak(_) => Kind::Peak,
            Self::Histogram(_) => Kind::Histogram,
        }
    }
}

/// The values of a histogram at one moment.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64]>,
    sum: u64,
    max: u64,
}

/// One bucket of a [`Histogram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bucket {
    /// The smallest value that is counted here.
    pub low: u64,
    /// The greatest one. In the last bucket, `u64::MAX`.
    pub high: u64,
    /// How many there were.
    pub count: u64,
}

impl Histogram {
    /// How many values it has: always the sum of its buckets.
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.wrapping_add(*count))
    }

    /// The sum of the values. It may be a moment behind or ahead of the buckets, if values are recorded just
    /// now.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// All buckets, in order, the empty ones too.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        self.counts.iter().enumerate().map(|(index, &count)| {
            let (low, high) = histogram::bounds(index, self.max);
            Bucket { low, high, count }
        })
    }

    /// The bucket of that quantile: `quantile(0.5)` is the median's, `quantile(0.99)` that of the value which 1 %
    /// exceed. `None` if there are no values. Less than 0 is taken as 0, more than 1 as 1.
    pub fn quantile(&self, part: f64) -> Option<Bucket> {
        let count = self.count();
        let rank = ((count as f64) * part.clamp(0.0, 1.0)).ceil().max(1.0) as u64;
        let mut seen = 0_u64;
        let mut buckets = self.buckets().filter(|bucket| bucket.count > 0);
        let found = buckets.find(|bucket| {
            seen = seen.saturating_add(bucket.count);
            seen >= rank.min(count)
        });
        found.filter(|_| count > 0)
    }

    /// The mean of the values; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum as f64 / count as f64)
    }

    /// The maximum that the histogram was declared with. Greater values are in its last bucket.
    pub fn max(&self) -> u64 {
        self.max
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let buckets = self.buckets().filter(|bucket| bucket.count > 0);
        f.debug_struct("Histogram")
            .field("sum", &self.sum)
            .field("buckets", &buckets.collect::<Vec<_>>())
            .finish()
    }
}

impl Snapshot {
    pub(super) fn of_set(set: &'static Set, state: SetState, sums: Sums) -> Self {
        Self { set: Some(set), state, definition: sums.definition, cells: sums.cells }
    }

    pub(super) fn of_object(sums: Sums) -> Self {
        Self { set: None, state: SetState::Owned, definition: sums.definition, cells: sums.cells }
    }

    /// The name of the module, unless it is an object's set.
    pub fn module(&self) -> Option<&'static str> {
        self.set.map(|set| set.module.as_str())
    }

    /// The name of the set, which is its `static`'s in lower case, unless it is an object's set.
    pub fn name(&self) -> Option<&'static str> {
        self.set.map(|set| set.name.as_str())
    }

    /// What became of its module.
    pub fn state(&self) -> SetState {
        self.state
    }

    /// Whether it was compiled with `#[stat(off)]`: then it has nothing in it.
    pub fn is_off(&self) -> bool {
        self.definition.is_off
    }

    /// The value of a statistic; of a set that is off, 0.
    ///
    /// # Panics
    /// The snapshot is one of another enum.
    #[track_caller]
    pub fn value<E: Statistic>(&self, statistic: E) -> Value {
        assert!(
            std::ptr::eq(self.definition, Definition::of::<E>()),
            "this snapshot is not one of `{}`",
            std::any::type_name::<E>()
        );
        self.value_of(&self.definition.items[statistic.index()])
    }

    /// A histogram.
    ///
    /// # Panics
    /// It is no histogram, or the snapshot is one of another enum.
    #[track_caller]
    pub fn histogram<E: Statistic>(&self, histogram: E) -> Histogram {
        match self.value(histogram) {
            Value::Histogram(histogram) => histogram,
            other => panic!("{other:?} is no histogram"),
        }
    }

    /// The value of a statistic as one number: [`Value::count`].
    ///
    /// # Panics
    /// The snapshot is one of another enum.
    #[track_caller]
    pub fn count<E: Statistic>(&self, statistic: E) -> u64 {
        self.value(statistic).count()
    }

    /// The statistic of that name, if there is one.
    pub fn get(&self, name: &str) -> Option<Reading> {
        self.items().find(|item| item.name.as_str() == name).map(|item| self.reading(item))
    }

    /// All statistics, in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = Reading> + '_ {
        self.items().map(|item| self.reading(item))
    }

    /// Names and plain numbers in the order of declaration, as PHP's `mysqli_get_client_stats()` gives them, to
    /// be collected into a map: a histogram is the two entries `…_count` and `…_sum`.
    pub fn flatten(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        self.iter().flat_map(|Reading { name, value, .. }| match value {
            Value::Histogram(histogram) => vec![
                (format!("{name}_count"), histogram.count()),
                (format!("{name}_sum"), histogram.sum()),
            ],
            value => vec![(name.to_owned(), value.count())],
        })
    }

    /// What was counted since an earlier snapshot of the same set: counters and histograms less what they
    /// were. Gauges and peaks stay what they are. Where the other one is later, nothing was counted.
    ///
    /// # Panics
    /// The other one is of another set.
    #[track_caller]
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let is_same = self.set.map(std::ptr::from_ref) == earlier.set.map(std::ptr::from_ref)
            && std::ptr::eq(self.definition, earlier.definition);
        assert!(is_same, "`since` takes an earlier snapshot of the same set");
        let mut since = self.clone();
        for item in self.items() {
            if matches!(item.kind, Kind::Counter | Kind::Histogram) {
                for cell in item.first..item.first + item.cells() {
                    since.cells[cell] = self.cells[cell].saturating_sub(earlier.cells[cell]);
                }
            }
        }
        since
    }

    fn items(&self) -> impl Iterator<Item = &'static Described> + use<> {
        let items = if self.definition.is_off { &[] } else { &*self.definition.items };
        items.iter()
    }

    fn reading(&self, item: &'static Described) -> Reading {
        let unit = item.unit.as_str();
        Reading {
            name: item.name.as_str(),
            unit: (!unit.is_empty()).then_some(unit),
            help: item.help.as_str(),
            value: self.value_of(item),
        }
    }

    fn value_of(&self, item: &Described) -> Value {
        // Of a set that is off there is none.
        let cell = |index: usize| self.cells.get(index).copied().unwrap_or(0);
        match item.kind {
            Kind::Counter => Value::Counter(cell(item.first)),
            Kind::Gauge => Value::Gauge(gauge(cell(item.first), cell(item.away))),
            Kind::Peak => Value::Peak(cell(item.first)),
            Kind::Histogram => Value::Histogram(Histogram {
                counts: (0..item.buckets()).map(|bucket| cell(item.first + bucket)).collect(),
                sum: cell(item.first + item.buckets()),
                max: item.max,
            }),
        }
    }
}

/// The value of a gauge: not below 0, which one thread of several may be, and which a sum may have been read as.
fn gauge(level: u64, away: u64) -> u64 {
    u64::try_from(level.wrapping_sub(away) as i64).unwrap_or(0)
}

/// As [`Snapshot::iter`].
impl<'s> IntoIterator for &'s Snapshot {
    type Item = Reading;
    type IntoIter = Box<dyn Iterator<Item = Reading> + 's>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// The same set with the same values, in the same state.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.set.map(std::ptr::from_ref) == other.set.map(std::ptr::from_ref)
            && std::ptr::eq(self.definition, other.definition)
            && (self.state, &self.cells) == (other.state, &other.cells)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|reading| (reading.name, reading.value))).finish()
    }
}

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.items().count()))?;
        for reading in self.iter() {
            map.serialize_entry(reading.name, &reading.value)?;
        }
        map.end()
    }
}

/// A number; of a histogram, a map with `count`, `sum` and `buckets`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Histogram(histogram) => histogram.serialize(serializer),
            value => serializer.serialize_u64(value.count()),
        }
    }
}

/// `count`, `sum`, and as `buckets` those that are not empty: `[low, high, count]`.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let buckets = self.buckets().filter(|bucket| bucket.count > 0);
        let buckets: Vec<_> = buckets.map(|b| (b.low, b.high, b.count)).collect();
        let mut map = serializer.serialize_struct("Histogram", 3)?;
        map.serialize_field("count", &self.count())?;
        map.serialize_field("sum", &self.sum)?;
        map.serialize_field("buckets", &buckets)?;
        map.end()
    }
}

/// A set, thread by thread: what [`Statistics::per_thread`](crate::Statistics::per_thread) gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PerThread {
    /// The registered threads in the order of their registration, and what each has counted since. Gauges show
    /// where they were opened: what another thread has closed still counts as open here.
    pub threads: Vec<(ThreadLabel, Snapshot)>,
    /// What threads counted that have left, and what was counted without a token.
    pub rest: Snapshot,
}
