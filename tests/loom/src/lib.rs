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

#[path = "../../../tsrm-core/src/thread/values.rs"]
mod values;

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

#[cfg(test)]
mod published_values {
    use loom::cell::UnsafeCell;
    use loom::sync::{Arc, Condvar, Mutex};
    use loom::thread;

    use crate::values::{Values, free, value_of};

    /// A value that loom watches: reading it while it is built or dropped is reported.
    struct Watched(UnsafeCell<u32>);

    impl Watched {
        fn new(value: u32) -> Self {
            Self(UnsafeCell::new(value))
        }

        fn read(&self) -> u32 {
            // SAFETY: what is checked.
            self.0.with(|value| unsafe { *value })
        }
    }

    impl Drop for Watched {
        fn drop(&mut self) {
            // SAFETY: what is checked.
            self.0.with_mut(|value| unsafe { *value = u32::MAX });
        }
    }

    /// What the registry's lock guards of one thread.
    struct Gate {
        pins: Mutex<Pins>,
        changed: Condvar,
    }

    struct Pins {
        count: usize,
        pinnable: bool,
    }

    /// The owner builds two values and leaves; a reader pins, looks, unpins.
    #[test]
    fn are_whole_while_they_are_pinned() {
        loom::model(|| {
            let values = Arc::new(Values::<u8>::new());
            let gate = Arc::new(Gate {
                pins: Mutex::new(Pins { count: 0, pinnable: true }),
                changed: Condvar::new(),
            });
            let reader = thread::spawn({
                let (values, gate) = (Arc::clone(&values), Arc::clone(&gate));
                move || {
                    let mut pins = gate.pins.lock().unwrap();
                    if !pins.pinnable {
                        return;
                    }
                    pins.count += 1;
                    drop(pins);
                    // SAFETY: pinned (I1).
                    if let Some(header) = unsafe { values.find(|key| *key == 1) } {
                        // SAFETY: pushed as a `Watched`.
                        let value = unsafe { value_of::<u8, Watched>(header) };
                        // SAFETY: pinned (I1).
                        assert_eq!(unsafe { value.as_ref() }.read(), 10);
                    }
                    let mut pins = gate.pins.lock().unwrap();
                    pins.count -= 1;
                    if pins.count == 0 && !pins.pinnable {
                        drop(pins);
                        gate.changed.notify_all();
                    }
                }
            });
            // SAFETY: this thread is the owner.
            unsafe { values.push(1_u8, || Watched::new(10)) };
            // SAFETY: this thread is the owner.
            unsafe { values.push(2_u8, || Watched::new(20)) };
            let mut pins = gate.pins.lock().unwrap();
            pins.pinnable = false;
            while pins.count > 0 {
                pins = gate.changed.wait(pins).unwrap();
            }
            drop(pins);
            let mut keys = Vec::new();
            // SAFETY: the owner, closed to pins.
            while let Some(header) = unsafe { values.pop() } {
                // SAFETY: popped just now, freed below.
                keys.push(unsafe { header.as_ref() }.key);
                // SAFETY: pushed as a `Watched`, popped once.
                unsafe { free::<u8, Watched>(header) };
            }
            assert_eq!(keys, [2, 1]);
            reader.join().unwrap();
        });
    }
}
