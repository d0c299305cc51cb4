//! What cannot be reached from outside in reasonable time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::SuxWord;

const MANY: u32 = 1 << 26;

#[test]
fn readers_enter_until_there_are_too_many() {
    let lock = SuxWord::with_readers(MANY - 1);
    assert!(lock.try_shared());
    assert!(!lock.try_shared());
    assert!(!lock.try_exclusive());
    assert!(panics(|| _ = lock.shared_contended(None)));
    assert!(panics(|| _ = lock.shared_contended(Some(Instant::now()))));
    assert_eq!(lock.readers(), MANY);
    lock.release_shared();
    assert!(lock.try_shared());
}

#[test]
fn the_holder_may_be_one_more_reader_and_no_more_than_that() {
    let lock = SuxWord::with_readers(MANY);
    assert!(lock.try_update());
    lock.update_to_shared();
    assert_eq!(lock.readers(), MANY + 1);
    assert!(lock.try_update());
    assert!(panics(|| lock.update_to_shared()));
    assert_eq!(lock.readers(), MANY + 1);
    assert!(!lock.try_update(), "still held");
    assert!(!lock.try_upgrade());
    lock.release_update();
    assert!(lock.try_update());
}

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}
