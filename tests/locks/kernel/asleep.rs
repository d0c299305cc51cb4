//! Who sleeps is woken once, and nobody is woken in vain.

use std::time::Duration;

use crate::primitive::{Instant, time_passes};
use crate::script::Call::{Wait, Wake};
use crate::script::{calls, play};
use crate::srw_word::SrwWord;
use crate::sux_word::SuxWord;
use crate::sys::Queue::{Holder, One, Readers};
use crate::words_of;

const HOUR: Duration = Duration::from_secs(3600);

fn in_an_hour() -> Instant {
    Instant::after(HOUR)
}

fn an_hour_passes() {
    time_passes(HOUR);
}

/// A lock that lives as long as any closure.
fn mutex() -> &'static SrwWord {
    Box::leak(Box::new(SrwWord::new()))
}

/// As above.
fn sux() -> &'static SuxWord {
    Box::leak(Box::new(SuxWord::new()))
}

#[test]
fn one_waits_for_a_mutex() {
    let lock = mutex();
    assert!(lock.try_lock());
    let calls = play([Box::new(|| lock.unlock())], || {
        assert!(lock.lock_contended(None));
        lock.unlock();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0]);
}

/// Until it has come, others come and go as if nobody waited.
#[test]
fn one_is_on_its_way_to_a_mutex() {
    let lock = mutex();
    assert!(lock.try_lock());
    let others = || {
        lock.unlock();
        for _ in 0..3 {
            assert!(lock.try_lock());
            lock.unlock();
        }
    };
    let calls = play([Box::new(others)], || {
        assert!(lock.lock_contended(None));
        lock.unlock();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0]);
}

/// It finds another one there, and sleeps again; that one's release wakes it.
#[test]
fn one_comes_too_late_for_a_mutex() {
    let lock = mutex();
    assert!(lock.try_lock());
    let passes_on = || {
        lock.unlock();
        assert!(lock.try_lock());
    };
    let calls = play([Box::new(passes_on), Box::new(|| lock.unlock())], || {
        assert!(lock.lock_contended(None));
        lock.unlock();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One), Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0]);
}

/// For no reason at all.
#[test]
fn one_wakes_up_early() {
    let lock = mutex();
    assert!(lock.try_lock());
    let calls = play([Box::new(|| {}), Box::new(|| {}), Box::new(|| lock.unlock())], || {
        assert!(lock.lock_contended(None));
        lock.unlock();
    });
    assert_eq!(calls, [Wait(One), Wait(One), Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0]);
}

/// Nobody is woken for a mutex that is held: its release does that.
#[test]
fn one_gives_a_mutex_up() {
    let lock = mutex();
    assert!(lock.try_lock());
    let another = || {
        assert!(!lock.lock_contended(Some(in_an_hour())));
        assert_eq!(calls(), [Wait(One), Wait(One)]);
        lock.unlock();
    };
    let calls = play([Box::new(another), Box::new(an_hour_passes)], || {
        assert!(lock.lock_contended(None));
        lock.unlock();
    });
    assert_eq!(calls, [Wait(One), Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0]);
}

