//! Several sleep: each of them is woken, by whoever it is that has to.

use super::*;

/// The first thread is in by `enter` when others come, and leaves.
fn wakes<const N: usize>(
    name: &'static str,
    preemptions: usize,
    enter: fn(&Sux),
    others: [fn(&Sux) -> u32; N],
    leave: fn(&Sux),
) {
    check_main(name, preemptions, move |lock| meets(lock, enter, others, leave));
}

fn leaves_by_update(lock: &Sux) {
    lock.word.exclusive_to_update();
    lock.word.release_update();
}

fn leaves_by_shared(lock: &Sux) {
    lock.word.exclusive_to_shared();
    lock.word.release_shared();
}

fn leaves_update_by_shared(lock: &Sux) {
    lock.word.update_to_shared();
    lock.word.release_shared();
}

/// Only the last reader's leave is in the way of the others.
#[test]
fn a_reader_two_writers_and_an_upgrade() {
    check("a reader, two writers and an upgrade", 2, [s, x, x, u_to_x]);
}

#[test]
fn a_reader_a_writer_and_an_upgrade() {
    check("a reader, a writer and an upgrade", 3, [s, x, u_to_x]);
}

/// Each is woken for itself.
#[test]
fn a_reader_and_a_writer() {
    wakes("a reader and a writer", 3, Sux::exclusive, [s, x], leaves_exclusive);
    wakes("a reader and a writer, by U", 2, Sux::exclusive, [s, x], leaves_by_update);
    wakes("a reader and a writer, by S", 2, Sux::exclusive, [s, x], leaves_by_shared);
    wakes("a reader and an update", 3, Sux::exclusive, [s, u], leaves_by_shared);
}

#[test]
fn two_readers_and_a_writer() {
    wakes("two readers and a writer", 2, Sux::exclusive, [s, s, x], leaves_exclusive);
    wakes("two readers", 3, Sux::exclusive, [s, s], leaves_exclusive);
    wakes("two readers, by U", 3, Sux::exclusive, [s, s], leaves_by_update);
}

/// Whether U is dropped or given up for S.
#[test]
fn the_end_of_an_update() {
    wakes("the end of an update, U and X", 2, Sux::update, [u, x], leaves_update);
    wakes("the end of an update by S, U and X", 2, Sux::update, [u, x], leaves_update_by_shared);
}

/// Each wakes the next one.
#[test]
fn a_chain_of_three() {
    wakes("a chain of three writers", 2, Sux::exclusive, [x, x, x], leaves_exclusive);
    wakes("a chain of U, X and an upgrade", 2, Sux::update, [u, x, u_to_x], leaves_update);
}

/// It takes the lock from those that were woken or are about to sleep.
#[test]
fn one_comes_between() {
    wakes("one comes between two updates", 2, Sux::update, [u, u, tries_x], leaves_update);
    wakes("one comes between two writers", 2, Sux::exclusive, [x, x, tries_x], leaves_exclusive);
}

/// They are woken by the last of the readers that leave.
#[test]
fn readers_leave_a_waiting_writer() {
    check("two readers leave a waiting writer", 3, [s, s, x]);
    check("two readers leave a waiting upgrade", 3, [s, s, u_to_x]);
}

/// A reader sleeps for one that waits for another reader.
#[test]
fn a_reader_behind_a_waiting_writer() {
    wakes("a reader behind a waiting writer", 3, Sux::shared, [x, s], leaves_shared);
    wakes("two readers behind a waiting writer", 2, Sux::shared, [x, s, s], leaves_shared);
}
