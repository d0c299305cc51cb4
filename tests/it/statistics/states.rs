//! Which sets there are, what became of their modules, and what each thread has counted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tsrm::Runtime;
use tsrm::stats::{Reading, SetState, Snapshot, all, find};

use super::{StopAtEnd, Work, numbers, threads, work};
use crate::load::resident;
use crate::shared::own::{LONG, Own, Worker, alone};

alone!(states_lives states_reloads states_twins states_threads states_bad states_names states_parts);
work!(lives_of_one reloaded per_thread in_parts used_badly);

/// The state and the rows of those sets of this test that are listed.
fn listed(module: &str) -> Vec<(SetState, u64)> {
    let is_its = |snapshot: &Snapshot| snapshot.module() == Some(module);
    let rows = |snapshot: Snapshot| (snapshot.state(), snapshot.count(Work::Rows));
    all().into_iter().filter(is_its).map(rows).collect()
}

#[tsrm::test(states_lives)]
fn not_started_up_and_retired(_tsrm: Runtime) {
    let set = &lives_of_one::WORK;
    let is = |state: SetState, rows: u64| {
        let now = set.snapshot();
        assert_eq!((now.state(), now.count(Work::Rows)), (state, rows));
        let found = find("lives_of_one", "work");
        if state == SetState::NotStarted {
            assert!(found.is_none() && listed("lives_of_one").is_empty());
        } else {
            assert_eq!(found, Some(now));
            assert_eq!(listed("lives_of_one"), [(state, rows)]);
        }
        assert_eq!(set.per_thread().rest.state(), state);
    };
    let tsrm = Own::start([]).unwrap();
    is(SetState::NotStarted, 0);
    tsrm.attach(|here| set.inc(here, Work::Rows));
    is(SetState::NotStarted, 1);
    tsrm.register(lives_of_one::MODULE).unwrap();
    is(SetState::Up, 1);
    tsrm.attach(|here| set.inc(here, Work::Rows));
    tsrm.detach().unwrap();
    assert!(tsrm.retire(lives_of_one::MODULE, LONG).unwrap().is_done());
    is(SetState::Retired, 2);
    tsrm.register(lives_of_one::MODULE).unwrap();
    is(SetState::Up, 2);
    tsrm.end();
    is(SetState::Retired, 2);
    // Without any runtime.
    set.anywhere().inc(Work::Rows);
    is(SetState::Retired, 3);
    let other = Own::start([]).unwrap();
    is(SetState::Retired, 3);
    other.end();
    let again = Own::start([lives_of_one::MODULE]).unwrap();
    is(SetState::Up, 3);
    again.end();
    for (module, name) in [("lives_of_one", "WORK"), ("lives_of_one", ""), ("", "work"), ("?", "?")]
    {
        assert!(find(module, name).is_none());
    }
}

#[tsrm::test(states_reloads)]
fn a_thousand_reloads(_tsrm: Runtime) {
    let tsrm = Own::start([reloaded::MODULE]).unwrap();
    let (set, count) = (&reloaded::WORK, all().len());
    let mut rows = 0;
    let mut reload = |times: u64| {
        for _ in 0..times {
            rows += 2;
            let guard = tsrm.attach(|here| {
                set.add(here, Work::Rows, 2);
                set.open(here, Work::Open)
            });
            let _ = tsrm.retire(reloaded::MODULE, Duration::ZERO).unwrap();
            drop(guard);
            tsrm.register(reloaded::MODULE).unwrap();
            assert_eq!(numbers(&set.snapshot()), [rows, 0, 0, 0, 0, 0]);
        }
    };
    reload(200);
    let before = resident();
    reload(1000);
    if let (Some(before), Some(after)) = (before, resident()) {
        assert!(after < before + 500_000, "{before} {after}");
    }
    assert_eq!(all().len(), count);
    assert_eq!(listed("reloaded"), [(SetState::Up, 2400)]);
    tsrm.end();
}

/// Modules of one name. The definitions of the first two are equal, that of the third one differs.
mod one {
    #[derive(Clone, Copy, tsrm::Statistics)]
    pub(crate) enum Twin {
        /// Rows.
        #[stat(counter)]
        Rows,
    }

    #[tsrm::module(name = "twin")]
    pub(super) mod twin {
        #[statistics]
        pub(crate) static TWIN: Statistics<super::Twin>;
    }
}

mod two {
    #[derive(Clone, Copy, tsrm::Statistics)]
    pub(crate) enum Other {
        /// Rows.
        #[stat(counter, name = "rows")]
        Lines,
    }

    #[tsrm::module(name = "twin")]
    pub(super) mod twin {
        #[statistics]
        pub(crate) static TWIN: Statistics<super::Other>;
    }
}

mod three {
    #[derive(Clone, Copy, tsrm::Statistics)]
    pub(crate) enum Changed {
        /// Rows of a new release.
        #[stat(counter)]
        Rows,
    }

    #[tsrm::module(name = "twin")]
    pub(super) mod twin {
        #[statistics]
        pub(crate) static TWIN: Statistics<super::Changed>;
    }
}

