//! Stories in which modules are in the middle of coming or going: when the process forks or exits, when memory
//! runs out, when the system takes its barrier away.

use super::{NTS, tell};

/// As [`story!`], of a system that may not let it happen: then it ends with `skipped`.
#[cfg(unix)]
macro_rules! story_if_possible {
    ($name:ident($argument:literal), $binary:literal, $expected:expr) => {
        #[test]
        fn $name() {
            let path = env!(concat!("CARGO_BIN_EXE_", $binary));
            let output = tell($binary, path, &[$argument]);
            let said = String::from_utf8(output.stdout).unwrap();
            let complained = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(0), "stderr:\n{complained}");
            if said.trim().ends_with("skipped") {
                println!("skipped");
                return;
            }
            let expected: &str = $expected;
            assert_eq!(said.trim(), expected.trim(), "stderr:\n{complained}");
        }
    };
}

#[cfg(unix)]
const NO_MEMBARRIER: &str = "
inside: 1 busy
retire: held by 1 thread(s), 0 of 2 dropped
outside: quiet
retire: done, 2 of 2 dropped
asleep: held by 1 thread(s), 3 of 4 dropped
awake: done, 4 of 4 dropped
hammered
all: true
";

#[cfg(unix)]
story_if_possible!(no_membarrier_from_the_start("before"), "story-no-membarrier", NO_MEMBARRIER);

#[cfg(unix)]
story_if_possible!(
    no_membarrier_in_this_kernel("before-enosys"),
    "story-no-membarrier",
    NO_MEMBARRIER
);

// A thread that sleeps since before the barrier was taken away is not known to sleep until it has attached
// again.
#[cfg(unix)]
story_if_possible!(
    membarrier_taken_away("after"),
    "story-no-membarrier",
    "
asleep: 1 busy
retire: held by 1 thread(s), 0 of 2 dropped
inside: done, 2 of 2 dropped
outside: done, 2 of 2 dropped
asleep: quiet
asleep: held by 1 thread(s), 3 of 4 dropped
back: done, 4 of 4 dropped
hammered
all: true
"
);

#[cfg(unix)]
story_if_possible!(
    membarrier_taken_away_meanwhile("meanwhile"),
    "story-no-membarrier",
    "
hammered
all: true
"
);

story!(
    late_startup_when_the_deadline_passes("passes"),
    "story-late-startup",
    0,
    "
shut down: 0 thread(s) have not left, modules in the middle of a start or stop: slow
current: None
slow up
slow down
last shared value dropped
first shared value dropped
late: Err(ShuttingDown)
slow up
again: 5
slow down
last shared value dropped
first shared value dropped
"
);

