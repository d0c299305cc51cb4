//! What a module is: a name, its globals and shared values, its hooks, what it requires.
//!
//! A [`ModuleDescriptor`] is a `static` that the [`module`](macro@crate::module) macro writes into
//! the module that it describes. Every descriptor also stands in the list of what is linked, so that a
//! drain can see the globals of modules that nobody listed (I9). Each time a module is registered, a
//! [`ModuleEntry`](entry::ModuleEntry) is made of it.

pub(crate) mod entry;
mod hook;
mod phase;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

pub use hook::{EndHook, Error, Hook, Hooks, ShutdownHook, StartupHook, ThreadHook};
pub(crate) use phase::Settings;
pub use phase::{Shutdown, Startup};

use crate::global::descriptor::{GlobalDescriptor, GlobalRef};
use crate::shared::declaration::{SharedDescriptor, SharedRef};
use crate::stats::declaration::{StatisticsDeclaration, StatisticsDescriptor, StatisticsRef};

/// An entry in the list of all that is linked: a module; or a static global or a set of statistics, which
/// do not depend on their module's list. A drain has to find every static (I9), and a reader every shard.
///
/// The list is that of `inventory`: each module adds itself by a constructor that runs when its
/// executable or library is loaded. A link section, as `linkme` has it, is seen by the one shared
/// object that it is in; where Rust crates are shared objects (`-C prefer-dynamic`), modules of the
/// others would be missing.
#[derive(Debug)]
pub struct Link(Linked);

#[derive(Clone, Copy, Debug)]
enum Linked {
    Module(&'static ModuleDescriptor),
    Static(fn() -> &'static GlobalDescriptor),
    Statistics(fn() -> &'static StatisticsDescriptor),
}

impl Link {
    /// Adding a module twice does no harm.
    pub const fn new(module: &'static ModuleDescriptor) -> Self {
        Self(Linked::Module(module))
    }

    pub(crate) const fn new_static(descriptor: fn() -> &'static GlobalDescriptor) -> Self {
        Self(Linked::Static(descriptor))
    }

    /// Of a set of statistics. Once: a shard that is listed twice would be added up twice.
    pub const fn of_statistics<D: StatisticsDeclaration>() -> Self {
        Self(Linked::Statistics(D::descriptor))
    }
}

inventory::collect!(Link);

/// All linked modules, in no particular order.
pub(crate) fn linked_modules() -> impl Iterator<Item = &'static ModuleDescriptor> {
    inventory::iter::<Link>().filter_map(|link| match link.0 {
        Linked::Module(module) => Some(module),
        Linked::Static(_) | Linked::Statistics(_) => None,
    })
}

/// All linked static globals, in no particular order.
pub(crate) fn linked_statics() -> impl Iterator<Item = &'static GlobalDescriptor> {
    inventory::iter::<Link>().filter_map(|link| match link.0 {
        Linked::Static(global) => Some(global()),
        Linked::Module(_) | Linked::Statistics(_) => None,
    })
}

/// All linked sets of statistics, in no particular order.
pub(crate) fn linked_statistics() -> impl Iterator<Item = &'static StatisticsDescriptor> {
    inventory::iter::<Link>().filter_map(|link| match link.0 {
        Linked::Statistics(statistics) => Some(statistics()),
        Linked::Module(_) | Linked::Static(_) => None,
    })
}

/// The bytes of all linked static globals and of the shards of all linked sets of statistics.
pub(crate) fn static_bytes() -> usize {
    let globals: usize = linked_statics().map(|global| global.size).sum();
    let shards: usize = linked_statistics().map(|statistics| statistics.bytes).sum();
    globals + shards
}

/// A handle to a module, as [`Runtime::start`](crate::Runtime::start) takes it: the `MODULE` constant
/// of a [`module`](macro@crate::module).
#[derive(Clone, Copy)]
// By a function: up to Rust 1.86 a constant may not refer to a static with atomics in it.
pub struct Module(fn() -> &'static ModuleDescriptor);

impl Module {
    #[doc(hidden)]
    pub const fn new(descriptor: fn() -> &'static ModuleDescriptor) -> Self {
        Self(descriptor)
    }

    /// The module's name: the last segment of its path, unless it gave itself another one.
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    pub(crate) fn descriptor(self) -> &'static ModuleDescriptor {
        (self.0)()
    }
}