#[tsrm::test(states_twins)]
fn equal_definitions_are_one_set(_tsrm: Runtime) {
    use {one::Twin, three::Changed, two::Other};

    let tsrm = Own::start([one::twin::MODULE]).unwrap();
    let sets = (&one::twin::TWIN, &two::twin::TWIN, &three::twin::TWIN);
    tsrm.attach(|here| {
        sets.0.add(here, Twin::Rows, 1);
        sets.1.add(here, Other::Lines, 20);
        sets.2.add(here, Changed::Rows, 300);
    });
    let all_rows = || -> Vec<(SetState, u64)> {
        let its = all().into_iter().filter(|snapshot| snapshot.module() == Some("twin"));
        let rows = |now: Snapshot| (now.state(), now.get("rows").unwrap().value.count());
        its.map(rows).collect()
    };
    let seen = || {
        [
            sets.0.snapshot().count(Twin::Rows),
            sets.1.snapshot().count(Other::Lines),
            sets.2.snapshot().count(Changed::Rows),
        ]
    };
    assert_eq!(seen(), [21, 21, 300]);
    assert!(sets.0.snapshot() == sets.1.snapshot());
    // By either enum.
    assert_eq!(sets.0.snapshot().count(Other::Lines), 21);
    assert_eq!(all_rows(), [(SetState::Up, 21)], "the third one was never up");
    assert_eq!(sets.2.snapshot().state(), SetState::NotStarted);
    let threads = sets.0.per_thread();
    assert_eq!((threads.threads[0].1.count(Twin::Rows), threads.rest.count(Twin::Rows)), (21, 0));
    tsrm.detach().unwrap();
    assert_eq!((seen(), all_rows()), ([21, 21, 300], vec![(SetState::Up, 21)]));
    // A guard of the one is one of the other.
    assert!(tsrm.retire(one::twin::MODULE, LONG).unwrap().is_done());
    assert_eq!(all_rows(), [(SetState::Retired, 21)]);
    tsrm.register(two::twin::MODULE).unwrap();
    assert_eq!(all_rows(), [(SetState::Up, 21)], "it goes on by another module of that name");
    tsrm.attach(|here| sets.1.inc(here, Other::Lines));
    assert!(tsrm.retire(two::twin::MODULE, LONG).unwrap().is_down());
    // Of those that differ, the one that came up last has the name, by whichever function.
    let named = || {
        let found =
            find("twin", "twin").map(|now| (now.state(), now.get("rows").unwrap().value.count()));
        assert_eq!(all_rows(), [found.unwrap()]);
        found.unwrap()
    };
    assert_eq!(named(), (SetState::Retired, 22));
    tsrm.register(three::twin::MODULE).unwrap();
    assert_eq!(named(), (SetState::Up, 300));
    assert!(tsrm.retire(three::twin::MODULE, LONG).unwrap().is_down());
    assert_eq!(named(), (SetState::Retired, 300));
    tsrm.register(one::twin::MODULE).unwrap();
    assert_eq!(named(), (SetState::Up, 22));
    assert_eq!(seen(), [22, 22, 300], "the handles know theirs");
    // In order, each name once.
    let names: Vec<_> = all().iter().map(|now| (now.module(), now.name())).collect();
    assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
    tsrm.end();
}

#[tsrm::test(states_threads)]
fn thread_by_thread(_tsrm: Runtime) {
    let tsrm = Own::start([per_thread::MODULE]).unwrap();
    let set = &per_thread::WORK;
    let mut workers = Worker::several(*tsrm, 3);
    let count = |worker: &Worker, by: u64| {
        worker.attach(move |here| {
            set.add(here, Work::Rows, by);
            set.raise(here, Work::Largest, by);
            set.record(here, Work::Time, by);
            here.thread().id()
        })
    };
    let ids: Vec<_> =
        workers.iter().zip([1, 10, 100]).map(|(worker, by)| count(worker, by)).collect();
    set.anywhere().add(Work::Rows, 1000);
    let names = || {
        let threads = set.per_thread().threads;
        threads
            .into_iter()
            .map(|(label, now)| (label.id, label.name.unwrap(), numbers(&now)))
            .collect::<Vec<_>>()
    };
    let mut expected: Vec<_> = (1..)
        .zip(&ids)
        .zip([1, 10, 100])
        .map(|((number, id), by)| (*id, format!("worker {number}"), [by, 0, 0, by, 1, by]))
        .collect();
    assert_eq!(names(), expected);
    assert_eq!(numbers(&set.per_thread().rest), [1000, 0, 0, 0, 0, 0]);
    let whole = numbers(&set.snapshot());
    // One goes.
    drop(workers.pop().unwrap());
    let gone = expected.pop().unwrap();
    assert_eq!(names(), expected);
    let mut rest = gone.2;
    rest[0] += 1000;
    assert_eq!(numbers(&set.per_thread().rest), rest);
    assert_eq!(numbers(&set.snapshot()), whole);
    // One that registers again begins from 0, with another number.
    let worker =
        if tsrm::SINGLE_THREADED { Worker::new(*tsrm, "worker 1") } else { workers.pop().unwrap() };
    if !tsrm::SINGLE_THREADED {
        worker.detach();
    }
    let id = count(&worker, 5);
    assert!(ids.iter().all(|old| *old != id));
    let threads = set.per_thread();
    let last = threads.threads.last().unwrap();
    assert_eq!((last.0.id, numbers(&last.1)), (id, [5, 0, 0, 5, 1, 5]));
    drop((worker, workers));
    tsrm.end();
    assert!(set.per_thread().threads.is_empty());
    assert_eq!(numbers(&set.per_thread().rest), numbers(&set.snapshot()));
}

