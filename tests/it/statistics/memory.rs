//! What it costs in memory, and numbers at their limits.

use tsrm::stats::{Histogram, OwnedStatistics, Snapshot, Value};
use tsrm::{Report, Runtime};

use super::Work;
use super::work;
use crate::load::resident;
use crate::shared::own::{Own, alone};

alone!(memory_records memory_bytes memory_limits memory_nothing);
work!(recorded weighed);

#[tsrm::test(recorded, memory_records)]
fn ten_million_values_in_constant_memory(tsrm: Runtime) {
    const EACH: u64 = 5_000_000;
    let set = &recorded::WORK;
    let owned = OwnedStatistics::<Work>::new();
    let record = |from: u64, to: u64| {
        tsrm.attach(|here| {
            for value in from..to {
                owned.record(here, set, Work::Time, value % 200);
            }
        });
    };
    record(0, 1000);
    let before = (resident(), tsrm.report().threads[0].heap_bytes);
    record(1000, EACH);
    let after = (resident(), tsrm.report().threads[0].heap_bytes);
    assert_eq!(before.1, after.1);
    if let (Some(before), Some(after)) = (before.0, after.0) {
        assert!(after < before + 1_000_000, "{before} {after}");
    }
    for snapshot in [set.snapshot(), owned.snapshot()] {
        let Value::Histogram(time) = snapshot.value(Work::Time) else { panic!() };
        assert_eq!((time.count(), time.sum()), (EACH, EACH / 200 * (199 * 200 / 2)));
    }
}

/// The bytes that the report says that a set has in each thread.
fn bytes(report: &Report, module: &str) -> Vec<(&'static str, usize, usize)> {
    let module = report.modules.iter().find(|found| found.name == module).unwrap();
    module.statistics.iter().map(|set| (set.name, set.statistics, set.bytes)).collect()
}

#[derive(Clone, Copy, tsrm::Statistics)]
enum Wide {
    /// With a bucket for each of what 64 bits can hold.
    #[stat(histogram, max = 18_446_744_073_709_551_615)]
    All,
    /// The least there is.
    #[stat(histogram, max = 1)]
    Least,
    /// A counter.
    #[stat(counter)]
    Counter,
    /// A peak.
    #[stat(peak)]
    Peak,
}

#[derive(Clone, Copy, tsrm::Statistics)]
enum Nothing {}

#[tsrm::module]
mod limits {
    #[statistics]
    pub(super) static WIDE: Statistics<super::Wide>;
    #[statistics]
    pub(super) static NOTHING: Statistics<super::Nothing>;
}

#[tsrm::test(memory_bytes)]
fn the_report_says_what_each_thread_pays(_tsrm: Runtime) {
    let tsrm = Own::start([weighed::MODULE, limits::MODULE]).unwrap();
    let report = tsrm.report();
    // 24 buckets and a sum, two counters, two of the gauge, a peak.
    assert_eq!(bytes(&report, "weighed"), [("WORK", 5, 30 * 8)]);
    // 252 buckets and a sum; two buckets, one beyond and a sum; two more.
    assert_eq!(bytes(&report, "limits"), [("WIDE", 4, (253 + 4 + 2) * 8), ("NOTHING", 0, 0)]);
    let buckets = |snapshot: &Snapshot, statistic: Wide| match snapshot.value(statistic) {
        Value::Histogram(histogram) => histogram.buckets().count(),
        other => panic!("{other:?}"),
    };
    let now = limits::WIDE.snapshot();
    assert_eq!([Wide::All, Wide::Least].map(|statistic| buckets(&now, statistic)), [252, 3]);
    assert_eq!(weighed::WORK.snapshot().iter().count(), 5);
    // All sets that are linked are among the static bytes, whether their modules are up or not.
    let sets = report.modules.iter().flat_map(|module| &module.statistics);
    let in_sets: usize = sets.map(|set| set.bytes).sum();
    let globals = report.modules.iter().flat_map(|module| &module.globals);
    let in_globals = globals.filter(|global| global.storage == tsrm::Storage::Static);
    let in_globals: usize = in_globals.map(|global| global.bytes).sum();
    assert!(in_sets >= (30 + 259) * 8);
    // (Some modules are linked twice, and one static is in no module's list.)
    assert!(report.static_bytes >= in_sets && report.static_bytes <= in_sets + in_globals + 4096);
    let text = report.to_string();
    let line = text.lines().find(|line| line.contains("statistic(s)")).unwrap();
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(words, ["WORK", "static", "240", "5", "statistic(s)"]);
    tsrm.end();
}

