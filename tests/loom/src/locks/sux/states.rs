//! Who may be in beside whom, and that asking changes nothing.

use loom::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// All of them are in at once: each leaves when the next one has left.
#[test]
fn shared_is_for_several() {
    check_main("shared is for several", 3, |lock| {
        lock.shared();
        let second = spawn(lock, |lock| {
            lock.shared();
            lock.read();
            0
        });
        let third = spawn(lock, s);
        join([second, third]);
        lock.word.release_shared();
        lock.word.release_shared();
        0
    });
}

/// One has U and another one waits for it: a reader enters.
#[test]
fn shared_beside_a_waiting_update() {
    check_main("shared beside a waiting update", 3, |lock| {
        lock.update();
        let update = spawn(lock, u);
        join([spawn(lock, s)]);
        lock.word.release_update();
        join([update])
    });
}

/// So it is beside one that waits for X behind U.
#[test]
fn shared_beside_a_waiting_exclusive() {
    check_main("shared beside a waiting exclusive", 3, |lock| {
        lock.update();
        let exclusive = spawn(lock, x);
        join([spawn(lock, s)]);
        lock.word.release_update();
        join([exclusive])
    });
}

/// Whether it waits for readers or for nobody: then no reader enters, and none leaves a trace.
#[test]
fn a_reader_that_fails_changes_nothing() {
    check_main("a reader that fails changes nothing", 3, |lock| {
        lock.shared();
        let waits_for_readers = spawn(lock, |lock| {
            lock.update();
            if lock.word.upgrade() {
                return 0;
            }
            let before = lock.words::<2>();
            assert!(!lock.word.try_shared());
            assert!(!lock.word.try_update());
            assert!(!lock.word.try_exclusive());
            assert_eq!(lock.words::<2>(), before);
            0
        });
        join([waits_for_readers]);
        let before = lock.words::<2>();
        assert!(lock.word.is_locked() && lock.word.is_exclusive());
        assert!(!lock.word.try_shared());
        assert!(!lock.word.try_shared_to_update());
        assert_eq!(lock.words::<2>(), before);
        lock.word.release_shared();
        assert!(lock.word.upgrade_contended(None));
        lock.word.release_exclusive();
        0
    });
}

/// Of U and X nobody else gets in as the holder goes from one to the other: the value is what it was.
#[test]
fn nobody_slips_into_an_upgrade() {
    check("nobody slips into an upgrade", 2, [u_to_x, x, tries_x]);
    check("nobody slips into two upgrades", 2, [u_to_x, u_to_x, x]);
}

/// Who acquires need not be who releases. Of the two, the second one to come by does.
fn changes_hands(
    name: &'static str,
    acquire: fn(&Sux),
    release: fn(&Sux) -> u32,
    others: fn(&Sux) -> u32,
) {
    check_main(name, 3, move |lock| {
        let passed = Arc::new(AtomicBool::new(false));
        let acquires = spawn(lock, {
            let passed = Arc::clone(&passed);
            move |lock| {
                acquire(lock);
                if passed.swap(true, Ordering::AcqRel) { release(lock) } else { 0 }
            }
        });
        let releases =
            spawn(
                lock,
                move |lock| {
                    if passed.swap(true, Ordering::AcqRel) { release(lock) } else { 0 }
                },
            );
        join([acquires, releases, spawn(lock, others)])
    });
}

#[test]
fn exclusive_changes_hands() {
    fn release(lock: &Sux) -> u32 {
        let written = lock.write();
        lock.word.release_exclusive();
        written
    }
    changes_hands("exclusive changes hands, then X", Sux::exclusive, release, x);
    changes_hands("exclusive changes hands, then S", Sux::exclusive, release, s);
}

#[test]
fn update_changes_hands() {
    fn release(lock: &Sux) -> u32 {
        lock.upgrade();
        let written = lock.write();
        lock.word.release_exclusive();
        written
    }
    changes_hands("update changes hands, then X", Sux::update, release, x);
    changes_hands("update changes hands, then S", Sux::update, release, s);
}

#[test]
fn shared_changes_hands() {
    fn release(lock: &Sux) -> u32 {
        lock.read();
        lock.word.release_shared();
        0
    }
    changes_hands("shared changes hands, then X", Sux::shared, release, x);
}