/// Of one moment, while threads count, come and go: the parts are the whole.
#[tsrm::test(in_parts, states_parts)]
fn thread_by_thread_while_they_come_and_go(tsrm: Runtime) {
    let (set, stop) = (&in_parts::WORK, AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        for _ in 0..threads(2) {
            scope.spawn(|| {
                let mut mine = 0;
                while !stop.load(Ordering::Relaxed) {
                    tsrm.attach(|here| set.inc(here, Work::Queries));
                    mine += 1;
                    if mine % 16 == 0 {
                        tsrm.detach().unwrap();
                    }
                }
                tsrm.detach().unwrap();
            });
        }
        let mut before = 0;
        for _ in 0..5000 {
            let least = set.snapshot().count(Work::Queries);
            let parts = set.per_thread();
            let most = set.snapshot().count(Work::Queries);
            let threads = parts.threads.iter().map(|(_, now)| now.count(Work::Queries));
            let sum = threads.sum::<u64>() + parts.rest.count(Work::Queries);
            assert!((least..=most).contains(&sum) && before <= least, "{least} {sum} {most}");
            before = most;
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[tsrm::test(states_bad)]
fn used_when_it_is_down(_tsrm: Runtime) {
    let set = &used_badly::WORK;
    // Its module is linked and never registered.
    let tsrm = Own::start([]).unwrap();
    let guard = tsrm.attach(|here| {
        set.inc(here, Work::Rows);
        set.open(here, Work::Open)
    });
    tsrm.register(used_badly::MODULE).unwrap();
    assert!(tsrm.retire(used_badly::MODULE, LONG).unwrap().is_down());
    tsrm.attach(|here| {
        set.inc(here, Work::Rows);
        drop(guard);
    });
    assert_eq!(numbers(&set.snapshot()), [2, 0, 0, 0, 0, 0]);
    let meter = set.meter();
    tsrm.end();
    // After the end: no attach, but reading, and counting without a token.
    let stale = Runtime::current();
    assert_eq!(stale, None);
    let guard = set.anywhere().open_many(Work::Open, 7);
    set.anywhere().inc(Work::Rows);
    assert_eq!(numbers(&meter.read()), [1, 0, 7, 0, 0, 0]);
    drop(guard);
    assert_eq!(find("used_badly", "work").map(|now| numbers(&now)), Some([3, 0, 0, 0, 0, 0]));
    assert!(set.per_thread().threads.is_empty());
}

/// The names that a set, its module and its statistics may have.
#[derive(Clone, Copy, tsrm::Statistics)]
enum Named {
    /// One. Two sentences.
    /// Of three lines
    /// with "quotes", a \ and ünicode.
    #[stat(counter, unit = "bytes")]
    BytesSent,
    #[doc = "By hand."]
    #[stat(counter, name = "renamed_2")]
    HTTPRequests,
    /** A block
     * of two lines.
     */
    #[stat(peak)]
    Rows2Send,
}

#[tsrm::module(name = "a module's näme")]
mod strange {
    #[allow(non_upper_case_globals, reason = "its name in lower case is looked for")]
    #[statistics]
    pub(super) static HTTP_Stats: Statistics<super::Named>;
}

#[tsrm::test(states_names)]
fn names_of_all_sorts(_tsrm: Runtime) {
    let tsrm = Own::start([strange::MODULE]).unwrap();
    let now = find("a module's näme", "http_stats").unwrap();
    assert_eq!(now.module(), Some("a module's näme"));
    let text = |reading: Reading| (reading.name, reading.unit, reading.help);
    assert_eq!(
        now.iter().map(text).collect::<Vec<_>>(),
        [
            (
                "bytes_sent",
                Some("bytes"),
                "One. Two sentences. Of three lines with \"quotes\", a \\ and ünicode."
            ),
            ("renamed_2", None, "By hand."),
            ("rows2_send", None, "A block of two lines."),
        ]
    );
    assert_eq!(format!("{:?}", strange::HTTP_Stats), "Statistics(a module's näme::HTTP_Stats)");
    tsrm.attach(|here| {
        strange::HTTP_Stats.inc(here, Named::BytesSent);
        strange::HTTP_Stats.inc(here, Named::HTTPRequests);
        strange::HTTP_Stats.raise(here, Named::Rows2Send, 2);
    });
    let json = r#"{"bytes_sent":1,"renamed_2":1,"rows2_send":2}"#;
    assert_eq!(serde_json::to_string(&strange::HTTP_Stats.snapshot()).unwrap(), json);
    tsrm.end();
}
