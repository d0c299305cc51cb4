//! Exhaustive checks of the lock-free kernels: every interleaving of a few threads.
//!
//! Compiles the kernels' own files against loom's atomics: `RUSTFLAGS="--cfg loom" cargo test -p
//! tsrm-model --release`. A package of its own, so that the flag rebuilds nothing else.
#![cfg(loom)]
#![allow(dead_code, unreachable_pub, reason = "the kernels' callers are not here")]

#[path = "../../../tsrm-core/src/primitive.rs"]
mod primitive;

#[path = "../../../tsrm-core/src/thread/interrupt.rs"]
mod interrupt;

#[path = "../../../tsrm-core/src/thread/gate.rs"]
mod gate;

#[path = "../../../tsrm-core/src/thread/table.rs"]
mod table;

#[path = "../../../tsrm-core/src/stats/cells.rs"]
mod cells;

#[path = "../../../tsrm-core/src/stats/shards.rs"]
mod shards;

mod locks;
// As the kernels name them.
use locks::{clock, sync, sys};

#[cfg(test)]
mod statistics;

#[cfg(test)]
mod interrupts {
    use std::num::NonZeroU8;

    use loom::sync::Arc;
    use loom::thread;

    use crate::interrupt::InterruptWord;

    const REASON: NonZeroU8 = NonZeroU8::MIN;

    // That a reason never hits another request than its own is not modelled here: loom lets a
    // read-modify-write read a value which its thread's later store has overwritten, and so reports
    // what the memory model rules out. `it/requests.rs` hammers on it instead.

    /// Of two reasons one is set, and the owner takes it once.
    #[test]
    fn one_reason_at_a_time() {
        loom::model(|| {
            let word = Arc::new(InterruptWord::new());
            word.begin(7);
            let senders: Vec<_> = [1, 2]
                .map(|code| {
                    let word = Arc::clone(&word);
                    let reason = NonZeroU8::new(code).unwrap();
                    thread::spawn(move || word.set(7, reason).then_some(reason))
                })
                .into_iter()
                .collect();
            let mut taken = Vec::from_iter(word.take());
            let mut set: Vec<_> =
                senders.into_iter().filter_map(|sender| sender.join().unwrap()).collect();
            taken.extend(word.take());
            // The second may have been set after the first was taken.
            set.sort();
            taken.sort();
            assert_eq!(taken, set);
            assert!(!set.is_empty());
            assert_eq!(word.serial(), Some(7));
        });
    }

    /// A shutdown closes the gate and then looks for a request; a request begins and then looks at
    /// the gate. One of them sees the other, so no request misses the shutdown.
    #[test]
    fn a_request_and_a_shutdown_see_each_other() {
        use loom::sync::atomic::{AtomicU32, Ordering, fence};

        loom::model(|| {
            let word = Arc::new(InterruptWord::new());
            let admits = Arc::new(AtomicU32::new(1));
            let shutdown = thread::spawn({
                let (word, admits) = (Arc::clone(&word), Arc::clone(&admits));
                move || {
                    admits.store(0, Ordering::Relaxed);
                    fence(Ordering::SeqCst);
                    if let Some(serial) = word.serial() {
                        word.set(serial, REASON);
                    }
                }
            });
            word.begin(1);
            if admits.load(Ordering::Relaxed) == 0 {
                word.set(1, REASON);
            }
            shutdown.join().unwrap();
            assert!(word.is_set());
        });
    }
}

/// A value that loom watches: reading it while it is built or dropped is reported.
#[cfg(test)]
struct Watched(loom::cell::UnsafeCell<u32>);

#[cfg(test)]
impl Watched {
    fn leak(value: u32) -> *mut Self {
        Box::into_raw(Box::new(Self(loom::cell::UnsafeCell::new(value))))
    }

