//! Stories of how a process starts and ends: each is a binary, whose whole output and exit code are
//! compared here.

use std::process::{Command, Output};

fn tell(story: &str, path: &str, arguments: &[&str]) -> Output {
    let output = Command::new(path).args(arguments).output().unwrap();
    assert!(
        output.status.code().is_some(),
        "{story} died: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// One story: its binary, the exit code, and what it says.
macro_rules! story {
    ($name:ident $(($($argument:literal),*))?, $binary:literal, $code:literal, $expected:expr) => {
        #[test]
        fn $name() {
            let path = env!(concat!("CARGO_BIN_EXE_", $binary));
            let output = tell($binary, path, &[$($($argument),*)?]);
            let said = String::from_utf8(output.stdout).unwrap();
            let complained = String::from_utf8(output.stderr).unwrap();
            let expected: &str = $expected;
            assert_eq!(said.trim(), expected.trim(), "stderr:\n{complained}");
            assert_eq!(output.status.code(), Some($code), "stderr:\n{complained}");
        }
    };
}

const NTS: bool = tsrm::SINGLE_THREADED;

mod locks;
mod modules_in_the_middle;
mod statistics;

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

story!(starting, "story-starting", 0, "
before: cannot attach: no runtime is running (`tsrm::Runtime::start` comes first)
with: cannot attach: no runtime is running (`tsrm::Runtime::start` comes first)
current: None
twice: module `good` is listed twice: list each module once, and give modules of equal names other ones with `#[tsrm::module(name = \"…\")]`
one name: module `good` is listed twice: list each module once, and give modules of equal names other ones with `#[tsrm::module(name = \"…\")]`
setting: setting `bad.color` is not read by anybody: settings are called `module.setting`, after a listed module whose startup hook asks for them
good up, level 0
good down
misspelt: setting `good.levle` is not read by anybody: settings are called `module.setting`, after a listed module whose startup hook asks for them
good up, level 0
bad: setting `bad.level` is \"high\": invalid digit found in string
good down
failing: the runtime did not start: module_startup of module `bad` failed: setting `bad.level` is \"high\": invalid digit found in string
good up, level 0
good down
panicking: the runtime did not start: module_startup of module `panics` panicked: no start
current: None
good up, level 3
attach in startup: cannot attach: no runtime is running (`tsrm::Runtime::start` comes first)
again: a runtime is already started in this process: shut it down first, or use `Runtime::current()`
attached: 1
good down
stale: cannot attach: this handle's runtime was shut down (if another one was started, it is `Runtime::current()`)
stale shutdown: cannot shut down: this runtime is not running
good up, level 0
attach in startup: cannot attach: no runtime is running (`tsrm::Runtime::start` comes first)
stale still: cannot attach: this handle's runtime was shut down (if another one was started, it is `Runtime::current()`)
registered stale: cannot attach: this handle's runtime was shut down (if another one was started, it is `Runtime::current()`)
stale detach: cannot detach: this thread is registered with a later runtime than this handle's
nested stale: cannot attach: this handle's runtime was shut down (if another one was started, it is `Runtime::current()`)
inside: cannot shut down from here: cannot detach: this thread is inside 1 attach(es), whose references must end first
good down
");

story!(
    main_returns,
    "story-main-returns",
    0,
    "
main ends
hook
cached dropped
static dropped
"
);

story!(
    exit_at_depth_0("outside"),
    "story-exit",
    3,
    "
hook
cached dropped
static dropped
"
);

story!(
    exit_in_nested_attaches("inside"),
    "story-exit",
    4,
    "
inside two attaches
late: cannot attach: this thread has ended as far as its globals are concerned
"
);

story!(
    exit_in_a_hook("hook"),
    "story-exit",
    5,
    "
hook
late: cannot attach: this thread has ended as far as its globals are concerned
"
);

story!(
    exit_in_a_destructor("destructor"),
    "story-exit",
    6,
    "
hook
cached dropped
late: cannot attach: this thread has ended as far as its globals are concerned
"
);

story!(
    exit_on_another_thread("thread"),
    "story-exit",
    7,
    if NTS {
        ""
    } else {
        "
inside two attaches
late: cannot attach: this thread has ended as far as its globals are concerned
"
    }
);

story!(exit_while_looked_at("looked-at"), "story-exit", 8, "");

story!(
    main_macro("fine"),
    "story-main-macro",
    0,
    "
main
down
"
);

story!(
    main_macro_panics("panic"),
    "story-main-macro",
    101,
    "
main
down
"
);

story!(
    main_macro_result("error"),
    "story-main-macro",
    1,
    "
main
down
"
);

story!(
    stragglers,
    "story-stragglers",
    0,
    if NTS {
        "
module down, 1 straggler(s)
thread 1 `holder`: attached, depth 2
holder: cannot attach: this handle's runtime was shut down (if another one was started, it is `Runtime::current()`)
others: cannot attach: this is a single-threaded build and thread 1 `holder` holds the globals (have it call `detach()`, or build with the feature `zts`)
holder nests: 7
holder has left: 1 built, 1 dropped
main attaches: 0
module down, 0 straggler(s)
done: 2 built, 2 dropped
"
    } else {
        "
module down, 2 straggler(s)
thread 1 `holder`: attached, depth 2
thread 2 `idle`: idle, depth 0
holder: cannot attach: this handle's runtime was shut down (if another one was started, it is `Runtime::current()`)
holder nests: 7
holder has left: 2 built, 1 dropped
idle attaches anew: 0, 3 built, 3 dropped
main attaches: 0
module down, 0 straggler(s)
done: 4 built, 4 dropped
"
    }
);

story!(
    shutdown_waits,
    "story-shutdown-waits",
    0,
    "
request interrupted: true
nested attach: fine
new request: cannot attach: the runtime is shutting down
other thread: cannot attach: the runtime is shutting down
thread hook
module down
clean: true
"
);

story!(
    faults,
    "story-faults",
    0,
    "
fault: the destructor of global `GRENADE` of module `faulty` panicked on thread 1 `main`: boom
fault: thread_shutdown of module `faulty` panicked on thread 2 `main`: hook
fault: module_shutdown of module `faulty` panicked: module hook
counted: 3
what it captured panicked in its drop
"
);

story!(
    footprint,
    "story-footprint",
    0,
    "first attach: at most 2048 bytes\nnext attach: 0 bytes\nidle thread left: 0 bytes\n"
);

story!(
    large_statics,
    "story-large-statics",
    0,
    "
static bytes: true
spawned: 0
round 1: 0
round 2: 0
round 3: 0
dropped: 4
"
);

#[cfg(unix)]
story!(
    fork_inside_an_attach("inside"),
    "story-fork",
    0,
    "
child: 5, then 6
child for each: 1
child's other thread: fine
parent: 5
parent shut down: true
"
);

#[cfg(unix)]
story!(
    fork_by_a_stranger("stranger"),
    "story-fork",
    0,
    if NTS {
        "
child: cannot attach: this is a single-threaded build and thread 1 `holder` holds the globals (have it call `detach()`, or build with the feature `zts`)
parent shut down: true
"
    } else {
        "
child: 0
child threads: 1
child shut down: true
parent shut down: true
"
    }
);

#[cfg(unix)]
story!(fork_amid_activity("busy"), "story-fork", 0, "children: 50 fine\n");

#[cfg(unix)]
story!(
    signals,
    "story-signals",
    0,
    "
unregistered: none
registered, idle: none
attached, not built: none
attached: 42
raw thread: none
"
);

#[cfg(unix)]
story!(
    pthread_keys_after_an_attach("attached"),
    "story-pthread-keys",
    0,
    "
round 1: fresh
round 2: fresh
round 3: fresh
books: 4 built, 4 dropped, 0 threads
counted: 4, up to round 3
open: 1
looked: Some(0)
"
);

#[cfg(unix)]
story!(
    pthread_keys_first_attach("first"),
    "story-pthread-keys",
    0,
    "
round 1: fresh
round 1: fresh
books: 2 built, 2 dropped, 0 threads
counted: 2, up to round 1
open: 1
looked: Some(0)
"
);

// The attach of the last round leaves its entry behind. Nobody looks at its values, nor at what it has counted;
// in a single-threaded build they are lost for everybody.
#[cfg(unix)]
story!(
    pthread_keys_every_round("every-round"),
    "story-pthread-keys",
    0,
    if NTS {
        "
round 1: fresh
round 2: fresh
round 3: fresh
round 4: fresh
books: 4 built, 3 dropped, 1 threads
counted: 3, up to round 3
open: 1
looked: None
"
    } else {
        "
round 1: fresh
round 2: fresh
round 3: fresh
round 4: fresh
books: 4 built, 3 dropped, 1 threads
counted: 3, up to round 3
open: 1
looked: Some(0)
"
    }
);

story!(
    straggler_hooks,
    "story-straggler-hooks",
    0,
    if NTS {
        "
Err(\"cannot attach: the runtime is shutting down\")
"
    } else {
        "
-- leaves while modules go down
module up
thread born
request begins
module down
-- ends its request in the next runtime
module up
thread born
request begins
module down
module up
module down
-- is born in a dead runtime
module up
module down
module up
thread born
Err(\"cannot attach: the runtime is shutting down\")
module down
"
    }
);

#[cfg(unix)]
story!(
    fork_handlers_that_attach("handlers"),
    "story-fork",
    0,
    "
parent handler: true
child handler: true
"
);

#[cfg(unix)]
story!(
    fork_during_a_start("start"),
    "story-fork",
    0,
    "
child: nothing runs
child starts: true
"
);

#[cfg(unix)]
story!(
    pthread_keys_last_round("last-round"),
    "story-pthread-keys",
    0,
    if NTS {
        "
round 4: fresh
books: 1 built, 0 dropped, 1 threads
counted: 0, up to round 0
open: 1
looked: None
"
    } else {
        "
round 4: fresh
books: 1 built, 0 dropped, 1 threads
counted: 0, up to round 0
open: 1
looked: Some(0)
"
    }
);

story!(first_start, "story-first-start", 0, "made and dropped: true\n");
