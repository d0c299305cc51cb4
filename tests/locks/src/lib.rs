//! What the tests of the locks have in common: see `it/`.
#![forbid(unsafe_code)]

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread::yield_now;
use std::time::{Duration, Instant};

/// Waiting that long means that something hangs.
pub const LONG: Duration = Duration::from_secs(100);

/// Waits until something is so.
#[track_caller]
pub fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "waited in vain");
        yield_now();
    }
}

/// A thread that is about to wait for a lock, as others see it.
#[derive(Debug, Default)]
pub struct Sleeper {
    /// Where the kernel says what it is doing.
    task: OnceLock<PathBuf>,
}

impl Sleeper {
    /// Not there yet.
    pub const fn new() -> Self {
        Self { task: OnceLock::new() }
    }

    /// Said by that thread, when all that is left for it to do is to wait.
    pub fn goes_to_sleep(&self) {
        let task = std::fs::read_link("/proc/thread-self").unwrap_or_default();
        self.task.set(PathBuf::from("/proc").join(task)).unwrap();
    }

    /// Waits until it sleeps. Where the kernel does not say so, gives it the time to do it: a test shows less then,
    /// and is still right.
    #[track_caller]
    pub fn wait_until_asleep(&self) {
        const OFTEN: u32 = 20;
        let mut seen = 0;
        until(|| {
            let Some(task) = self.task.get() else { return false };
            // Not what it may sleep for on its way, such as the allocator: for longer than that.
            seen = if is_asleep(task).unwrap_or(true) { seen + 1 } else { 0 };
            seen == OFTEN
        });
    }
}

/// None if the kernel does not say.
fn is_asleep(task: &std::path::Path) -> Option<bool> {
    let stat = std::fs::read_to_string(task.join("stat")).ok()?;
    // Behind the name, in which there may be anything.
    let state = stat.rsplit_once(") ")?.1;
    Some(state.starts_with('S'))
}

/// The message of the panic in which it ends.
#[track_caller]
pub fn panics<R>(f: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(f)) else { panic!("there was no panic") };
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => (*payload.downcast::<&str>().expect("a message")).to_owned(),
    }
}

const STOPPED: &str = "stopped on purpose";

/// Panics, without a word on standard error.
pub fn stop() -> ! {
    std::panic::resume_unwind(Box::new(STOPPED))
}

/// Does what ends with [`stop`].
#[track_caller]
pub fn ends_in_a_panic(f: impl FnOnce()) {
    assert_eq!(panics(f), STOPPED);
}

/// xorshift: a seed names a run.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Seeds count from 1.
    pub fn new(seed: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed))
    }

    /// Any number below that.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// One of them.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Mostly too short to get a lock that somebody has.
    pub fn timeout(&mut self) -> Duration {
        Duration::from_micros(self.below(100))
    }

    /// Lets others run, at times.
    pub fn stay(&mut self) {
        if self.below(8) == 0 {
            yield_now();
        }
    }
}

/// So many seeds, or those that the environment asks for.
pub fn seeds(count: u64) -> Range<u64> {
    let asked = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let first = asked("TSRM_MODEL_FIRST").unwrap_or(1);
    first..first + asked("TSRM_MODEL_SEEDS").unwrap_or(count)
}

/// Two numbers that are the same whenever nobody is about to change them: whoever looks while somebody writes, or
/// writes while somebody does, finds that out.
#[derive(Debug, Default)]
pub struct Pair {
    left: u64,
    right: u64,
}

impl Pair {
    /// How often it was written.
    #[track_caller]
    pub fn read(&self, random: &mut Random) -> u64 {
        let left = look(&self.left);
        random.stay();
        let right = look(&self.right);
        assert_eq!(left, right, "somebody writes");
        left
    }

    /// Adds one to both, one after the other.
    #[track_caller]
    pub fn write(&mut self, random: &mut Random) {
        let before = self.read(random);
        self.left = before + 1;
        random.stay();
        assert_eq!(look(&self.right), before, "somebody else writes");
        self.right = before + 1;
    }
}

/// Not by what the compiler knows it to be.
fn look(number: &u64) -> u64 {
    *std::hint::black_box(number)
}

/// As a message without the columns, which no test can know: `file:line:column` becomes `file:line`.
pub fn without_columns(message: &str) -> String {
    let column =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut parts = message.split(".rs:");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let line = column(part);
        let rest = part[line..].strip_prefix(':').expect("a column");
        whole += &format!(".rs:{}{}", &part[..line], &rest[column(rest)..]);
    }
    whole
}
