//! A time-out at any time at every place where a thread sleeps: the others notice nothing.

use super::*;

fn s_until_morning(lock: &Sux) -> u32 {
    if lock.shared_until_morning() {
        lock.read();
        lock.word.release_shared();
    }
    0
}

fn u_until_morning(lock: &Sux) -> u32 {
    if lock.update_until_morning() {
        lock.hold();
        lock.read();
        lock.word.release_update();
    }
    0
}

fn x_until_morning(lock: &Sux) -> u32 {
    if !lock.exclusive_until_morning() {
        return 0;
    }
    lock.hold();
    let written = lock.write();
    lock.word.release_exclusive();
    written
}

/// It is U again if time is up.
fn u_to_x_until_morning(lock: &Sux) -> u32 {
    lock.update();
    lock.hold();
    let value = lock.read();
    if !lock.upgrade_until_morning() {
        lock.reads_on(value);
        lock.word.release_update();
        return 0;
    }
    lock.reads_on(value);
    lock.hold();
    let written = lock.write();
    lock.word.release_exclusive();
    written
}

/// The first thread is in by `enter` until others have come and gone.
fn goes_without<const N: usize>(
    name: &'static str,
    preemptions: usize,
    enter: fn(&Sux),
    others: [fn(&Sux) -> u32; N],
    leave: fn(&Sux),
) {
    check_main(name, preemptions, move |lock| {
        enter(lock);
        let written = join(others.map(|part| spawn(lock, part)));
        leave(lock);
        takes_the_mark_away(lock);
        written
    });
}

/// As above, but it leaves meanwhile.
fn leaves_meanwhile<const N: usize>(
    name: &'static str,
    preemptions: usize,
    enter: fn(&Sux),
    others: [fn(&Sux) -> u32; N],
    leave: fn(&Sux),
) {
    check_main(name, preemptions, move |lock| {
        let written = meets(lock, enter, others, leave);
        takes_the_mark_away(lock);
        written
    });
}

/// Who gives up may leave the mark that somebody sleeps; the next release looks, and takes it away.
fn takes_the_mark_away(lock: &Sux) {
    assert!(!lock.word.is_locked());
    assert!(lock.word.try_exclusive());
    lock.word.release_exclusive();
}

#[test]
fn one_waits_for_shared() {
    goes_without("S behind X", 3, Sux::exclusive, [s_until_morning, strikes], leaves_exclusive);
    leaves_meanwhile("S or not", 3, Sux::exclusive, [s_until_morning, strikes], leaves_exclusive);
    leaves_meanwhile(
        "S or not, beside S",
        2,
        Sux::exclusive,
        [s_until_morning, s, strikes],
        leaves_exclusive,
    );
}

#[test]
fn one_waits_for_update() {
    goes_without("U behind U", 3, Sux::update, [u_until_morning, strikes], leaves_update);
    leaves_meanwhile("U or not", 3, Sux::update, [u_until_morning, strikes], leaves_update);
}

#[test]
fn one_waits_for_exclusive() {
    goes_without("X behind U", 3, Sux::update, [x_until_morning, strikes], leaves_update);
    leaves_meanwhile("X or not", 3, Sux::exclusive, [x_until_morning, strikes], leaves_exclusive);
}

/// The wake that is meant for who gives up is passed on.
#[test]
fn another_sleeps_too() {
    leaves_meanwhile(
        "U or not, beside U",
        2,
        Sux::update,
        [u_until_morning, u, strikes],
        leaves_update,
    );
    leaves_meanwhile(
        "X or not, beside X",
        2,
        Sux::exclusive,
        [x_until_morning, x, strikes],
        leaves_exclusive,
    );
    leaves_meanwhile(
        "two or not, beside X",
        1,
        Sux::exclusive,
        [u_until_morning, x_until_morning, x, strikes],
        leaves_exclusive,
    );
}

/// One is woken in vain, since another one comes between, whose release wakes nobody then; and gives up.
#[test]
fn one_is_woken_and_gives_up() {
    fn comes_again(lock: &Sux) {
        lock.word.release_update();
        if lock.word.try_update() {
            lock.word.release_update();
        }
    }
    let others = [u_until_morning, u, strikes];
    leaves_meanwhile("U is woken and gives up", 2, Sux::update, others, comes_again);
    let others = [x_until_morning, x, strikes];
    leaves_meanwhile("X is woken and gives up", 2, Sux::update, others, comes_again);
}

/// As above. Who comes between sees to it that it is too late, and has to see that the other one has given up.
#[test]
fn one_is_woken_too_late() {
    fn comes_again(lock: &Sux) {
        lock.word.release_update();
        if lock.word.try_update() {
            clock::strike();
            lock.word.release_update();
        }
    }
    leaves_meanwhile("U is woken too late", 3, Sux::update, [u_until_morning, u], comes_again);
}

/// Who waits for readers and gives up lets those in whom it kept out.
#[test]
fn one_waits_for_readers() {
    goes_without("X behind S", 3, Sux::shared, [x_until_morning, strikes], leaves_shared);
    goes_without("X to S behind S", 3, Sux::shared, [x_until_morning, s, strikes], leaves_shared);
    goes_without(
        "X behind S, then U",
        2,
        Sux::shared,
        [x_until_morning, u, strikes],
        leaves_shared,
    );
    leaves_meanwhile(
        "X or not, after S",
        3,
        Sux::shared,
        [x_until_morning, strikes],
        leaves_shared,
    );
    leaves_meanwhile(
        "X or not, after S, and X",
        2,
        Sux::shared,
        [x_until_morning, x, strikes],
        leaves_shared,
    );
}

#[test]
fn one_upgrades() {
    goes_without(
        "upgrade behind S",
        3,
        Sux::shared,
        [u_to_x_until_morning, strikes],
        leaves_shared,
    );
    goes_without(
        "upgrade and S behind S",
        3,
        Sux::shared,
        [u_to_x_until_morning, s, strikes],
        leaves_shared,
    );
    goes_without(
        "upgrade and U behind S",
        2,
        Sux::shared,
        [u_to_x_until_morning, u, strikes],
        leaves_shared,
    );
    leaves_meanwhile(
        "upgrade or not",
        3,
        Sux::shared,
        [u_to_x_until_morning, strikes],
        leaves_shared,
    );
    leaves_meanwhile(
        "upgrade or not, and X",
        2,
        Sux::shared,
        [u_to_x_until_morning, x, strikes],
        leaves_shared,
    );
}
