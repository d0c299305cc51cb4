//! What readers see: names, units, help, JSON, `Debug`.

use std::collections::BTreeMap;

use tsrm::Runtime;
use tsrm::stats::{OwnedStatistics, SharedStatistics, Value};

use super::{Work, work};
use crate::shared::own::{Own, alone};

alone!(texts_whole texts_debug texts_quantiles);
work!(whole debugged quantiles);

#[tsrm::test(whole, texts_whole)]
fn a_snapshot_as_a_whole(tsrm: Runtime) {
    let set = &whole::WORK;
    let _guard = tsrm.attach(|here| {
        set.add(here, Work::Rows, 20);
        set.inc(here, Work::Queries);
        set.raise(here, Work::Largest, 12);
        for time in [3, 50, 50, 101] {
            set.record(here, Work::Time, time);
        }
        set.open_many(here, Work::Open, 2)
    });
    let now = set.snapshot();
    let readings = now.iter().map(|reading| {
        (reading.name, reading.unit, reading.help, reading.value.kind(), reading.value.count())
    });
    use tsrm::stats::Kind::{Counter, Gauge, Histogram, Peak};
    assert_eq!(
        readings.collect::<Vec<_>>(),
        [
            ("rows", Some("rows"), "Rows looked at.", Counter, 20),
            ("queries", None, "Queries run.", Counter, 1),
            ("connections_open", Some("connections"), "Connections open now.", Gauge, 2),
            ("largest", None, "Rows in the largest result.", Peak, 12),
            ("time", Some("microseconds"), "How long queries took.", Histogram, 4),
        ]
    );
    for reading in now.iter() {
        assert_eq!(now.get(reading.name), Some(reading));
    }
    for name in ["", "Rows", "row", "time_count", "Largest", "open"] {
        assert_eq!(now.get(name), None);
    }
    let flat = now.flatten().collect::<Vec<_>>();
    let flat: Vec<_> = flat.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(
        flat,
        [
            ("rows", 20),
            ("queries", 1),
            ("connections_open", 2),
            ("largest", 12),
            ("time_count", 4),
            ("time_sum", 204),
        ]
    );
    let as_map: BTreeMap<String, u64> = now.flatten().collect();
    assert_eq!(as_map.len(), flat.len());

    let json = r#"{"rows":20,"queries":1,"connections_open":2,"largest":12,"time":{"count":4,"sum":204,"buckets":[[3,3,1],[48,55,2],[101,18446744073709551615,1]]}}"#;
    assert_eq!(serde_json::to_string(&now).unwrap(), json);
    assert_eq!(serde_json::to_string(&now.value(Work::Rows)).unwrap(), "20");
    let Value::Histogram(time) = now.value(Work::Time) else { panic!("{now:?}") };
    assert!(json.contains(&serde_json::to_string(&time).unwrap()));
    // By a format that cares about the length that was announced.
    let value = serde_json::to_value(&now).unwrap();
    assert_eq!(value["connections_open"], 2);
    assert_eq!(value.as_object().unwrap().len(), 5);
}

#[tsrm::test(texts_debug)]
fn debug(_tsrm: Runtime) {
    let tsrm = Own::start([debugged::MODULE]).unwrap();
    let set = &debugged::WORK;
    let owned = OwnedStatistics::default();
    let shared = SharedStatistics::default();
    tsrm.attach(|here| {
        owned.inc(here, set, Work::Rows);
        shared.add(here, set, Work::Queries, 2);
        set.record(here, Work::Time, 1);
        assert_eq!(format!("{set:?}"), "Statistics(debugged::WORK)");
        assert_eq!(format!("{:?}", set.local(here)), "Local(WORK)");
        assert_eq!(format!("{:?}", set.anywhere()), "Anywhere(WORK)");
        let mut guard = set.open_many(here, Work::Open, 3);
        guard.set_amount(2);
        let text = r#"GaugeGuard { gauge: "connections_open", amount: 2, is_counted: true }"#;
        assert_eq!(format!("{guard:?}"), text);
    });
    let text = r#"{"rows": Counter(1), "queries": Counter(2), "connections_open": Gauge(0), "largest": Peak(0), "time": Histogram(Histogram { sum: 1, buckets: [Bucket { low: 1, high: 1, count: 1 }] })}"#;
    assert_eq!(format!("{:?}", set.snapshot()), text);
    assert_eq!(format!("{:?}", set.meter()), format!("Meter {{ zero: {text} }}"));
    let empty = r#""connections_open": Gauge(0), "largest": Peak(0), "time": Histogram(Histogram { sum: 0, buckets: [] })}"#;
    assert_eq!(
        format!("{owned:?}"),
        format!(r#"OwnedStatistics({{"rows": Counter(1), "queries": Counter(0), {empty})"#)
    );
    assert_eq!(
        format!("{shared:?}"),
        format!(r#"SharedStatistics({{"rows": Counter(0), "queries": Counter(2), {empty})"#)
    );
    let nothing = format!(r#"{{"rows": Counter(0), "queries": Counter(0), {empty}"#);
    let id = tsrm.attach(|here| here.thread().id());
    let name = std::thread::current().name().unwrap().to_owned();
    let label = format!("ThreadLabel {{ id: {id:?}, name: Some({name:?}) }}");
    assert_eq!(
        format!("{:?}", set.per_thread()),
        format!("PerThread {{ threads: [({label}, {text})], rest: {nothing} }}")
    );
    tsrm.detach().unwrap();
    assert_eq!(
        format!("{:?}", set.per_thread()),
        format!("PerThread {{ threads: [], rest: {text} }}")
    );
    tsrm.end();
}

#[tsrm::test(quantiles, texts_quantiles)]
fn quantile_by_quantile(tsrm: Runtime) {
    let set = &quantiles::WORK;
    let find = |part: f64| {
        let Value::Histogram(time) = set.snapshot().value(Work::Time) else { panic!() };
        time.quantile(part).map(|bucket| (bucket.low, bucket.high, bucket.count))
    };
    assert_eq!([0.0, 0.5, 1.0].map(find), [None; 3]);
    // 1 to 10, each in a bucket of its own but 8, 9 and 10.
    tsrm.attach(|here| (1..=10).for_each(|time| set.record(here, Work::Time, time)));
    let one = |value| Some((value, value, 1));
    assert_eq!([f64::MIN, 0.0, 0.05, 0.1].map(find), [one(1); 4]);
    assert_eq!([0.11, 0.2].map(find), [one(2); 2]);
    assert_eq!([0.41, 0.5].map(find), [one(5); 2]);
    assert_eq!([0.71, 0.8, 0.9].map(find), [Some((8, 9, 2)); 3]);
    assert_eq!([0.91, 1.0, f64::MAX].map(find), [Some((10, 11, 1)); 3]);
    assert_eq!(find(f64::NAN), one(1));
    tsrm.attach(|here| set.record(here, Work::Time, u64::MAX));
    assert_eq!(find(1.0), Some((101, u64::MAX, 1)));
}