fn histogram(snapshot: &Snapshot, statistic: Wide) -> Histogram {
    match snapshot.value(statistic) {
        Value::Histogram(histogram) => histogram,
        other => panic!("{other:?}"),
    }
}

#[tsrm::test(limits, memory_limits)]
fn numbers_at_their_limits(tsrm: Runtime) {
    let set = &limits::WIDE;
    let owned = OwnedStatistics::<Wide>::new();
    tsrm.attach(|here| {
        for value in [0, 1, 2, u64::MAX - 1, u64::MAX] {
            owned.record(here, set, Wide::All, value);
            owned.record(here, set, Wide::Least, value);
        }
        // The one and the other half of a wrapped number: in two threads' cells, and in the totals.
        owned.add(here, set, Wide::Counter, u64::MAX);
        owned.add(here, set, Wide::Counter, 3);
        owned.raise(here, set, Wide::Peak, u64::MAX);
        owned.raise(here, set, Wide::Peak, 0);
    });
    let check = |snapshot: &Snapshot| {
        let all: Vec<_> = histogram(snapshot, Wide::All)
            .buckets()
            .filter(|bucket| bucket.count > 0)
            .map(|bucket| (bucket.low, bucket.high, bucket.count))
            .collect();
        assert_eq!(all, [(0, 0, 1), (1, 1, 1), (2, 2, 1), (7 << 61, u64::MAX, 2)]);
        let least: Vec<_> = histogram(snapshot, Wide::Least)
            .buckets()
            .map(|bucket| (bucket.low, bucket.high, bucket.count))
            .collect();
        assert_eq!(least, [(0, 0, 1), (1, 1, 1), (2, u64::MAX, 3)]);
        for statistic in [Wide::All, Wide::Least] {
            let histogram = histogram(snapshot, statistic);
            assert_eq!((histogram.count(), histogram.sum()), (5, 0), "3 + 2^65 - 3 wraps to 0");
        }
        assert_eq!([Wide::Counter, Wide::Peak].map(|one| snapshot.count(one)), [2, u64::MAX]);
    };
    check(&owned.snapshot());
    check(&set.snapshot());
    let before = set.snapshot();
    tsrm.detach().unwrap();
    check(&set.snapshot());
    // A difference over the end of the range is what was counted.
    set.anywhere().add(Wide::Counter, u64::MAX - 5);
    let since = set.snapshot().since(&before);
    assert_eq!(since.count(Wide::Counter), u64::MAX - 5);
    tsrm.attach(|here| set.add(here, Wide::Counter, 10));
    assert_eq!(set.snapshot().count(Wide::Counter), 6);
    assert_eq!(set.snapshot().since(&before).count(Wide::Counter), 4);
}

#[tsrm::test(limits, memory_nothing)]
fn a_set_of_nothing(tsrm: Runtime) {
    let set = &limits::NOTHING;
    tsrm.attach(|here| {
        let none: [(Nothing, u64); 0] = [];
        set.add_all(here, none);
        let _ = set.local(here);
    });
    tsrm.detach().unwrap();
    let now = set.snapshot();
    assert!(!now.is_off());
    assert_eq!((now.iter().count(), now.name()), (0, Some("nothing")));
    assert_eq!(serde_json::to_string(&now).unwrap(), "{}");
    assert_eq!(set.per_thread().threads.len(), 0);
    let owned = OwnedStatistics::<Nothing>::new();
    assert_eq!(owned.snapshot().iter().count(), 0);
}
