//! Who need not wait, and keeps nobody waiting, does not call the kernel. And what may be had beside what.

use crate::script::play;
use crate::srw_word::SrwWord;
use crate::sux_word::SuxWord;
use crate::words_of;

/// Nobody is in before nor after that, nor is the kernel called.
fn alone(act: fn(&SuxWord)) {
    let lock = SuxWord::new();
    assert_eq!(play([], || act(&lock)), []);
    assert_eq!(words_of(&lock), [0, 0]);
}

#[test]
fn mutex_pair() {
    let lock = SrwWord::new();
    let pairs = || {
        assert!(lock.try_lock());
        assert!(!lock.try_lock());
        lock.unlock();
        assert!(lock.lock_contended(None));
        assert!(lock.is_locked());
        lock.unlock();
        assert!(!lock.is_locked());
    };
    assert_eq!(play([], pairs), []);
    assert_eq!(words_of(&lock), [0]);
}

#[test]
fn shared_pair() {
    alone(|lock| {
        assert!(lock.try_shared());
        assert!(lock.shared_contended(None));
        assert!(lock.is_locked() && !lock.is_exclusive());
        assert!(!lock.try_exclusive());
        lock.release_shared();
        lock.release_shared();
    });
}

#[test]
fn update_pair() {
    alone(|lock| {
        assert!(lock.try_update());
        assert!(!lock.try_update());
        assert!(!lock.try_exclusive());
        assert!(lock.try_shared());
        lock.release_update();
        assert!(lock.update_contended(None));
        assert!(!lock.try_upgrade());
        lock.release_shared();
        assert!(lock.is_locked() && !lock.is_exclusive());
        lock.release_update();
    });
}

#[test]
fn exclusive_pair() {
    alone(|lock| {
        assert!(lock.try_exclusive());
        assert!(!lock.try_exclusive());
        assert!(!lock.try_update());
        assert!(!lock.try_shared());
        assert!(lock.is_locked() && lock.is_exclusive());
        lock.release_exclusive();
        assert!(lock.exclusive_contended(None));
        lock.release_exclusive();
    });
}

#[test]
fn transitions() {
    alone(|lock| {
        assert!(lock.try_shared());
        assert!(lock.try_shared_to_update());
        assert!(lock.upgrade());
        lock.exclusive_to_update();
        assert!(lock.try_upgrade());
        lock.exclusive_to_shared();
        assert!(lock.try_update());
        assert!(!lock.try_shared_to_update());
        lock.update_to_shared();
        lock.release_shared();
        assert!(lock.try_shared_to_update());
        lock.release_update();
    });
}

/// Who is about to wait for readers, but does not sleep yet, need not be woken.
#[test]
fn readers_leave_one_that_is_awake() {
    alone(|lock| {
        assert!(lock.try_shared());
        assert!(lock.try_shared());
        assert!(lock.try_update());
        assert!(!lock.upgrade());
        lock.release_shared();
        lock.release_shared();
        assert!(lock.upgrade_contended(None));
        lock.release_exclusive();
    });
}