    /// # Safety
    /// Not dropped yet, which is what is checked.
    unsafe fn read(this: *const Self) -> u32 {
        // SAFETY: the caller's promise.
        let cell = unsafe { &(*this).0 };
        // SAFETY: loom checks that nobody writes.
        cell.with(|value| unsafe { *value })
    }

    /// # Safety
    /// As for `read`; and nobody reads any more, which is what is checked.
    unsafe fn drop(this: *mut Self) {
        // SAFETY: the caller's promise.
        let this = unsafe { Box::from_raw(this) };
        // SAFETY: loom checks that nobody reads.
        this.0.with_mut(|value| unsafe { *value = u32::MAX });
    }
}

/// Attaches and leaves against somebody who takes a shared value away: a grace period.
///
/// Both halves of the asymmetric fence are full fences here: see `near_fence`.
#[cfg(test)]
mod grace {
    use loom::sync::atomic::{AtomicPtr, Ordering, fence};
    use loom::sync::{Arc, Condvar, Mutex};
    use loom::thread;

    use crate::Watched;
    use crate::gate::Gate;

    const GENERATION: u32 = 1;

    /// A thread's gate and what the registry's lock guards of the thread.
    struct Thread {
        gate: Gate,
        linked: Mutex<Linked>,
        changed: Condvar,
        /// The published address of the shared value.
        slot: AtomicPtr<Watched>,
    }

    #[derive(Default)]
    struct Linked {
        called: bool,
        quiet: bool,
    }

    impl Thread {
        fn new() -> Arc<Self> {
            let thread = Self {
                gate: Gate::new(),
                linked: Mutex::new(Linked::default()),
                changed: Condvar::new(),
                slot: AtomicPtr::new(Watched::leak(10)),
            };
            thread.gate.open(GENERATION);
            Arc::new(thread)
        }

        /// One outermost attach that looks at the shared value.
        fn attach(&self) {
            if self.gate.admits() == 0 {
                self.come_by();
            }
            self.gate.enter();
            let value = self.slot.load(Ordering::Acquire);
            if !value.is_null() {
                // SAFETY: read from the slot inside an attach (I11).
                assert_eq!(unsafe { Watched::read(value) }, 10);
            }
            if self.gate.leave() {
                self.come_by();
            }
        }

        /// The slow way in and out, at depth 0.
        fn come_by(&self) {
            let mut linked = self.linked.lock().unwrap();
            if linked.called {
                linked.called = false;
                linked.quiet = true;
                self.gate.open(GENERATION);
                drop(linked);
                self.changed.notify_all();
            }
        }

        /// Takes the shared value out of reach, waits, and drops it.
        fn take_away(&self) {
            let mut linked = self.linked.lock().unwrap();
            let value = self.slot.swap(std::ptr::null_mut(), Ordering::Release);
            linked.called = true;
            self.gate.close();
            drop(linked);
            // The far half.
            fence(Ordering::SeqCst);
            let mut linked = self.linked.lock().unwrap();
            linked.quiet |= self.gate.depth() == 0;
            while !linked.quiet {
                linked = self.changed.wait(linked).unwrap();
            }
            drop(linked);
            // SAFETY: nobody can have a reference (I11), which is what is checked.
            unsafe { Watched::drop(value) };
        }
    }

    #[test]
    fn one_attach_against_a_grace_period() {
        loom::model(|| {
            let thread = Thread::new();
            let waiter = thread::spawn({
                let thread = Arc::clone(&thread);
                move || thread.take_away()
            });
            thread.attach();
            waiter.join().unwrap();
        });
    }