impl PartialEq for Module {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.descriptor(), other.descriptor())
    }
}

impl Eq for Module {}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Module").field(&self.name()).finish()
    }
}

/// What the macro writes down about a module.
#[derive(Debug)]
pub struct ModuleDescriptor {
    /// Unique among the modules that are registered.
    pub(crate) name: &'static str,
    /// The names of the modules that must be up before this one, and stay as long as it.
    pub(crate) requires: &'static [&'static str],
    /// Its globals in the order of declaration.
    globals: &'static [GlobalRef],
    /// Its shared values in the order of declaration.
    shared: &'static [SharedRef],
    /// Its sets of statistics in the order of declaration.
    statistics: &'static [StatisticsRef],
    /// Its hooks.
    pub(crate) hooks: Hooks,
    /// The last runtime in which it was retired, for what is said of it afterwards.
    retired_in: AtomicU32,
}

impl ModuleDescriptor {
    /// What the macro writes.
    pub const fn new(
        name: &'static str,
        requires: &'static [&'static str],
        globals: &'static [GlobalRef],
        shared: &'static [SharedRef],
        statistics: &'static [StatisticsRef],
        hooks: Hooks,
    ) -> Self {
        let retired_in = AtomicU32::new(0);
        Self { name, requires, globals, shared, statistics, hooks, retired_in }
    }

    /// Its globals in the order of declaration.
    pub(crate) fn globals(
        &self,
    ) -> impl DoubleEndedIterator<Item = &'static GlobalDescriptor> + use<> {
        self.globals.iter().map(GlobalRef::descriptor)
    }

    /// Those of its globals whose values are on the heap.
    pub(crate) fn heap_globals(
        &self,
    ) -> impl DoubleEndedIterator<Item = &'static GlobalDescriptor> + use<> {
        self.globals().filter(|global| !global.is_static())
    }

    /// Its shared values in the order of declaration.
    pub(crate) fn shared(
        &self,
    ) -> impl DoubleEndedIterator<Item = &'static SharedDescriptor> + use<> {
        self.shared.iter().map(SharedRef::descriptor)
    }

    /// Its sets of statistics in the order of declaration.
    pub(crate) fn statistics(&self) -> impl Iterator<Item = &'static StatisticsDescriptor> + use<> {
        self.statistics.iter().map(StatisticsRef::descriptor)
    }

    /// Whether it was retired from that runtime, and not registered again since.
    pub(crate) fn was_retired_in(&self, generation: u32) -> bool {
        // Relaxed, as below: only for a message.
        self.retired_in.load(Ordering::Relaxed) == generation
    }

    pub(crate) fn note_retired_in(&self, generation: u32) {
        self.retired_in.store(generation, Ordering::Relaxed);
    }
}

/// The last segment of a `module_path!()`, at compile time; of `r#mod`, the name `mod`.
pub const fn last_segment(path: &'static str) -> &'static str {
    let mut rest = path.as_bytes();
    let mut index = rest.len();
    while index > 0 {
        if rest[index - 1] == b':' {
            (_, rest) = rest.split_at(index);
            break;
        }
        index -= 1;
    }
    if let [b'r', b'#', name @ ..] = rest {
        rest = name;
    }
    match std::str::from_utf8(rest) {
        Ok(segment) => segment,
        Err(_) => path,
    }
}

#[cfg(test)]
mod tests {
    use super::last_segment;

    #[test]
    fn last_segments() {
        let cases = [
            ("a", "a"),
            ("a::b", "b"),
            ("crate::x::executor", "executor"),
            ("a::bc::d", "d"),
            ("r#mod", "mod"),
            ("a::r#mod", "mod"),
            ("a::r", "r"),
        ];
        for (path, expected) in cases {
            assert_eq!(last_segment(path), expected);
        }
    }
}
