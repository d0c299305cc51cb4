//! Sets of objects that have one owner at a time.

use std::sync::mpsc;

use tsrm::Runtime;
use tsrm::stats::{GaugeGuard, OwnedStatistics, SetState, Snapshot};

use super::{Work, numbers, threads, work};
use crate::shared::own::{LONG, alone};

alone!(objects_ways objects_handed objects_outlived);
work!(owned_ways handed outlived);

#[tsrm::test(owned_ways, objects_ways)]
fn each_way_counts_in_both(tsrm: Runtime) {
    let set = &owned_ways::WORK;
    // As a constant too.
    static SIZE: usize = size_of::<OwnedStatistics<Work>>();
    let [one, other] = [const { OwnedStatistics::<Work>::new() }, OwnedStatistics::default()];
    let all = || [set.snapshot(), one.snapshot(), other.snapshot()].map(|now| numbers(&now));
    let guards = tsrm.attach(|here| {
        one.add(here, set, Work::Rows, 20);
        one.inc(here, set, Work::Queries);
        one.add_all(here, set, [(Work::Rows, 1), (Work::Queries, 2)]);
        one.raise(here, set, Work::Largest, 9);
        one.record(here, set, Work::Time, 70);
        other.inc(here, set, Work::Rows);
        other.raise(here, set, Work::Largest, 11);
        other.record(here, set, Work::Time, 700);
        set.inc(here, Work::Rows);
        [
            one.open(here, set, Work::Open),
            one.open_many(here, set, Work::Open, 10),
            other.open_many(here, set, Work::Open, 100),
            set.open_many(here, Work::Open, 1000),
        ]
    });
    let expected = |open: [u64; 3]| {
        [[23, 3, open[0], 11, 2, 770], [21, 3, open[1], 9, 1, 70], [1, 0, open[2], 11, 1, 700]]
    };
    assert_eq!(all(), expected([1111, 11, 100]));
    let [first, mut second, third, fourth] = guards;
    second.set_amount(30);
    assert_eq!(all(), expected([1131, 31, 100]));
    second.set_amount(2);
    assert_eq!(all(), expected([1103, 3, 100]));
    tsrm.attach(|_here| drop((first, third)));
    assert_eq!(all(), expected([1002, 2, 0]));
    std::thread::spawn(move || drop((second, fourth))).join().unwrap();
    assert_eq!(all(), expected([0, 0, 0]));
    let now = one.snapshot();
    assert_eq!((now.state(), now.module(), now.name()), (SetState::Owned, None, None));
    assert!(now == one.snapshot() && now != other.snapshot() && now != set.snapshot());
    assert_eq!(numbers(&one.snapshot().since(&now)), [0, 0, 0, 9, 0, 0]);
    // What is counted for the process stays.
    drop((one, other));
    assert_eq!(numbers(&set.snapshot()), expected([0, 0, 0])[0]);
    // 24 buckets and a sum, two counters, two cells of the gauge, a peak; and where the gauges are.
    assert_eq!(SIZE, (25 + 5) * 8 + size_of::<usize>());
}

/// A connection, on its way from thread to thread.
struct Connection {
    /// Before its set, and behind it.
    first: Option<GaugeGuard<Work>>,
    stats: OwnedStatistics<Work>,
    last: Option<GaugeGuard<Work>>,
    number: u64,
    hops: u64,
}

const CONNECTIONS: u64 = 1000;
const HOPS: u64 = 60;

/// What one has counted at its end.
fn counted(number: u64) -> [u64; 6] {
    let times: u64 = (0..HOPS).map(|hop| hop + number % 7).sum();
    [HOPS * number, HOPS, 0, number, HOPS, times]
}