/// The one that gives up was woken, and another one was there before it came: whose release then wakes the next.
#[test]
fn one_gives_a_mutex_up_that_was_meant_for_it() {
    let lock = mutex();
    assert!(lock.try_lock());
    let another = || {
        assert!(!lock.lock_contended(Some(in_an_hour())));
        lock.unlock();
    };
    let meanwhile = || {
        lock.unlock();
        assert!(lock.try_lock());
        an_hour_passes();
    };
    let calls = play([Box::new(another), Box::new(meanwhile)], || {
        assert!(lock.lock_contended(None));
        lock.unlock();
    });
    assert_eq!(calls, [Wait(One), Wait(One), Wake(1, One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0]);
}

#[test]
fn one_waits_for_update() {
    let lock = sux();
    assert!(lock.try_update());
    let calls = play([Box::new(|| lock.release_update())], || {
        assert!(lock.update_contended(None));
        lock.release_update();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0, 0]);
}

#[test]
fn one_waits_for_exclusive() {
    let lock = sux();
    assert!(lock.try_exclusive());
    let calls = play([Box::new(|| lock.release_exclusive())], || {
        assert!(lock.exclusive_contended(None));
        lock.release_exclusive();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0, 0]);
}

/// Until it has come, others come and go as if nobody waited.
#[test]
fn one_is_on_its_way() {
    let lock = sux();
    assert!(lock.try_update());
    let others = || {
        lock.release_update();
        for _ in 0..3 {
            assert!(lock.try_exclusive());
            lock.exclusive_to_update();
            lock.update_to_shared();
            lock.release_shared();
        }
    };
    let calls = play([Box::new(others)], || {
        assert!(lock.update_contended(None));
        lock.release_update();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0, 0]);
}

/// Each is woken by the one before it, and the last one wakes nobody.
#[test]
fn three_wait_for_exclusive() {
    let lock = sux();
    assert!(lock.try_exclusive());
    let waits = || {
        assert!(lock.exclusive_contended(None));
        lock.release_exclusive();
    };
    let calls =
        play([Box::new(waits), Box::new(waits), Box::new(|| lock.release_exclusive())], waits);
    let wakes = [Wake(1, One); 3];
    assert_eq!(calls, [[Wait(One); 3], wakes].concat());
    assert_eq!(words_of(lock), [0, 0]);
}

/// One call wakes them all, and all of them are in before the first one leaves.
#[test]
fn three_readers_wait() {
    let lock = sux();
    assert!(lock.try_exclusive());
    let waits = || assert!(lock.shared_contended(None));
    let calls =
        play([Box::new(waits), Box::new(waits), Box::new(|| lock.release_exclusive())], waits);
    assert_eq!(calls, [Wait(Readers), Wait(Readers), Wait(Readers), Wake(u32::MAX, Readers)]);
    (0..3).for_each(|_| lock.release_shared());
    assert_eq!(words_of(lock), [0, 0]);
}

/// Readers are woken as soon as they may enter, the other one when it may.
#[test]
fn a_reader_and_another_wait() {
    let lock = sux();
    assert!(lock.try_exclusive());
    let reads = || {
        assert!(lock.shared_contended(None));
        lock.release_update();
        lock.release_shared();
    };
    let calls = play([Box::new(reads), Box::new(|| lock.exclusive_to_update())], || {
        assert!(lock.update_contended(None));
        lock.release_update();
    });
    assert_eq!(calls, [Wait(One), Wait(Readers), Wake(u32::MAX, Readers), Wake(1, One)]);
    assert_eq!(words_of(lock), [0, 0]);
}

/// Both are woken if both may enter.
#[test]
fn a_reader_and_another_wait_for_the_same() {
    for downgrades in [false, true] {
        let lock = sux();
        assert!(lock.try_exclusive());
        let reads = || {
            assert!(lock.shared_contended(None));
            lock.release_shared();
        };
        let leaves = move || {
            if downgrades {
                lock.exclusive_to_shared();
                lock.release_shared();
            } else {
                lock.release_exclusive();
            }
        };
        let calls = play([Box::new(reads), Box::new(leaves)], || {
            assert!(lock.update_contended(None));
            lock.release_update();
        });
        assert_eq!(calls, [Wait(One), Wait(Readers), Wake(u32::MAX, Readers), Wake(1, One)]);
        assert_eq!(words_of(lock), [0, 0]);
    }
}

/// U is given up for S.
#[test]
fn one_waits_for_the_end_of_an_update() {
    let lock = sux();
    assert!(lock.try_update());
    let calls = play([Box::new(|| lock.update_to_shared())], || {
        assert!(lock.update_contended(None));
        lock.release_update();
    });
    assert_eq!(calls, [Wait(One), Wake(1, One)]);
    lock.release_shared();
    assert_eq!(words_of(lock), [0, 0]);
}

/// Of the readers only the last one wakes it.
#[test]
fn one_waits_for_readers() {
    let lock = sux();
    let leave = || (0..3).for_each(|_| lock.release_shared());
    (0..3).for_each(|_| assert!(lock.try_shared()));
    let calls = play([Box::new(leave)], || {
        assert!(lock.exclusive_contended(None));
        lock.release_exclusive();
    });
    assert_eq!(calls, [Wait(Holder), Wake(1, Holder)]);

    (0..3).for_each(|_| assert!(lock.try_shared()));
    assert!(lock.try_update());
    let calls = play([Box::new(leave)], || {
        assert!(!lock.upgrade());
        assert!(lock.upgrade_contended(None));
        lock.release_exclusive();
    });
    assert_eq!(calls, [Wait(Holder), Wake(1, Holder)]);
    assert_eq!(words_of(lock), [0, 0]);
}

/// And gives up: then a reader that it kept out is woken, but not by it if there is none.
#[test]
fn one_gives_up_waiting_for_readers() {
    let lock = sux();
    assert!(lock.try_shared());
    let calls = play([Box::new(an_hour_passes)], || {
        assert!(!lock.exclusive_contended(Some(in_an_hour())));
    });
    assert_eq!(calls, [Wait(Holder)]);

    assert!(lock.try_update());
    assert!(!lock.upgrade());
    let gives_up = || assert!(!lock.upgrade_contended(Some(in_an_hour())));
    let calls = play([Box::new(gives_up), Box::new(an_hour_passes)], || {
        assert!(lock.shared_contended(None));
    });
    assert_eq!(calls, [Wait(Readers), Wait(Holder), Wake(u32::MAX, Readers)]);
    lock.release_shared();
    lock.release_shared();
    lock.release_update();
    assert_eq!(words_of(lock), [0, 0]);
}

/// Nobody is woken for U that is held: its release does that.
#[test]
fn one_gives_update_up() {
    let lock = sux();
    assert!(lock.try_update());
    let another = || {
        assert!(!lock.exclusive_contended(Some(in_an_hour())));
        assert_eq!(calls(), [Wait(One), Wait(One)]);
        lock.release_update();
    };
    let calls = play([Box::new(another), Box::new(an_hour_passes)], || {
        assert!(lock.update_contended(None));
        lock.release_update();
    });
    assert_eq!(calls, [Wait(One), Wait(One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0, 0]);
}

/// The one that gives up was woken, and another one was there before it came: whose release then wakes the next.
#[test]
fn one_gives_update_up_that_was_meant_for_it() {
    let lock = sux();
    assert!(lock.try_update());
    let another = || {
        assert!(!lock.update_contended(Some(in_an_hour())));
        lock.release_update();
    };
    let meanwhile = || {
        lock.release_update();
        assert!(lock.try_update());
        an_hour_passes();
    };
    let calls = play([Box::new(another), Box::new(meanwhile)], || {
        assert!(lock.update_contended(None));
        lock.release_update();
    });
    assert_eq!(calls, [Wait(One), Wait(One), Wake(1, One), Wake(1, One)]);
    assert_eq!(words_of(lock), [0, 0]);
}

#[test]
fn a_reader_gives_up() {
    let lock = sux();
    assert!(lock.try_exclusive());
    let calls = play([Box::new(an_hour_passes)], || {
        assert!(!lock.shared_contended(Some(in_an_hour())));
    });
    assert_eq!(calls, [Wait(Readers)]);
    // Whether another one sleeps is not known.
    let calls = play([], || lock.release_exclusive());
    assert_eq!(calls, [Wake(u32::MAX, Readers)]);
    assert_eq!(words_of(lock), [0, 0]);
}
