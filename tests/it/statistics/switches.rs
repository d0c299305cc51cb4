//! Sets that are switched on and off, and those that are not there at all.

use std::sync::atomic::{AtomicBool, Ordering};

use tsrm::Runtime;
use tsrm::stats::{OwnedStatistics, SetState, SharedStatistics, Value};

use super::{StopAtEnd, threads};
use crate::shared::own::{Own, alone};

alone!(switches_one switches_all_or_nothing switches_off);

#[derive(Clone, Copy, tsrm::Statistics)]
#[stat(switch)]
enum Traffic {
    /// Packets sent.
    #[stat(counter)]
    Packets,
    /// Their bytes.
    #[stat(counter)]
    Bytes,
    /// Packets under way.
    #[stat(gauge)]
    UnderWay,
    /// The largest one.
    #[stat(peak)]
    Largest,
    /// Their sizes.
    #[stat(histogram, max = 1_000)]
    Sizes,
}

#[tsrm::module]
mod switched {
    #[statistics]
    pub(super) static ONE: Statistics<super::Traffic>;
    /// Has a switch of its own.
    #[statistics]
    pub(super) static OTHER: Statistics<super::Traffic>;
}

#[tsrm::module]
mod toggled {
    #[statistics]
    pub(super) static TRAFFIC: Statistics<super::Traffic>;
}

fn numbers(snapshot: &tsrm::stats::Snapshot) -> [u64; 5] {
    use Traffic::{Bytes, Largest, Packets, Sizes, UnderWay};
    [Packets, Bytes, UnderWay, Largest, Sizes].map(|statistic| snapshot.count(statistic))
}

#[tsrm::test(switched, switches_one)]
fn on_and_off(tsrm: Runtime) {
    let set = &switched::ONE;
    let owned = OwnedStatistics::<Traffic>::new();
    let shared = SharedStatistics::<Traffic>::new();
    let all = || [set.snapshot(), owned.snapshot(), shared.snapshot()].map(|now| numbers(&now));
    let count_all = || {
        tsrm.attach(|here| {
            let (local, anywhere) = (set.local(here), set.anywhere());
            set.inc(here, Traffic::Packets);
            local.inc(Traffic::Packets);
            anywhere.inc(Traffic::Packets);
            owned.inc(here, set, Traffic::Packets);
            shared.inc(here, set, Traffic::Packets);
            let two = [(Traffic::Packets, 1), (Traffic::Bytes, 5)];
            set.add_all(here, two);
            local.add_all(two);
            owned.add_all(here, set, two);
            set.raise(here, Traffic::Largest, 1);
            anywhere.raise(Traffic::Largest, 2);
            owned.raise(here, set, Traffic::Largest, 3);
            shared.raise(here, set, Traffic::Largest, 4);
            set.record(here, Traffic::Sizes, 1);
            anywhere.record(Traffic::Sizes, 1);
            owned.record(here, set, Traffic::Sizes, 1);
            shared.record(here, set, Traffic::Sizes, 1);
            [
                set.open(here, Traffic::UnderWay),
                local.open_many(Traffic::UnderWay, 2),
                anywhere.open_many(Traffic::UnderWay, 3),
                owned.open_many(here, set, Traffic::UnderWay, 4),
                shared.open_many(here, set, Traffic::UnderWay, 5),
            ]
        })
    };
    let expected = |up: [u64; 3]| [[8, 15, up[0], 4, 4], [2, 5, up[1], 3, 1], [1, 0, up[2], 4, 1]];

    assert!(set.is_enabled(), "at first");
    set.set_enabled(false);
    assert!(!set.is_enabled() && switched::OTHER.is_enabled());
    let mut off = count_all();
    for guard in &mut off {
        assert_eq!((guard.amount(), guard.is_counted()), (0, false));
        guard.set_amount(7);
        assert_eq!((guard.amount(), guard.is_counted()), (0, false));
    }
    assert_eq!(all(), [[0; 5]; 3]);

    set.set_enabled(true);
    let on = count_all();
    assert_eq!(on.each_ref().map(|guard| (guard.amount(), guard.is_counted())), {
        [1, 2, 3, 4, 5].map(|amount| (amount, true))
    });
    assert_eq!(all(), expected([15, 4, 5]));
    // Those from before are not counted later; nor taken back.
    let mut off = off.into_iter();
    off.by_ref().take(2).for_each(drop);
    tsrm.attach(|_here| off.for_each(drop));
    assert_eq!(all(), expected([15, 4, 5]));

    // What is up goes down while it is off.
    set.set_enabled(false);
    let [one, two, mut three, four, five] = on;
    drop(one);
    tsrm.attach(|_here| drop(two));
    assert_eq!(all(), expected([12, 4, 5]));
    three.set_amount(1);
    assert_eq!(all(), expected([10, 4, 5]));
    tsrm.attach(|_here| drop(four));
    assert_eq!(all(), expected([6, 0, 5]));
    drop((three, five));
    assert_eq!(all(), expected([0, 0, 0]));
    assert_eq!(numbers(&switched::OTHER.snapshot()), [0; 5]);
    set.set_enabled(true);
}

