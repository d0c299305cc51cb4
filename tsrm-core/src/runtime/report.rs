//! What the runtime knows of itself, as data and as a table for people.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Runtime;
use crate::global::descriptor::{GlobalDescriptor, Storage};
use crate::mode;
use crate::module::{ModuleDescriptor, linked_modules, static_bytes};
use crate::registry::REGISTRY;
use crate::thread::entry::ThreadEntry;
use crate::thread::identity::{ThreadLabel, ThreadState};

/// A picture of the runtime at one moment. Its [`Display`](fmt::Display) is a table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// `"ZTS"` or `"NTS"`.
    pub mode: &'static str,
    /// The linked modules: the started ones in order of their start, then the others.
    pub modules: Vec<ModuleReport>,
    /// The registered threads, in order of their registration.
    pub threads: Vec<ThreadReport>,
    /// The bytes of all static globals. In a thread-safe build *every* thread of the process pays
    /// them, out of its stack mapping; a large value that few threads use is better cached.
    pub static_bytes: usize,
    /// Panics in hooks and destructors, since the process began.
    pub faults: u64,
}

/// One linked module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModuleReport {
    /// Its name.
    pub name: &'static str,
    /// Whether the runtime was started with it.
    pub started: bool,
    /// Its globals in order of declaration.
    pub globals: Vec<GlobalReport>,
}

/// One global.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlobalReport {
    /// Its name.
    pub name: &'static str,
    /// The name of its type, as the compiler writes it.
    pub type_name: &'static str,
    /// Where its values live.
    pub storage: Storage,
    /// The bytes of one value.
    pub bytes: usize,
    /// How many threads have a value now.
    pub values: usize,
}

/// One registered thread.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ThreadReport {
    /// Its number and name.
    pub thread: ThreadLabel,
    /// What it is doing.
    pub state: ThreadState,
    /// How many attaches it is inside.
    pub depth: u32,
    /// The serial of the request it is in.
    pub request: Option<u64>,
    /// How long it has been registered.
    pub registered_for: Duration,
    /// The bytes of the cached values it has built.
    pub heap_bytes: usize,
    /// False for a straggler of an earlier runtime.
    pub present: bool,
}

impl Runtime {
    /// A picture of modules, globals and threads now.
    pub fn report(self) -> Report {
        let threads = REGISTRY.threads();
        let started = REGISTRY.lock().modules.clone();
        let started = started.as_deref().unwrap_or_default();
        let is_started = |module: &ModuleDescriptor| {
            started.iter().any(|m| std::ptr::eq(m.descriptor(), module))
        };
        let unlisted = linked_modules().filter(|module| !is_started(module));
        let modules: Vec<_> =
            started.iter().map(|module| module.descriptor()).chain(unlisted).collect();
        Report {
            mode: mode::NAME,
            static_bytes: static_bytes(),
            modules: modules
                .into_iter()
                .map(|module| ModuleReport {
                    name: module.name,
                    started: is_started(module),
                    globals: module.globals().map(|global| describe(global, &threads)).collect(),
                })
                .collect(),
            threads: threads
                .iter()
                .map(|entry| ThreadReport {
                    thread: entry.label(),
                    state: entry.state(),
                    depth: entry.depth(),
                    request: entry.interrupt.serial(),
                    registered_for: entry.since.elapsed(),
                    heap_bytes: entry.heap_bytes.load(Ordering::Relaxed),
                    present: entry.generation == self.generation,
                })
                .collect(),
            faults: REGISTRY.faults(),
        }
    }
}

fn describe(global: &'static GlobalDescriptor, threads: &[Arc<ThreadEntry>]) -> GlobalReport {
    GlobalReport {
        name: global.name,
        type_name: (global.type_name)(),
        storage: global.storage(),
        bytes: global.size,
        values: threads.iter().filter(|entry| has_value(entry, global)).count(),
    }
}

fn has_value(entry: &ThreadEntry, global: &GlobalDescriptor) -> bool {
    // Not pinnable: about to have values, or about to have had them.
    let Some(_pin) = REGISTRY.pin(entry) else { return false };
    // SAFETY: pinned (I1).
    unsafe { entry.value_of(global) }.is_some()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} build, {} static byte(s) {}, {} fault(s)",
            self.mode,
            self.static_bytes,
            if mode::SINGLE_THREADED { "in the process" } else { "per thread" },
            self.faults
        )?;
        writeln!(f, "\n{:<32} {:>8} {:>10} {:>7}  type", "global", "storage", "bytes", "values")?;
        for module in &self.modules {
            let note = if module.started { "" } else { " (linked, not started)" };
            writeln!(f, "{}{note}", module.name)?;
            for global in &module.globals {
                writeln!(
                    f,
                    "  {:<30} {:>8} {:>10} {:>7}  {}",
                    global.name,
                    global.storage.to_string(),
                    global.bytes,
                    global.values,
                    global.type_name
                )?;
            }
        }
        writeln!(
            f,
            "\n{:<40} {:>9} {:>6} {:>8} {:>11} {:>11}",
            "thread", "state", "depth", "request", "heap bytes", "age"
        )?;
        for thread in &self.threads {
            let request =
                thread.request.map_or_else(|| "-".to_owned(), |serial| serial.to_string());
            let age = format!("{:.1?}", thread.registered_for);
            writeln!(
                f,
                "{:<40} {:>9} {:>6} {:>8} {:>11} {:>11}{}",
                thread.thread.to_string(),
                thread.state.to_string(),
                thread.depth,
                request,
                thread.heap_bytes,
                age,
                if thread.present { "" } else { "  of an earlier runtime" }
            )?;
        }
        Ok(())
    }
}
