//! The machine's globals, in both storages.

use tsrm::Attached;

use super::{Executor, Memory, Text};

/// Where the machine's globals live.
pub trait Placement {
    /// This thread's executor.
    fn executor<'t>(here: Attached<'t>) -> &'t Executor;
    /// This thread's array.
    fn memory<'t>(here: Attached<'t>) -> &'t Memory;
    /// This thread's text.
    fn text<'t>(here: Attached<'t>) -> &'t Text;
}

/// The machine's globals in static storage.
#[tsrm::module]
pub mod in_static {
    use super::{Executor, Memory, Text};

    /// Where execution stands.
    #[global]
    pub static EXECUTOR: Executor = const { Executor::new() };

    /// The program's array.
    #[global]
    pub static MEMORY: Memory = const { Memory::new() };

    /// The text that a program builds.
    #[global]
    pub static TEXT: Text = const { Text::new() };
}

/// [`Placement`] in static storage.
#[derive(Debug)]
pub struct InStatic;

impl Placement for InStatic {
    #[inline(always)]
    fn executor<'t>(here: Attached<'t>) -> &'t Executor {
        in_static::EXECUTOR.get(here)
    }

    #[inline(always)]
    fn memory<'t>(here: Attached<'t>) -> &'t Memory {
        in_static::MEMORY.get(here)
    }

    #[inline(always)]
    fn text<'t>(here: Attached<'t>) -> &'t Text {
        in_static::TEXT.get(here)
    }
}

/// The machine's globals in cached storage.
#[tsrm::module]
pub mod in_cached {
    use super::{Executor, Memory, Text};

    /// Where execution stands.
    #[global]
    pub static EXECUTOR: Executor = Executor::new();

    /// The program's array.
    #[global]
    pub static MEMORY: Memory = Memory::new();

    /// The text that a program builds.
    #[global]
    pub static TEXT: Text = Text::new();
}

/// [`Placement`] in cached storage.
#[derive(Debug)]
pub struct InCached;

impl Placement for InCached {
    #[inline(always)]
    fn executor<'t>(here: Attached<'t>) -> &'t Executor {
        in_cached::EXECUTOR.get(here)
    }

    #[inline(always)]
    fn memory<'t>(here: Attached<'t>) -> &'t Memory {
        in_cached::MEMORY.get(here)
    }

    #[inline(always)]
    fn text<'t>(here: Attached<'t>) -> &'t Text {
        in_cached::TEXT.get(here)
    }
}