#[tsrm::test(toggled, switches_all_or_nothing)]
fn switched_all_the_time(tsrm: Runtime) {
    let set = &toggled::TRAFFIC;
    let stop = AtomicBool::new(false);
    let owned_sums = std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for _ in 0..100 {
                    set.set_enabled(false);
                    std::hint::spin_loop();
                    set.set_enabled(true);
                }
                assert!(set.snapshot().count(Traffic::UnderWay) < 1 << 40);
            }
            set.set_enabled(true);
        });
        let workers: Vec<_> = (0..threads(3))
            .map(|_| {
                scope.spawn(|| {
                    let owned = OwnedStatistics::<Traffic>::new();
                    tsrm.detach_after(|| {
                        let mut counted = [0; 2];
                        let mut last = None;
                        // And until it was on for once: whoever switches may have been put to sleep.
                        while counted[0] + counted[1] < 50_000 || counted[1] == 0 {
                            tsrm.attach(|here| {
                                let two = [(Traffic::Packets, 1), (Traffic::Bytes, 20)];
                                set.add_all(here, two);
                                owned.add_all(here, set, two);
                                let guard = set.open(here, Traffic::UnderWay);
                                let both = owned.open(here, set, Traffic::UnderWay);
                                counted[usize::from(guard.is_counted())] += 1;
                                // Open from one round to the next.
                                last = Some(guard);
                                drop(both);
                            });
                        }
                    });
                    let [packets, bytes, under_way, ..] = numbers(&owned.snapshot());
                    assert_eq!((bytes, under_way), (20 * packets, 0));
                    packets
                })
            })
            .collect();
        let sums: u64 = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        stop.store(true, Ordering::Relaxed);
        sums
    });
    let [packets, bytes, under_way, largest, sizes] = numbers(&set.snapshot());
    assert_eq!(bytes, 20 * packets, "all or nothing");
    assert_eq!((under_way, largest, sizes), (0, 0, 0));
    assert!(packets >= owned_sums && packets <= 2 * 50_000 * threads(3) as u64);
}

#[derive(Clone, Copy, tsrm::Statistics)]
#[stat(off)]
enum Absent {
    /// Packets sent.
    #[stat(counter, unit = "packets")]
    Packets,
    /// Packets under way.
    #[stat(gauge)]
    UnderWay,
    /// The largest one.
    #[stat(peak)]
    Largest,
    /// Their sizes.
    #[stat(histogram, max = 1_000)]
    Sizes,
}

#[derive(Clone, Copy, tsrm::Statistics)]
#[stat(off, switch)]
enum SwitchedAbsent {
    /// Packets sent.
    #[stat(counter)]
    Packets,
}

#[tsrm::module]
mod off {
    use super::*;

    #[statistics]
    pub(super) static ABSENT: Statistics<Absent>;
    #[statistics]
    pub(super) static SWITCHED: Statistics<SwitchedAbsent>;
}

const _: () = assert!(size_of::<<Absent as tsrm::stats::Statistic>::Cells>() == 0);
const _: () = assert!(size_of::<OwnedStatistics<Absent>>() <= size_of::<usize>());

#[tsrm::test(switches_off)]
fn compiled_off(_tsrm: Runtime) {
    let tsrm = Own::start([off::MODULE]).unwrap();
    let set = &off::ABSENT;
    let owned = OwnedStatistics::<Absent>::new();
    let shared = SharedStatistics::<Absent>::new();
    let guards = tsrm.attach(|here| {
        set.add(here, Absent::Packets, 1);
        set.add_all(here, [(Absent::Packets, 1), (Absent::Packets, 1)]);
        set.local(here).inc(Absent::Packets);
        set.anywhere().inc(Absent::Packets);
        set.raise(here, Absent::Largest, 9);
        set.record(here, Absent::Sizes, 9);
        // What is not there has no kind either.
        set.inc(here, Absent::UnderWay);
        owned.inc(here, set, Absent::Packets);
        owned.record(here, set, Absent::Sizes, 9);
        shared.inc(here, set, Absent::Packets);
        off::SWITCHED.inc(here, SwitchedAbsent::Packets);
        [
            set.open(here, Absent::UnderWay),
            set.anywhere().open_many(Absent::UnderWay, 1),
            owned.open(here, set, Absent::UnderWay),
            shared.open(here, set, Absent::UnderWay),
        ]
    });
    let [one, mut other, third, fourth] = guards;
    other.set_amount(5);
    assert_eq!((other.amount(), other.is_counted()), (0, false));
    tsrm.attach(|_here| drop((one, third)));
    drop((other, fourth));
    for now in [set.snapshot(), owned.snapshot(), shared.snapshot()] {
        assert!(now.is_off());
        assert_eq!((now.iter().count(), now.flatten().count()), (0, 0));
        assert_eq!(now.get("packets"), None);
        assert_eq!((serde_json::to_string(&now).unwrap(), format!("{now:?}")), {
            ("{}".to_owned(), "{}".to_owned())
        });
        assert_eq!(now.value(Absent::Packets), Value::Counter(0));
        let Value::Histogram(sizes) = now.value(Absent::Sizes) else { panic!() };
        assert_eq!((sizes.count(), sizes.sum(), sizes.quantile(0.5)), (0, 0, None));
        assert!(now.since(&now).is_off());
    }
    assert_eq!((set.snapshot().state(), set.snapshot().name()), (SetState::Up, Some("absent")));
    assert_eq!(set.per_thread().threads.len(), 1);
    assert!(set.meter().reset().is_off());
    // It stays off.
    let switched = &off::SWITCHED;
    assert!(!switched.is_enabled());
    switched.set_enabled(true);
    assert!(!switched.is_enabled());
    tsrm.attach(|here| switched.inc(here, SwitchedAbsent::Packets));
    assert_eq!(switched.snapshot().count(SwitchedAbsent::Packets), 0);
    // No storage, for no thread; and no resource for the object.
    let report = tsrm.report();
    let sets = &report.modules[0].statistics;
    let sets: Vec<_> = sets.iter().map(|set| (set.name, set.statistics, set.bytes)).collect();
    assert_eq!(sets, [("ABSENT", 4, 0), ("SWITCHED", 1, 0)]);
    assert_eq!(report.resources, []);
    tsrm.end();
}