story!(
    late_startup_ends_in_the_next_runtime("restarts"),
    "story-late-startup",
    0,
    "
[\"slow\"]
slow up
slow up
slow down
last shared value dropped
first shared value dropped
late: Err(ShuttingDown)
here: first shared value
fresh: 5
slow down
last shared value dropped
first shared value dropped
"
);

story!(
    late_startup_is_waited_for("waits"),
    "story-late-startup",
    0,
    "
slow up
slow down
last shared value dropped
first shared value dropped
late: Err(ShuttingDown)
shut down: all threads have left
"
);

story!(
    shutdown_from_everywhere("asks"),
    "story-late-startup",
    0,
    r#"
-- late
initialiser: InHook("suicidal")
module_startup: InHook("suicidal")
retire: Some(Err(Starting("suicidal")))
register: Some(Err(AlreadyRegistered("suicidal")))
-- thread
thread_startup: Caller(Attached { depth: 1 })
lazy initialiser: Caller(Attached { depth: 1 })
-- retire
thread_shutdown: Caller(Attached { depth: 1 })
module_shutdown: InHook("suicidal")
retire: Some(Err(Stopping("suicidal")))
the module is down
-- shutdown
initialiser: InHook("suicidal")
module_startup: InHook("suicidal")
retire: Some(Err(Starting("suicidal")))
register: Some(Err(AlreadyRegistered("suicidal")))
module_shutdown: nothing runs
retire: None
-- start
initialiser: nothing runs
module_startup: nothing runs
retire: None
register: None
module_shutdown: nothing runs
retire: None
"#
);

story!(
    exit_in_a_retiring_destructor("destructor"),
    "story-exit-while-retiring",
    10,
    "
retired: thread hook
retired: bomb dropped
"
);

story!(
    exit_in_a_retiring_hook("thread-hook"),
    "story-exit-while-retiring",
    11,
    "
retired: thread hook
"
);

// The thread is at depth 0 there: the rest of it goes as in any other exit.
story!(
    exit_in_a_module_hook("module-hook"),
    "story-exit-while-retiring",
    12,
    "
retired: thread hook
retired: bomb dropped
retired: below dropped
retired: module hook
staying: thread hook
staying: value dropped
static dropped
"
);

story!(
    exit_in_a_retiring_destructor_elsewhere("other-destructor"),
    "story-exit-while-retiring",
    13,
    "
retired: thread hook
retired: bomb dropped
"
);

story!(
    exit_in_a_destructor_that_another_thread_waits_for("leaving-attach"),
    "story-exit-while-retiring",
    14,
    "
retired: thread hook
retired: bomb dropped
"
);

story!(exit_inside_while_a_retire_waits("inside"), "story-exit-while-retiring", 15, "");

story!(
    exit_asleep_while_a_retire_waits("asleep"),
    "story-exit-while-retiring",
    16,
    "
retired: thread hook
staying: thread hook
staying: value dropped
retired: bomb dropped
retired: below dropped
static dropped
"
);

/// What a process says that does everything with a module once more, and what its books say then.
#[cfg(unix)]
fn whole_life(who: &str, attaches: bool, books: &str) -> String {
    let attached = if attaches {
        format!("{who} attaches")
    } else {
        format!(
            "{who}: cannot attach: this is a single-threaded build and thread 1 `holder` holds the globals"
        )
    };
    format!(
        "{who} registers: Ok(())
{attached}
{who} retires: the module is down
{who} registers: Ok(())
{who} shuts down: all threads have left
{who} starts again: {attaches}
{who} shuts down: all threads have left
{who}: {books}
"
    )
}

#[cfg(unix)]
story!(
    fork_during_a_module_startup("startup"),
    "story-fork-modules",
    0,
    // What the start that nobody finishes had built, leaks in the child.
    &(whole_life("child", true, "shared 4 - 3, own 2 - 2")
        + &whole_life("parent", true, "shared 4 - 4, own 2 - 2"))
);

#[cfg(unix)]
story!(
    fork_during_a_module_shutdown("shutdown"),
    "story-fork-modules",
    0,
    &("child retires: Ok(Done)\n".to_owned()
        + &whole_life("child", true, "shared 4 - 3, own 3 - 3")
        + &whole_life("parent", true, "shared 4 - 4, own 3 - 3"))
);

#[cfg(unix)]
story!(
    fork_while_a_retire_waits("waiting"),
    "story-fork-modules",
    0,
    &("child threads: 0\nchild retires: the module is down\n".to_owned()
        // The holder's own value leaks in the child.
        + &whole_life(
            "child",
            !NTS,
            if NTS { "shared 4 - 4, own 1 - 0" } else { "shared 4 - 4, own 3 - 2" }
        )
        + &whole_life("parent", true, "shared 4 - 4, own 3 - 3"))
);

#[cfg(unix)]
story!(
    fork_while_holding_a_retired_module("holding"),
    "story-fork-modules",
    0,
    &["child", "parent"]
        .map(|who| {
            format!(
                "{who} inside: shared 1 - 0, own 1 - 0\n{who} outside: shared 1 - 1, own 1 - 1\n"
            ) + &whole_life(who, true, "shared 4 - 4, own 3 - 3")
        })
        .concat()
);

#[cfg(unix)]
story!(
    fork_during_a_shutdown("shutting-down"),
    "story-fork-modules",
    0,
    // What the parent's threads have, leaks in the child.
    if NTS {
        "
child attaches: false
child shuts down: all threads have left
child: shared 2 - 1, own 1 - 0
parent shuts down: all threads have left
parent: shared 1 - 1, own 1 - 1
"
    } else {
        "
child attaches: true
child shuts down: all threads have left
child: shared 2 - 1, own 2 - 1
parent shuts down: all threads have left
parent: shared 1 - 1, own 1 - 1
"
    }
);

#[cfg(unix)]
story!(fork_in_hooks_of_modules("hooks"), "story-fork-modules", 0, &{
    let mut said = String::new();
    for (hook, one, all) in [("startup", 1, 3), ("thread shutdown", 2, 4), ("shutdown", 3, 5)] {
        let down = format!("the module is down, shared {one} - {one}, own {one} - {one}\n");
        let books = format!("shared {0} - {0}, own {all} - {all}", all + 1);
        said += &format!("child of {hook}: {down}");
        said += &whole_life("child", true, &books);
        said += &format!("parent of {hook}: {down}");
    }
    said + &whole_life("parent", true, "shared 6 - 6, own 5 - 5")
});

/// Each allocation of an operation fails in turn.
#[cfg(unix)]
macro_rules! failing_allocator {
    ($($name:ident($argument:literal)),*) => {
        $(story!(
            $name($argument),
            "story-failing-allocator",
            0,
            concat!($argument, ": refused, then fine; failures in turn: true")
        );)*
    };
}

#[cfg(unix)]
failing_allocator!(
    no_memory_for_a_resource("register-resource"),
    no_memory_for_more_resources("many-resources"),
    no_memory_for_a_value("resource"),
    no_memory_for_a_larger_table("far-resource"),
    no_memory_for_a_cached_global("cached"),
    no_memory_to_meet_a_module("late"),
    no_memory_to_attach("attach"),
    no_memory_for_statistics_of_an_object("statistics")
);
