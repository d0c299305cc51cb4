//! What the runtime knows of itself, as data and as a table for people.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Runtime;
use crate::global::descriptor::{GlobalDescriptor, Storage};
use crate::mode;
use crate::module::entry::ModuleState;
use crate::module::{ModuleDescriptor, linked_modules, static_bytes};
use crate::registry::{REGISTRY, ResourceType};
use crate::resource::ResourceId;
use crate::shared::declaration::SharedDescriptor;
use crate::stats::declaration::StatisticsDescriptor;
use crate::thread::entry::ThreadEntry;
use crate::thread::identity::{ThreadLabel, ThreadState};

/// A picture of the runtime at one moment. Its [`Display`](fmt::Display) is a table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// `"ZTS"` or `"NTS"`.
    pub mode: &'static str,
    /// The linked modules: the registered ones in order of their start, then the others.
    pub modules: Vec<ModuleReport>,
    /// The resources that were registered at run time.
    pub resources: Vec<ResourceReport>,
    /// The registered threads, in order of their registration.
    pub threads: Vec<ThreadReport>,
    /// The bytes of all static globals and all statistics. In a thread-safe build *every* thread of the process pays
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
    /// Whether it is registered and up.
    pub started: bool,
    /// Whether it is registered and being retired.
    pub retiring: bool,
    /// Its globals in order of declaration.
    pub globals: Vec<GlobalReport>,
    /// Its shared values in order of declaration.
    pub shared: Vec<SharedReport>,
    /// Its sets of statistics in order of declaration.
    pub statistics: Vec<StatisticsReport>,
}

/// One shared value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedReport {
    /// Its name.
    pub name: &'static str,
    /// The name of its type, as the compiler writes it.
    pub type_name: &'static str,
    /// Whether it is built by its first use.
    pub lazy: bool,
    /// Its bytes.
    pub bytes: usize,
}

/// One set of statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatisticsReport {
    /// Its name, as declared.
    pub name: &'static str,
    /// How many statistics it has.
    pub statistics: usize,
    /// The bytes that it takes in each thread.
    pub bytes: usize,
}

/// One resource that was registered at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceReport {
    /// Its number.
    pub id: ResourceId,
    /// The name it was registered with.
    pub name: &'static str,
    /// The name of its type, as the compiler writes it.
    pub type_name: &'static str,
    /// The bytes of one value.
    pub bytes: usize,
    /// How many threads have a value now.
    pub values: usize,
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
    /// The bytes of the values that it has on the heap.
    pub heap_bytes: usize,
    /// False for a straggler of an earlier runtime.
    pub present: bool,
}

impl Runtime {
    /// A picture of modules, globals and threads now.
    pub fn report(self) -> Report {
        let threads = REGISTRY.threads();
        let registered = REGISTRY.modules(self.generation);
        let is_registered = |module: &ModuleDescriptor| {
            registered.iter().any(|(m, _)| std::ptr::eq(m.descriptor(), module))
        };
        let unlisted = linked_modules()
            .filter(|module| !is_registered(module))
            .map(|module| (module, ModuleState::Down));
        let registered = registered.iter().map(|(module, state)| (module.descriptor(), *state));
        Report {
            mode: mode::NAME,
            static_bytes: static_bytes(),
            modules: registered
                .chain(unlisted)
                .map(|(module, state)| ModuleReport {
                    name: module.name,
                    started: state == ModuleState::Up,
                    retiring: (ModuleState::Retiring..ModuleState::Down).contains(&state),
                    globals: module.globals().map(|global| describe(global, &threads)).collect(),
                    shared: module.shared().map(describe_shared).collect(),
                    statistics: module.statistics().map(describe_statistics).collect(),
                })
                .collect(),
            resources: resources(),
            threads: threads
                .iter()
                .map(|entry| ThreadReport {
                    thread: entry.label(),
                    state: entry.state(),
                    depth: entry.gate.depth(),
                    request: entry.interrupt.serial(),
                    registered_for: entry.since.elapsed(),
                    heap_bytes: entry.values.bytes(),
                    present: entry.generation == self.generation,
                })
                .collect(),
            faults: REGISTRY.faults(),
        }
    }
}

fn resources() -> Vec<ResourceReport> {
    let report = |(id, resource, values): (ResourceId, ResourceType, usize)| ResourceReport {
        id,
        name: resource.name,
        type_name: (resource.type_name)(),
        bytes: resource.kind.layout.size(),
        values,
    };
    ResourceId::all().map(report).collect()
}

fn describe_statistics(statistics: &StatisticsDescriptor) -> StatisticsReport {
    StatisticsReport {
        name: statistics.declared,
        statistics: statistics.set().definition.items.len(),
        bytes: statistics.bytes,
    }
}

fn describe_shared(shared: &SharedDescriptor) -> SharedReport {
    SharedReport {
        name: shared.name,
        type_name: (shared.type_name)(),
        lazy: shared.is_lazy,
        bytes: shared.size,
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
            let note = match module {
                ModuleReport { started: true, .. } => "",
                ModuleReport { retiring: true, .. } => " (being retired)",
                _ => " (linked, not started)",
            };
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
            for shared in &module.shared {
                writeln!(
                    f,
                    "  {:<30} {:>8} {:>10} {:>7}  {}",
                    shared.name, "shared", shared.bytes, "", shared.type_name
                )?;
            }
            for set in &module.statistics {
                let statistics = format!("{} statistic(s)", set.statistics);
                writeln!(
                    f,
                    "  {:<30} {:>8} {:>10} {:>7}  {statistics}",
                    set.name, "static", set.bytes, ""
                )?;
            }
        }
        for resource in &self.resources {
            writeln!(
                f,
                "{:<32} {:>8} {:>10} {:>7}  {}",
                format!("{} ({})", resource.name, resource.id),
                "table",
                resource.bytes,
                resource.values,
                resource.type_name
            )?;
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
