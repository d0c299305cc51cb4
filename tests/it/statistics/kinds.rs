//! Each way to count each kind, and what must not be.

use tsrm::stats::{Kind, SetState, Statistic, Value};
use tsrm::{Attached, Runtime};

use super::{Work, numbers, panics, work};
use crate::shared::own::alone;

alone!(kinds_by_handle kinds_by_local kinds_anywhere kinds_guards kinds_wrong kinds_foreign kinds_since);
work!(by_handle by_local by_anywhere by_guards by_wrong by_other foreign one_of_two two_of_two metered);

fn counter(value: u64) -> Value {
    Value::Counter(value)
}

#[tsrm::test(by_handle, kinds_by_handle)]
fn by_the_handle(tsrm: Runtime) {
    let set = &by_handle::WORK;
    assert_eq!(numbers(&set.snapshot()), [0; 6]);
    tsrm.attach(|here| {
        set.add(here, Work::Rows, 20);
        set.add(here, Work::Rows, 0);
        set.inc(here, Work::Rows);
        set.inc(here, Work::Queries);
        set.add_all(here, [(Work::Rows, 4), (Work::Queries, 1), (Work::Rows, 5)]);
        set.add_all(here, []);
        for peak in [7, 3, 7] {
            set.raise(here, Work::Largest, peak);
        }
        for time in [0, 0, 8, 9, 100, 101, 1000] {
            set.record(here, Work::Time, time);
        }
        let one = set.open(here, Work::Open);
        let many = set.open_many(here, Work::Open, 6);
        let none = set.open_many(here, Work::Open, 0);
        let amounts = [&one, &many, &none].map(|guard| (guard.amount(), guard.is_counted()));
        assert_eq!(amounts, [(1, true), (6, true), (0, true)]);
        assert_eq!(numbers(&set.snapshot()), [30, 2, 7, 7, 7, 1218]);
        drop(one);
        assert_eq!(set.snapshot().count(Work::Open), 6);
        drop(none);
        drop(many);
        assert_eq!(set.snapshot().count(Work::Open), 0);
    });
    let now = set.snapshot();
    assert_eq!((now.module(), now.name()), (Some("by_handle"), Some("work")));
    assert_eq!((now.state(), now.is_off()), (SetState::Up, false));
    assert_eq!(now.value(Work::Rows), counter(30));
    assert_eq!(now.value(Work::Queries), counter(2));
    assert_eq!(now.value(Work::Open), Value::Gauge(0));
    assert_eq!(now.value(Work::Largest), Value::Peak(7));
    let Value::Histogram(time) = now.value(Work::Time) else { panic!("{now:?}") };
    assert_eq!((time.count(), time.sum(), time.max()), (7, 1218, 100));
    let buckets: Vec<_> = time.buckets().map(|b| (b.low, b.high, b.count)).collect();
    let lows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96];
    let count = |low| match low {
        0 | 8 => 2,
        96 => 1,
        _ => 0,
    };
    let mut expected: Vec<(u64, u64, u64)> = Vec::new();
    for (index, low) in lows.into_iter().enumerate() {
        let high = lows.get(index + 1).map_or(100, |next| next - 1);
        expected.push((low, high, count(low)));
    }
    expected.push((101, u64::MAX, 2));
    assert_eq!(buckets, expected);
}

#[tsrm::test(by_local, kinds_by_local)]
fn by_the_threads_own_part(tsrm: Runtime) {
    let set = &by_local::WORK;
    tsrm.attach(|here| {
        let local = set.local(here);
        let copy = local;
        local.add(Work::Rows, 20);
        copy.inc(Work::Rows);
        local.add_all([(Work::Rows, 4), (Work::Queries, 1)]);
        local.raise(Work::Largest, 7);
        copy.raise(Work::Largest, 6);
        local.record(Work::Time, 50);
        let guard = local.open_many(Work::Open, 2);
        let other = local.open(Work::Open);
        assert_eq!(numbers(&set.snapshot()), [25, 1, 3, 7, 1, 50]);
        // It is the same memory as the handle's.
        drop((guard, other));
        drop(set.open_many(here, Work::Open, 4));
        set.inc(here, Work::Queries);
    });
    assert_eq!(numbers(&set.snapshot()), [25, 2, 0, 7, 1, 50]);
}

