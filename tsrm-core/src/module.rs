//! What a module is: a name, its globals, its hooks.
//!
//! A [`ModuleDescriptor`] is a `static` that the [`module`](macro@crate::module) macro writes into
//! the module that it describes. Nothing here changes after the link, except each global's index,
//! which the first start assigns. Every descriptor also stands in the list of what is linked, so that a
//! drain can see the globals of modules that nobody listed (I9).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::global::descriptor::{GlobalDescriptor, GlobalRef};
use crate::thread::identity::Straggler;
use crate::token::Attached;

/// An entry in the list of all linked modules.
///
/// The list is that of `inventory`: each module adds itself by a constructor that runs when its
/// executable or library is loaded. A link section, as `linkme` has it, is seen by the one shared
/// object that it is in; where Rust crates are shared objects (`-C prefer-dynamic`), modules of the
/// others would be missing.
#[derive(Debug)]
pub struct Link(&'static ModuleDescriptor);

impl Link {
    /// Adding a module twice does no harm.
    pub const fn new(module: &'static ModuleDescriptor) -> Self {
        Self(module)
    }
}

inventory::collect!(Link);

/// All linked modules, in no particular order.
pub(crate) fn linked_modules() -> impl Iterator<Item = &'static ModuleDescriptor> {
    inventory::iter::<Link>().map(|link| link.0)
}

/// The globals of all linked modules.
pub(crate) fn linked_globals() -> impl Iterator<Item = &'static GlobalDescriptor> {
    linked_modules().flat_map(ModuleDescriptor::globals)
}

/// The bytes of all linked static globals.
pub(crate) fn static_bytes() -> usize {
    linked_globals().filter(|global| global.is_static()).map(|global| global.size).sum()
}

/// A handle to a module, as [`Runtime::start`](crate::Runtime::start) takes it: the `MODULE` constant
/// of a [`module`](macro@crate::module).
#[derive(Clone, Copy)]
pub struct Module(&'static ModuleDescriptor);

impl Module {
    #[doc(hidden)]
    pub const fn new(descriptor: &'static ModuleDescriptor) -> Self {
        Self(descriptor)
    }

    /// The module's name: the last segment of its path, unless it gave itself another one.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn descriptor(self) -> &'static ModuleDescriptor {
        self.0
    }
}

impl PartialEq for Module {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Module {}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Module").field(&self.0.name).finish()
    }
}

/// What the macro writes down about a module.
#[derive(Debug)]
pub struct ModuleDescriptor {
    /// Unique among the modules that are started.
    pub(crate) name: &'static str,
    /// Its globals in the order of declaration.
    globals: &'static [GlobalRef],
    /// Its hooks.
    pub(crate) hooks: Hooks,
}

impl ModuleDescriptor {
    /// What the macro writes.
    pub const fn new(name: &'static str, globals: &'static [GlobalRef], hooks: Hooks) -> Self {
        Self { name, globals, hooks }
    }

    /// Its globals in the order of declaration.
    pub(crate) fn globals(&self) -> impl DoubleEndedIterator<Item = &'static GlobalDescriptor> {
        self.globals.iter().map(GlobalRef::descriptor)
    }
}

/// The hooks of a module, each at most once.
///
/// The macro coerces a hook to these types. The `for<'t>` in them is what keeps a hook from asking
/// for an `Attached<'static>` and stashing a reference.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Once, before any thread attaches.
    pub module_startup: Option<StartupHook>,
    /// Once, after all threads have left.
    pub module_shutdown: Option<ShutdownHook>,
    /// On each thread, inside its first attach.
    pub thread_startup: Option<ThreadHook>,
    /// On each thread, before its values are dropped; attached.
    pub thread_shutdown: Option<EndHook>,
    /// At the beginning of each request.
    pub request_startup: Option<ThreadHook>,
    /// At the end of each request that this module has begun.
    pub request_shutdown: Option<EndHook>,
}

/// What a hook returns when it fails: any error, by `?` or `.into()`.
pub type Error = Box<dyn std::error::Error + Send + Sync + 'static>;

/// A hook that fills what the module needs before any thread attaches.
pub type StartupHook = fn(&mut Startup<'_>) -> Result<(), Error>;
/// A hook that takes it away again.
pub type ShutdownHook = fn(&mut Shutdown<'_>);
/// A hook that may refuse.
pub type ThreadHook = for<'t> fn(Attached<'t>) -> Result<(), Error>;
/// A hook that ends something and cannot refuse.
pub type EndHook = for<'t> fn(Attached<'t>);

impl Hooks {
    /// A module without hooks.
    pub const NONE: Self = Self {
        module_startup: None,
        module_shutdown: None,
        thread_startup: None,
        thread_shutdown: None,
        request_startup: None,
        request_shutdown: None,
    };
}

/// Names a hook in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `#[module_startup]`
    ModuleStartup,
    /// `#[module_shutdown]`
    ModuleShutdown,
    /// `#[thread_startup]`
    ThreadStartup,
    /// `#[thread_shutdown]`
    ThreadShutdown,
    /// `#[request_startup]`
    RequestStartup,
    /// `#[request_shutdown]`
    RequestShutdown,
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ModuleStartup => "module_startup",
            Self::ModuleShutdown => "module_shutdown",
            Self::ThreadStartup => "thread_startup",
            Self::ThreadShutdown => "thread_shutdown",
            Self::RequestStartup => "request_startup",
            Self::RequestShutdown => "request_shutdown",
        })
    }
}

/// The settings a runtime is started with: `module.setting` → value.
pub(crate) type Settings = BTreeMap<String, String>;

/// What a `#[module_startup]` hook is given.
#[derive(Debug)]
pub struct Startup<'p> {
    pub(crate) module: &'static ModuleDescriptor,
    pub(crate) settings: &'p Settings,
    /// The settings that were asked for.
    pub(crate) read: BTreeSet<String>,
}

impl Startup<'_> {
    /// The name of the module that is started.
    pub fn module(&self) -> &'static str {
        self.module.name
    }

    /// This module's setting of that name: what [`Builder::set`](crate::Builder::set) was told for
    /// `module.name`, or `None`. A setting that its module does not ask for makes the start fail.
    ///
    /// # Errors
    /// The text is there but does not parse as a `T`; the message names the setting.
    pub fn setting<T>(&mut self, name: &str) -> Result<Option<T>, Error>
    where
        T: FromStr<Err: fmt::Display>,
    {
        let key = format!("{}.{name}", self.module.name);
        let value = match self.settings.get(&key).map(|text| (text, text.parse())) {
            None => Ok(None),
            Some((_, Ok(value))) => Ok(Some(value)),
            Some((text, Err(error))) => Err(format!("setting `{key}` is {text:?}: {error}").into()),
        };
        self.read.insert(key);
        value
    }
}

/// What a `#[module_shutdown]` hook is given.
#[derive(Debug)]
pub struct Shutdown<'p> {
    pub(crate) module: &'static ModuleDescriptor,
    pub(crate) stragglers: &'p [Straggler],
}

impl Shutdown<'_> {
    /// The name of the module that is shut down.
    pub fn module(&self) -> &'static str {
        self.module.name
    }

    /// The threads that had not left when the deadline passed; their values still exist.
    pub fn stragglers(&self) -> &[Straggler] {
        self.stragglers
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
