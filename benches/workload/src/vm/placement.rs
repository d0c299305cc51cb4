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

/// A module with the machine's globals, and a [`Placement`] that reaches them. They differ in how the
/// initial values are written, which picks the storage.
macro_rules! place {
    (
        $(#[$about:meta])* $module:ident,
        $(#[$reach:meta])* $placement:ident,
        $executor:expr, $memory:expr, $text:expr
    ) => {
        $(#[$about])*
        #[tsrm::module]
        pub mod $module {
            use super::{Executor, Memory, Text};

            /// Where execution stands.
            #[global]
            pub static EXECUTOR: Executor = $executor;

            /// The program's array.
            #[global]
            pub static MEMORY: Memory = $memory;

            /// The text that a program builds.
            #[global]
            pub static TEXT: Text = $text;
        }

        $(#[$reach])*
        #[derive(Debug)]
        pub struct $placement;

        impl Placement for $placement {
            #[inline(always)]
            fn executor<'t>(here: Attached<'t>) -> &'t Executor {
                $module::EXECUTOR.get(here)
            }

            #[inline(always)]
            fn memory<'t>(here: Attached<'t>) -> &'t Memory {
                $module::MEMORY.get(here)
            }

            #[inline(always)]
            fn text<'t>(here: Attached<'t>) -> &'t Text {
                $module::TEXT.get(here)
            }
        }
    };
}

place! {
    /// The machine's globals in static storage.
    in_static,
    /// [`Placement`] in static storage.
    InStatic,
    const { Executor::new() }, const { Memory::new() }, const { Text::new() }
}

place! {
    /// The machine's globals in cached storage.
    in_cached,
    /// [`Placement`] in cached storage.
    InCached,
    Executor::new(), Memory::new(), Text::new()
}