#[tsrm::test(by_anywhere, kinds_anywhere)]
fn without_a_token(tsrm: Runtime) {
    let set = &by_anywhere::WORK;
    let count = move || {
        let anywhere = set.anywhere();
        anywhere.add(Work::Rows, 20);
        anywhere.inc(Work::Rows);
        anywhere.raise(Work::Largest, 7);
        anywhere.raise(Work::Largest, 6);
        anywhere.record(Work::Time, 50);
        anywhere.record(Work::Time, 1000);
        let three = [anywhere.open(Work::Open), anywhere.open_many(Work::Open, 2)];
        (three, anywhere.open_many(Work::Open, 0))
    };
    // On a thread that is not registered, that is, that is inside an attach.
    let by_stranger = std::thread::spawn(count).join().unwrap();
    assert_eq!(numbers(&set.snapshot()), [21, 0, 3, 7, 2, 1050]);
    let by_this = count();
    tsrm.attach(|_here| {
        let inside = count();
        assert_eq!(numbers(&set.snapshot()), [63, 0, 9, 7, 6, 3150]);
        // Each goes down where it is closed, however it was opened.
        drop(by_stranger.0);
        drop(inside.0);
    });
    assert_eq!(numbers(&set.snapshot()), [63, 0, 3, 7, 6, 3150]);
    drop(by_this);
    assert_eq!(set.snapshot().count(Work::Open), 0);
}

#[tsrm::test(by_guards, kinds_guards)]
fn guards_that_change_their_amount(tsrm: Runtime) {
    let set = &by_guards::WORK;
    let open = || set.snapshot().count(Work::Open);
    tsrm.attach(|here| {
        let mut guard = set.open(here, Work::Open);
        for amount in [1, 100, 100, 40, 0, 0, 7] {
            guard.set_amount(amount);
            assert_eq!((guard.amount(), guard.is_counted(), open()), (amount, true, amount));
        }
        let other = set.open_many(here, Work::Open, 3);
        assert_eq!(open(), 10);
        // From another thread.
        std::thread::scope(|scope| scope.spawn(|| guard.set_amount(20)).join().unwrap());
        assert_eq!(open(), 23);
        drop(guard);
        assert_eq!(open(), 3);
        drop(other);
        assert_eq!(open(), 0);
        // All that there is; and one that is leaked stays up.
        let mut most = set.open_many(here, Work::Open, i64::MAX as u64);
        assert_eq!(open(), i64::MAX as u64);
        most.set_amount(5);
        std::mem::forget(most);
    });
    assert_eq!(open(), 5);
}

/// The message, for a statistic of that kind.
fn refusal(statistic: Work, wanted: &str) -> String {
    let is = match statistic {
        Work::Rows => "`rows` is a counter, not a WANTED: `add` and `inc` count in it",
        Work::Queries => "`queries` is a counter, not a WANTED: `add` and `inc` count in it",
        Work::Open => "`connections_open` is a gauge, not a WANTED: `open` makes a guard of it",
        Work::Largest => "`largest` is a peak, not a WANTED: `raise` raises it",
        Work::Time => "`time` is a histogram, not a WANTED: `record` takes its values",
    };
    format!("statistic {}", is.replace("WANTED", wanted))
}

