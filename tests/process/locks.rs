//! Stories of locks when a process forks or ends, when a signal comes, and of threads that stay behind.

#[cfg(unix)]
use super::NTS;
use super::tell;

#[cfg(unix)]
story!(
    fork_by_who_holds_locks("own"),
    "story-fork-locks",
    0,
    "
child: [1, 1, 1, 1, 1]
child: goes on
parent: [0, 0, 0, 0, 0]
"
);

#[cfg(unix)]
story!(
    fork_while_another_thread_holds_locks("other"),
    "story-fork-locks",
    0,
    if NTS {
        "
child: cannot attach: this is a single-threaded build and thread 1 `holder` holds the globals (have it call `detach()`, or build with the feature `zts`)
child: raw locks are held, level 0 can be read
parent: [0, 0, 0, 0, 0]
"
    } else {
        "
child: locks are held, page 0 can be read
child: raw locks are held, level 0 can be read
parent: [0, 0, 0, 0, 0]
"
    }
);

// The sleepers get in where they are, in the parent.
#[cfg(unix)]
story!(
    fork_while_others_sleep("asleep"),
    "story-fork-locks",
    0,
    if NTS {
        "
child: [0, 0, 0, 0, 0]
child: goes on
parent: [0, 0, 0, 2, 1]
"
    } else {
        "
child: [0, 0, 0, 0, 0]
child: goes on
parent: [1, 1, 0, 2, 1]
"
    }
);

// Who waits for readers to leave has the lock already. In a single-threaded build only that of a raw one can.
#[cfg(unix)]
story!(
    fork_by_a_reader_whom_a_writer_awaits("writer"),
    "story-fork-locks",
    0,
    if NTS {
        "
child: level is kept [true, true], page [false, false]
parent: [0, 0, 0, 0, 1]
"
    } else {
        "
child: level is kept [true, true], page [true, true]
parent: [0, 1, 0, 0, 1]
"
    }
);

#[cfg(unix)]
story!(fork_amid_contention("busy"), "story-fork-locks", 0, "children: 40 fine\n");

#[cfg(unix)]
story!(
    fork_before_any_start("raw"),
    "story-fork-locks",
    0,
    "
child: [3, 3]
parent: [3, 2]
"
);

// Nothing is released any more.
#[cfg(unix)]
story!(
    exit_while_locks_are_held("inside"),
    "story-exit-locks",
    3,
    "
TLS: log is held
"
);

#[cfg(unix)]
story!(
    exit_then_locks_in_hooks("outside"),
    "story-exit-locks",
    4,
    "
thread hook: free 2, page 2, tree 2, log 2
global: log 3
TLS: log 4
"
);

#[cfg(unix)]
story!(
    shutdown_then_locks_in_hooks("shutdown"),
    "story-exit-locks",
    0,
    "
thread hook: free 2, page 2, tree 2, log 2
global: log 3
module hook: log 4
TLS: log 5
"
);

#[cfg(unix)]
story!(
    main_panics_while_locks_are_held("panic"),
    "story-exit-locks",
    101,
    "
thread hook: free 11, page 11, tree 1, log 11
global: log 12
TLS: log 13
"
);

#[cfg(unix)]
story!(
    thread_panics_while_locks_are_held("thread-panics"),
    "story-exit-locks",
    0,
    "
thread hook: free 11, page 11, tree 1, log 11
global: log 12
TLS: log 13
joined: free 11, page 11, tree 1, log 13
thread hook: free 12, page 12, tree 2, log 14
"
);

#[cfg(unix)]
story!(
    destructors_wait_for_raw_locks("destructors"),
    "story-exit-locks",
    0,
    "
TLS: log 1
key: level 1
"
);

story!(
    straggler_holds_a_lock,
    "story-stragglers-locks",
    0,
    if tsrm::SINGLE_THREADED {
        "
down, 1 straggler(s): 1 built, 0 dropped
up, cannot attach: this is a single-threaded build and thread 1 (unnamed) holds the globals (have it call `detach()`, or build with the feature `zts`)
done: 2 built, 1 dropped
"
    } else {
        "
down, 2 straggler(s): 1 built, 0 dropped
up, value 0: 2 built, 0 dropped
waiter has 8
done: 2 built, 1 dropped
"
    }
);

#[cfg(unix)]
story!(
    signals_interrupt_waits,
    "story-signals-locks",
    0,
    &format!(
        "
raw mutex: true
raw mutex, timed: true
raw, shared: true
raw, update: true
raw, exclusive: true
raw, exclusive, timed: true
raw upgrade: true
{}",
        if NTS {
            ""
        } else {
            "mutex: true
shared: true
update: true
exclusive: true
upgrade, timed: true
"
        }
    )
);
