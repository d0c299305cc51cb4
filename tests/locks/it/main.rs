//! What locks promise, in each mode, with and without futex, watched or not.
//!
//! What users of other locks ran into, and what shows that it does not happen here:
//!
//! | went wrong | shown by |
//! |---|---|
//! | readers that add and back off starve writers | `waiting::a_reader_that_fails_leaves_nothing_behind`, `waiting::writers_get_on_among_readers` |
//! | needless wakes | `statistics::nobody_sleeps_or_wakes_uncontended` |
//! | one pending writer remembered, another's wake lost | `waiting::two_writers_and_an_upgrade_behind_a_reader` |
//! | the generic fallback hangs | all of this with `--cfg tsrm_no_futex` |
//! | a reader eats the writer's wake | `waiting::a_reader_and_a_writer_behind_a_writer` |
//! | drain or upgrade not an acquire | `stress::*`, whose value is not atomic |
//! | a timeout corrupts the state, or swallows a wake | `timeouts::a_wake_is_not_lost_*`, `stress::*` |
//! | a queued update blocks readers | `waiting::readers_enter_past_a_queued_update` |
//! | recursive shared access with a waiting writer | `deadlocks::shared_again_behind_a_writer` |
//! | a writer slips into an upgrade | `waiting::nobody_writes_during_an_upgrade` |
//! | dropping an update lock never wakes | `waiting::each_wakes_the_next_one` |
//! | shared access granted exclusively | `waiting::five_readers_meet` |
//! | the second upgrade fails; downgrades with many readers | `waiting::up_and_down_with_readers_twice` |

use tsrm_locks::LONG;

// Who waits for itself is told so.
#[cfg(any(not(feature = "zts"), feature = "deadlock-detection"))]
mod conflicts;
#[cfg(all(feature = "zts", feature = "deadlock-detection"))]
mod deadlocks;
mod model;
mod places;
mod raw_stress;
mod recursive;
mod sections;
#[cfg(not(feature = "zts"))]
mod single_threaded;
#[cfg(feature = "lock-statistics")]
mod statistics;
mod table;
mod tokens;
mod transitions;
mod values;

// With threads that wait for each other.
#[cfg(feature = "zts")]
mod stress;
#[cfg(feature = "zts")]
mod timeouts;
#[cfg(feature = "zts")]
mod waiting;

/// Tests that list it run beside each other; those that list another module run alone.
#[tsrm::module]
mod together {}

#[test]
fn mode() {
    // The CI compares this line with the mode that it asked for.
    println!("mode: {}", tsrm::MODE);
    assert_eq!(tsrm::SINGLE_THREADED, tsrm::MODE == "NTS");
}