#[tsrm::test(by_wrong, kinds_wrong)]
fn the_wrong_kind(tsrm: Runtime) {
    use tsrm::stats::{OwnedStatistics, SharedStatistics};

    let set = &by_wrong::WORK;
    let owned = OwnedStatistics::<Work>::new();
    let shared = SharedStatistics::<Work>::new();
    let all = [Work::Rows, Work::Open, Work::Largest, Work::Time];
    let kinds = ["counter", "gauge", "peak", "histogram"];
    // By handle, by local, anywhere, in an object's set of either sort.
    let ways = |here: Attached<'_>, statistic: Work, wanted: &str| -> Vec<String> {
        let anywhere = set.anywhere();
        let local = set.local(here);
        match wanted {
            "counter" => vec![
                panics(|| set.add(here, statistic, 1)),
                panics(|| set.inc(here, statistic)),
                panics(|| set.add_all(here, [(statistic, 1)])),
                panics(|| local.add(statistic, 1)),
                panics(|| local.inc(statistic)),
                panics(|| local.add_all([(statistic, 1)])),
                panics(|| anywhere.add(statistic, 1)),
                panics(|| anywhere.inc(statistic)),
                panics(|| owned.add(here, set, statistic, 1)),
                panics(|| owned.inc(here, set, statistic)),
                panics(|| owned.add_all(here, set, [(statistic, 1)])),
                panics(|| shared.add(here, set, statistic, 1)),
                panics(|| shared.inc(here, set, statistic)),
            ],
            "gauge" => vec![
                panics(|| set.open(here, statistic)),
                panics(|| set.open_many(here, statistic, 1)),
                panics(|| set.open_many(here, statistic, 0)),
                panics(|| local.open(statistic)),
                panics(|| local.open_many(statistic, 0)),
                panics(|| anywhere.open(statistic)),
                panics(|| anywhere.open_many(statistic, 0)),
                panics(|| owned.open(here, set, statistic)),
                panics(|| owned.open_many(here, set, statistic, 1)),
                panics(|| shared.open(here, set, statistic)),
                panics(|| shared.open_many(here, set, statistic, 1)),
            ],
            "peak" => vec![
                panics(|| set.raise(here, statistic, 1)),
                panics(|| local.raise(statistic, 1)),
                panics(|| anywhere.raise(statistic, 1)),
                panics(|| owned.raise(here, set, statistic, 1)),
                panics(|| shared.raise(here, set, statistic, 1)),
            ],
            _ => vec![
                panics(|| set.record(here, statistic, 1)),
                panics(|| local.record(statistic, 1)),
                panics(|| anywhere.record(statistic, 1)),
                panics(|| owned.record(here, set, statistic, 1)),
                panics(|| shared.record(here, set, statistic, 1)),
            ],
        }
    };
    tsrm.attach(|here| {
        for (statistic, kind) in all.into_iter().zip(kinds) {
            for wanted in kinds.into_iter().filter(|wanted| *wanted != kind) {
                for message in ways(here, statistic, wanted) {
                    assert_eq!(message, refusal(statistic, wanted));
                }
            }
        }
    });
    // None of that was counted anywhere.
    for snapshot in [set.snapshot(), owned.snapshot(), shared.snapshot()] {
        assert_eq!(numbers(&snapshot), [0; 6]);
    }
    // What stands before it in `add_all` was.
    tsrm.attach(|here| {
        let mixed = [(Work::Rows, 5), (Work::Open, 1), (Work::Queries, 1)];
        assert_eq!(panics(|| set.add_all(here, mixed)), refusal(Work::Open, "counter"));
        assert_eq!(panics(|| owned.add_all(here, set, mixed)), refusal(Work::Open, "counter"));
    });
    assert_eq!(numbers(&set.snapshot()), [10, 0, 0, 0, 0, 0]);
    assert_eq!(numbers(&owned.snapshot()), [5, 0, 0, 0, 0, 0]);
}

/// Another enum.
#[derive(tsrm::Statistics)]
enum Other {
    /// The first statistic, as that of the first one.
    #[stat(counter, unit = "rows")]
    Rows,
}