#[tsrm::test(handed, objects_handed)]
fn a_thousand_connections_handed_between_threads(tsrm: Runtime) {
    let set = &handed::WORK;
    let count = threads(8);
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..count).map(|_| mpsc::channel::<Connection>()).unzip();
    let (done, arrived) = mpsc::channel::<Connection>();
    for number in 0..CONNECTIONS {
        let stats = OwnedStatistics::new();
        let connection = Connection { first: None, stats, last: None, number, hops: 0 };
        senders[number as usize % count].send(connection).unwrap();
    }
    let mut ended = Vec::new();
    std::thread::scope(|scope| {
        for (index, receiver) in receivers.into_iter().enumerate() {
            let (senders, done) = (senders.clone(), done.clone());
            scope.spawn(move || {
                tsrm.detach_after(|| {
                    while let Ok(mut connection) = receiver.recv() {
                        if connection.hops == u64::MAX {
                            return;
                        }
                        tsrm.attach(|here| {
                            let Connection { first, stats, last, number, hops } = &mut connection;
                            stats.add_all(here, set, [(Work::Rows, *number), (Work::Queries, 1)]);
                            stats.raise(here, set, Work::Largest, *number);
                            stats.record(here, set, Work::Time, *hops + *number % 7);
                            // Closed by whichever thread has it then.
                            if let Some(guard) = first.replace(stats.open(here, set, Work::Open)) {
                                drop(guard);
                            }
                            last.replace(stats.open_many(here, set, Work::Open, *number));
                            assert_eq!(stats.snapshot().count(Work::Open), 1 + *number);
                            *hops += 1;
                        });
                        let next = (index + connection.number as usize % 3) % senders.len();
                        let is_done = connection.hops == HOPS;
                        let to = if is_done { &done } else { &senders[next] };
                        to.send(connection).unwrap();
                    }
                });
            });
        }
        for _ in 0..CONNECTIONS {
            assert!(set.snapshot().count(Work::Open) < 1 << 40);
            let connection = arrived.recv_timeout(LONG).unwrap();
            let number = connection.number;
            let mut expected = counted(number);
            expected[2] = 1 + number;
            assert_eq!(numbers(&connection.stats.snapshot()), expected);
            // Half of them end with open guards; of the others those go first.
            if number % 2 == 0 {
                ended.push(connection);
            } else {
                let Connection { first, stats, last, .. } = connection;
                drop((first, last));
                assert_eq!(numbers(&stats.snapshot()), counted(number));
            }
        }
        for sender in &senders {
            let stats = OwnedStatistics::new();
            let end = Connection { first: None, stats, last: None, number: 0, hops: u64::MAX };
            sender.send(end).unwrap();
        }
    });
    drop(ended);
    let mut all = [0; 6];
    for number in 0..CONNECTIONS {
        all.iter_mut().zip(counted(number)).for_each(|(all, one)| *all += one);
    }
    all[3] = CONNECTIONS - 1;
    assert_eq!(numbers(&set.snapshot()), all);
}

#[tsrm::test(outlived, objects_outlived)]
fn a_guard_outlives_its_object(tsrm: Runtime) {
    let set = &outlived::WORK;
    let open = || set.snapshot().count(Work::Open);
    let guard = |amount| {
        tsrm.attach(|here| {
            let stats = OwnedStatistics::<Work>::new();
            let guard = stats.open_many(here, set, Work::Open, amount);
            let seen: Snapshot = stats.snapshot();
            assert_eq!(seen.count(Work::Open), amount);
            guard
        })
    };
    let (mut one, two, three) = (guard(1), guard(2), guard(4));
    assert_eq!(open(), 7);
    one.set_amount(11);
    assert_eq!(open(), 17);
    drop(one);
    assert_eq!(open(), 6);
    tsrm.attach(|_here| drop(two));
    tsrm.detach().unwrap();
    std::thread::spawn(move || drop(three)).join().unwrap();
    assert_eq!(open(), 0);
    // Moved while it is open.
    let mut stats = Box::new(OwnedStatistics::<Work>::new());
    let guard = tsrm.attach(|here| stats.open(here, set, Work::Open));
    let moved = std::mem::take(&mut *stats);
    assert_eq!([&moved, &*stats].map(|stats| stats.snapshot().count(Work::Open)), [1, 0]);
    drop(guard);
    assert_eq!([&moved, &*stats].map(|stats| stats.snapshot().count(Work::Open)), [0, 0]);
}
