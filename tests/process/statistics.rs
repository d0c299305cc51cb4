//! Stories of what is counted when a process forks, ends or is interrupted, and of threads that are late or stay
//! behind.

#[cfg(unix)]
use super::NTS;
use super::tell;

#[cfg(unix)]
story!(
    fork_while_threads_count("busy"),
    "story-fork-statistics",
    0,
    "
children: 40 fine
parent: exact true
"
);

// The gauge that the other thread has up stays up in the child.
#[cfg(unix)]
story!(
    fork_while_counting("inside"),
    "story-fork-statistics",
    0,
    "
parent: 6 event(s), 2 open, largest 104, 6 size(s)
child: 6 event(s), 2 open, largest 104, 6 size(s)
child: 7 event(s), 1 open, largest 200, 7 size(s)
child: 1 thread(s), 2
parent: 6 event(s), 2 open, largest 104, 6 size(s)
parent: 6 event(s), 0 open, largest 104, 6 size(s)
"
);

// In a single-threaded build nobody can be attached in the child.
#[cfg(unix)]
story!(
    fork_by_who_does_not_count("stranger"),
    "story-fork-statistics",
    0,
    &format!(
        "
child: 5 event(s), 1 open, largest 104, 5 size(s)
child: 6 event(s), 1 open, largest 300, 6 size(s), {} thread(s)
parent: 5 event(s), 0 open, largest 104, 5 size(s)
",
        if NTS { 0 } else { 1 }
    )
);

#[cfg(unix)]
story!(
    fork_in_a_child("again"),
    "story-fork-statistics",
    0,
    "
grandchild: 18 event(s), 3 open, largest 106, 18 size(s)
grandchild: 28 event(s), 3 open, largest 106, 28 size(s)
child: 38 event(s), 3 open, largest 106, 38 size(s)
second grandchild: 39 event(s), 3 open, largest 106, 39 size(s)
third grandchild: 39 event(s), 3 open, largest 106, 39 size(s)
third grandchild: 69 event(s), 3 open, largest 106, 69 size(s)
child: 39 event(s), 3 open, largest 106, 39 size(s)
parent: 18 event(s), 0 open, largest 106, 18 size(s)
"
);

#[cfg(unix)]
story!(
    exit_inside_on_a_worker("inside"),
    "story-exit-statistics",
    3,
    "
at exit: 5 event(s), 1 open, largest 11, 5 size(s)
and then: 6 event(s), 0 open, largest 50, 6 size(s); cannot detach: this thread is inside 2 attach(es), whose references must end first
"
);

#[cfg(unix)]
story!(
    exit_outside_on_a_worker("outside"),
    "story-exit-statistics",
    4,
    "
at exit: 5 event(s), 1 open, largest 11, 5 size(s)
and then: 6 event(s), 0 open, largest 50, 6 size(s)
"
);

#[cfg(unix)]
story!(
    exit_while_a_worker_is_inside("main"),
    "story-exit-statistics",
    5,
    "
at exit: 4 event(s), 1 open, largest 10, 4 size(s)
and then: 5 event(s), 0 open, largest 50, 5 size(s); cannot detach: this thread is inside 1 attach(es), whose references must end first
"
);

#[cfg(unix)]
story!(
    guards_outlive_main("returns"),
    "story-exit-statistics",
    0,
    "
main ends
late: 2 event(s), 1 open, largest 10, 1 size(s)
at exit: 2 event(s), 1 open, largest 10, 1 size(s)
and then: 3 event(s), 0 open, largest 50, 2 size(s)
"
);

#[cfg(unix)]
story!(
    guards_outlive_their_threads("thread"),
    "story-exit-statistics",
    0,
    "
thread: 1 event(s), 6 open, largest 10, 1 size(s)
late: 2 event(s), 1 open, largest 10, 1 size(s)
joined: 2 event(s), 1 open, largest 10, 1 size(s)
shut down: 2 event(s), 1 open, largest 10, 1 size(s), Retired
at exit: 2 event(s), 1 open, largest 10, 1 size(s)
and then: 3 event(s), 0 open, largest 50, 2 size(s)
"
);

story!(
    stragglers_go_on_counting,
    "story-stragglers-statistics",
    0,
    "
up: 2 event(s), 2 open, largest 1, 2 size(s), Up
down: 2 event(s), 12 open, largest 1, 2 size(s), Retired
counts on: 4 event(s), 12 open, largest 2, 4 size(s), Retired
up again: 7 event(s), 12 open, largest 2, 4 size(s), Up
main counts: 8 event(s), 12 open, largest 100, 5 size(s), Up
idle left: 9 event(s), 11 open, largest 100, 6 size(s), Up
holder left: 10 event(s), 10 open, largest 100, 6 size(s), Up
1 thread(s), 1
done: 11 event(s), 0 open, largest 100, 6 size(s), Retired
"
);

#[cfg(unix)]
story!(
    signal_handlers_count,
    "story-signals-statistics",
    0,
    "
nothing runs: 1 event(s), 0 open, largest 9, 1 size(s)
unregistered: 2 event(s), 0 open, largest 9, 2 size(s)
attached: 4 event(s), 0 open, largest 9, 3 size(s)
registered, idle: 5 event(s), 0 open, largest 9, 4 size(s)
raw thread: 6 event(s), 0 open, largest 9, 5 size(s)
hammered: exact true
shut down: 1 more
"
);

#[cfg(unix)]
story!(
    no_memory_is_needed_to_leave("leave"),
    "story-failing-allocator",
    0,
    "leave: refused, then fine; failures in turn: false"
);