#[tsrm::test(by_other, foreign, kinds_foreign)]
fn what_belongs_to_another_set(tsrm: Runtime) {
    let set = &by_other::WORK;
    // A guard knows its set, whoever has it.
    tsrm.attach(|here| {
        let mut guards = [set.open(here, Work::Open), foreign::WORK.open_many(here, Work::Open, 2)];
        let now = || [set.snapshot(), foreign::WORK.snapshot()];
        let open = || now().map(|now| now.count(Work::Open));
        guards.reverse();
        let [mut of_foreign, of_this] = guards;
        of_foreign.set_amount(5);
        assert_eq!(open(), [1, 5]);
        drop(of_this);
        assert_eq!(open(), [0, 5]);
        drop(of_foreign);
        assert_eq!(open(), [0, 0]);
    });

    let message = format!("this snapshot is not one of `{}`", std::any::type_name::<Other>());
    let now = set.snapshot();
    assert_eq!(panics(|| now.value(Other::Rows)), message);
    assert_eq!(panics(|| now.count(Other::Rows)), message);
    let message = "`since` takes an earlier snapshot of the same set";
    assert_eq!(panics(|| now.since(&foreign::WORK.snapshot())), message);
    let owned = tsrm::stats::OwnedStatistics::<Work>::new();
    assert_eq!(panics(|| now.since(&owned.snapshot())), message);
    let other = tsrm::stats::OwnedStatistics::<Other>::new();
    assert_eq!(panics(|| owned.snapshot().since(&other.snapshot())), message);
    assert_eq!(numbers(&now.since(&set.snapshot())), [0; 6]);
}

#[tsrm::test(one_of_two, two_of_two, metered, kinds_since)]
fn readers_with_zeros_of_their_own(tsrm: Runtime) {
    let set = &metered::WORK;
    let work = |here: Attached<'_>| {
        set.add(here, Work::Rows, 10);
        set.raise(here, Work::Largest, 5);
        set.record(here, Work::Time, 3);
    };
    tsrm.attach(work);
    let before = set.snapshot();
    let mut meter = set.meter();
    let lasting = set.meter();
    assert_eq!(numbers(&meter.read()), [0, 0, 0, 5, 0, 0]);
    let _guard = tsrm.attach(|here| {
        work(here);
        set.open_many(here, Work::Open, 4)
    });
    // Counters and histograms start afresh; gauges and peaks are what they are.
    let expected = [10, 0, 4, 5, 1, 3];
    assert_eq!(numbers(&meter.read()), expected);
    assert_eq!(numbers(&meter.read()), expected);
    assert_eq!(numbers(&meter.reset()), expected);
    assert_eq!(numbers(&meter.read()), [0, 0, 4, 5, 0, 0]);
    tsrm.attach(work);
    assert_eq!(numbers(&meter.reset()), expected);
    assert_eq!(numbers(&lasting.read()), [20, 0, 4, 5, 2, 6]);
    let since = set.snapshot().since(&before);
    assert_eq!(numbers(&since), [20, 0, 4, 5, 2, 6]);
    assert_eq!((since.module(), since.name()), (Some("metered"), Some("work")));
    assert_eq!(numbers(&set.snapshot()), [30, 0, 4, 5, 3, 9]);

    // Of several sets of one enum, each counts for itself.
    tsrm.attach(|here| {
        one_of_two::WORK.inc(here, Work::Rows);
        two_of_two::WORK.add(here, Work::Rows, 2);
    });
    let rows = [&one_of_two::WORK.snapshot(), &two_of_two::WORK.snapshot()];
    assert_eq!(rows.map(|snapshot| snapshot.count(Work::Rows)), [1, 2]);
    assert!(rows[0] != rows[1] && *rows[0] == one_of_two::WORK.snapshot());
}

#[test]
fn kinds_have_names_and_numbers() {
    let kinds = [Kind::Counter, Kind::Gauge, Kind::Peak, Kind::Histogram];
    assert_eq!(kinds.map(|kind| kind as u32), [1, 2, 3, 4]);
    let of_values = [Value::Counter(1), Value::Gauge(2), Value::Peak(3)];
    assert_eq!(of_values.clone().map(|value| value.kind()), kinds[..3]);
    assert_eq!(of_values.map(|value| value.count()), [1, 2, 3]);
    assert_eq!([Work::Rows, Work::Queries, Work::Time].map(Statistic::index), [0, 1, 4]);
}
