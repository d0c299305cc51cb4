//! The lock with shared, update and exclusive access.

mod pairs;
mod sleepers;
mod states;
mod time_outs;

use std::sync::Arc;

use super::clock::{self, Instant};
use super::model::{Guarded, Model, join, spawn};
use super::sux_word::SuxWord;

type Sux = Guarded<SuxWord>;

fn check<const N: usize>(name: &'static str, preemptions: usize, parts: [fn(&Sux) -> u32; N]) {
    Model { name, preemptions: Some(preemptions) }.check::<SuxWord, 2, N>(SuxWord::new, parts);
}

/// With a first thread that does so, and may spawn others.
fn check_main(
    name: &'static str,
    preemptions: usize,
    main: impl Fn(&Arc<Sux>) -> u32 + Send + Sync + 'static,
) {
    Model { name, preemptions: Some(preemptions) }.check_main::<SuxWord, 2>(SuxWord::new, main);
}

/// The first thread enters, others come and may sleep, and it leaves meanwhile.
fn meets<const N: usize>(
    lock: &Arc<Sux>,
    enter: fn(&Sux),
    others: [fn(&Sux) -> u32; N],
    leave: fn(&Sux),
) -> u32 {
    enter(lock);
    let others = others.map(|part| spawn(lock, part));
    leave(lock);
    join(others)
}

/// As the API does it.
impl Sux {
    fn shared(&self) {
        assert!(self.word.try_shared() || self.word.shared_contended(None));
    }

    fn update(&self) {
        assert!(self.word.try_update() || self.word.update_contended(None));
    }

    fn exclusive(&self) {
        assert!(self.word.try_exclusive() || self.word.exclusive_contended(None));
    }

    fn upgrade(&self) {
        assert!(self.word.upgrade() || self.word.upgrade_contended(None));
    }

    fn shared_until_morning(&self) -> bool {
        self.word.try_shared() || self.word.shared_contended(Some(Instant::MORNING))
    }

    fn update_until_morning(&self) -> bool {
        self.word.try_update() || self.word.update_contended(Some(Instant::MORNING))
    }

    fn exclusive_until_morning(&self) -> bool {
        self.word.try_exclusive() || self.word.exclusive_contended(Some(Instant::MORNING))
    }

    fn upgrade_until_morning(&self) -> bool {
        self.word.upgrade() || self.word.upgrade_contended(Some(Instant::MORNING))
    }

    /// What a holder of U does: nobody writes meanwhile.
    fn reads_on(&self, before: u32) {
        assert_eq!(self.read(), before);
    }
}

// What threads do. Each returns how often it has written.

fn s(lock: &Sux) -> u32 {
    lock.shared();
    let value = lock.read();
    lock.reads_on(value);
    lock.word.release_shared();
    0
}

fn tries_s(lock: &Sux) -> u32 {
    if lock.word.try_shared() {
        lock.read();
        lock.word.release_shared();
    }
    0
}

fn u(lock: &Sux) -> u32 {
    lock.update();
    lock.hold();
    let value = lock.read();
    lock.reads_on(value);
    lock.word.release_update();
    0
}

fn x(lock: &Sux) -> u32 {
    lock.exclusive();
    lock.hold();
    let written = lock.write();
    lock.word.release_exclusive();
    written
}

fn tries_x(lock: &Sux) -> u32 {
    if !lock.word.try_exclusive() {
        return 0;
    }
    lock.hold();
    let written = lock.write();
    lock.word.release_exclusive();
    written
}

fn u_to_x(lock: &Sux) -> u32 {
    lock.update();
    lock.hold();
    let value = lock.read();
    lock.upgrade();
    lock.reads_on(value);
    let written = lock.write();
    lock.word.release_exclusive();
    written
}

fn u_tries_x(lock: &Sux) -> u32 {
    lock.update();
    lock.hold();
    let value = lock.read();
    if lock.word.try_upgrade() {
        lock.reads_on(value);
        let written = lock.write();
        lock.word.release_exclusive();
        return written;
    }
    lock.reads_on(value);
    lock.word.release_update();
    0
}

fn x_to_u(lock: &Sux) -> u32 {
    lock.exclusive();
    lock.hold();
    let written = lock.write();
    let value = lock.read();
    lock.word.exclusive_to_update();
    lock.reads_on(value);
    lock.word.release_update();
    written
}

fn x_to_s(lock: &Sux) -> u32 {
    lock.exclusive();
    lock.hold();
    let written = lock.write();
    let value = lock.read();
    lock.word.exclusive_to_shared();
    lock.reads_on(value);
    lock.word.release_shared();
    written
}

fn u_to_s(lock: &Sux) -> u32 {
    lock.update();
    lock.hold();
    let value = lock.read();
    lock.word.update_to_shared();
    lock.reads_on(value);
    lock.word.release_shared();
    0
}

/// And to X and back, if it gets U.
fn s_tries_u(lock: &Sux) -> u32 {
    lock.shared();
    let value = lock.read();
    if !lock.word.try_shared_to_update() {
        lock.reads_on(value);
        lock.word.release_shared();
        return 0;
    }
    lock.hold();
    lock.reads_on(value);
    lock.upgrade();
    lock.reads_on(value);
    let written = lock.write();
    lock.word.exclusive_to_shared();
    lock.word.release_shared();
    written
}

fn strikes(_: &Sux) -> u32 {
    clock::strike();
    0
}

fn leaves_shared(lock: &Sux) {
    lock.word.release_shared();
}

fn leaves_update(lock: &Sux) {
    lock.word.release_update();
}

fn leaves_exclusive(lock: &Sux) {
    lock.word.release_exclusive();
}