    #[test]
    fn two_attaches_against_a_grace_period() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(4);
        model.check(|| {
            let thread = Thread::new();
            let waiter = thread::spawn({
                let thread = Arc::clone(&thread);
                move || thread.take_away()
            });
            thread.attach();
            thread.attach();
            waiter.join().unwrap();
        });
    }

    #[test]
    fn a_nested_attach_does_not_end_the_outer_one() {
        loom::model(|| {
            let thread = Thread::new();
            let waiter = thread::spawn({
                let thread = Arc::clone(&thread);
                move || thread.take_away()
            });
            thread.gate.enter();
            let value = thread.slot.load(Ordering::Acquire);
            thread.gate.enter();
            assert!(!thread.gate.leave());
            if !value.is_null() {
                // SAFETY: read from the slot inside the outer attach (I11).
                assert_eq!(unsafe { Watched::read(value) }, 10);
            }
            if thread.gate.leave() {
                thread.come_by();
            }
            waiter.join().unwrap();
        });
    }
}

#[cfg(test)]
mod tables {
    use loom::sync::{Arc, Condvar, Mutex};
    use loom::thread;

    use crate::Watched;
    use crate::table::Table;

    /// What the registry's lock guards of one thread.
    struct Pinned {
        table: Table,
        pins: Mutex<Pins>,
        changed: Condvar,
    }

    #[derive(Default)]
    struct Pins {
        counts: [usize; 2],
        present: usize,
    }

    // SAFETY: the owner's part is touched by the owner alone, as in an entry (I1).
    unsafe impl Send for Pinned {}
    // SAFETY: as above (I1).
    unsafe impl Sync for Pinned {}

    impl Pinned {
        fn new() -> Arc<Self> {
            let (pins, changed) = (Mutex::new(Pins::default()), Condvar::new());
            Arc::new(Self { table: Table::new(), pins, changed })
        }

        /// A reader: pins, looks, unpins.
        fn look(&self, place: usize, expected: u32) {
            let mut pins = self.pins.lock().unwrap();
            let counted = pins.present;
            pins.counts[counted] += 1;
            drop(pins);
            let value: *mut Watched = self.table.get(place).cast();
            if !value.is_null() {
                // SAFETY: found in the table while it is pinned (I1).
                assert_eq!(unsafe { Watched::read(value) }, expected);
            }
            let mut pins = self.pins.lock().unwrap();
            pins.counts[counted] -= 1;
            let waited_for = pins.counts[counted] == 0 && pins.present != counted;
            drop(pins);
            if waited_for {
                self.changed.notify_all();
            }
        }

        /// The owner: builds a value in a place.
        fn build(&self, place: usize, value: u32) {
            self.table.reserve(place).unwrap();
            self.table.set(place, Watched::leak(value).cast());
        }

        /// The owner: takes a value out, waits for the readers there are, and drops it.
        fn drop_value(&self, place: usize) {
            let value: *mut Watched = self.table.get(place).cast();
            self.table.set(place, std::ptr::null_mut());
            let mut pins = self.pins.lock().unwrap();
            let present = pins.present;
            pins.present = 1 - present;
            while pins.counts[present] > 0 {
                pins = self.changed.wait(pins).unwrap();
            }
            drop(pins);
            // SAFETY: nobody looks at it any more (I1), which is what is checked.
            unsafe { Watched::drop(value) };
        }
    }

    /// The owner builds two values, the second in a larger table, and drops both.
    #[test]
    fn values_are_whole_while_they_are_pinned() {
        loom::model(|| {
            let thread = Pinned::new();
            let reader = thread::spawn({
                let thread = Arc::clone(&thread);
                move || thread.look(0, 10)
            });
            thread.build(0, 10);
            thread.build(8, 20);
            thread.drop_value(0);
            thread.drop_value(8);
            reader.join().unwrap();
        });
    }

    /// Two readers, one of which comes while the owner waits for the other.
    #[test]
    fn later_readers_are_not_waited_for() {
        loom::model(|| {
            let thread = Pinned::new();
            thread.build(0, 10);
            let readers: Vec<_> = (0..2)
                .map(|_| {
                    let thread = Arc::clone(&thread);
                    thread::spawn(move || thread.look(0, 10))
                })
                .collect();
            thread.drop_value(0);
            readers.into_iter().for_each(|reader| reader.join().unwrap());
        });
    }
}
