//! This crate's attributes inside a module: what they are called, and what they go on.

use std::fmt::Display;

use quote::ToTokens;
use syn::{Attribute, Error};

use super::attributes::written;

/// `#[name]` or `#[tsrm::name]`.
fn is_marker(attribute: &Attribute, name: &str) -> bool {
    let path = attribute.path();
    let prefixed = path.segments.len() == 2 && path.segments[0].ident == "tsrm";
    (path.get_ident().is_some() || prefixed)
        && path.segments.last().is_some_and(|segment| segment.ident == name)
}

/// `#[global]`, `#[shared]`, `#[statistics]` or a hook.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    ValueKind::of(attribute).is_some() || HookKind::of(attribute).is_some()
}

/// Which attribute it is that makes a value of a `static`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Global,
    Shared,
    Statistics,
}

impl ValueKind {
    const ALL: [(&'static str, Self); 3] =
        [("global", Self::Global), ("shared", Self::Shared), ("statistics", Self::Statistics)];

    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| is_marker(attribute, name)).map(|(_, kind)| *kind)
    }

    /// In messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Global => "a global",
            Self::Shared => "a shared value",
            Self::Statistics => "a set of statistics",
        }
    }

    /// What to write instead of `mut`.
    pub(super) fn without_mut(self) -> &'static str {
        match self {
            Self::Global => "use a `Cell`, a `RefCell` or an atomic inside it",
            Self::Shared => "use an atomic, a `Mutex` or an `RwLock` inside it",
            Self::Statistics => "it counts without",
        }
    }

    /// How a `static` of that kind and name looks, if the macro sees that it is none.
    pub(super) fn declaration(self, name: impl Display) -> String {
        match self {
            Self::Global | Self::Shared => format!("static {name}: Type = …;"),
            Self::Statistics => format!("static {name}: Statistics<Enum>;"),
        }
    }
}

/// Attribute, field of the descriptor, and shape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookKind {
    ModuleStartup,
    ModuleShutdown,
    ThreadStartup,
    ThreadShutdown,
    RequestStartup,
    RequestShutdown,
}

impl HookKind {
    const ALL: [(&'static str, Self); 6] = [
        ("module_startup", Self::ModuleStartup),
        ("module_shutdown", Self::ModuleShutdown),
        ("thread_startup", Self::ThreadStartup),
        ("thread_shutdown", Self::ThreadShutdown),
        ("request_startup", Self::RequestStartup),
        ("request_shutdown", Self::RequestShutdown),
    ];

    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| is_marker(attribute, name)).map(|(_, kind)| *kind)
    }

    /// The attribute's name, which also is the descriptor's field.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// What to write.
    pub(super) fn signature(self) -> &'static str {
        match self {
            Self::ModuleStartup => {
                "fn name(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error>"
            }
            Self::ModuleShutdown => "fn name(phase: &mut tsrm::Shutdown<'_>)",
            Self::ThreadStartup | Self::RequestStartup => {
                "fn name(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error>"
            }
            Self::ThreadShutdown | Self::RequestShutdown => "fn name(here: tsrm::Attached<'_>)",
        }
    }

    pub(super) fn may_fail(self) -> bool {
        matches!(self, Self::ModuleStartup | Self::ThreadStartup | Self::RequestStartup)
    }

    /// What it is given by `&mut`; the others are given the token by value.
    pub(super) fn phase(self) -> Option<&'static str> {
        match self {
            Self::ModuleStartup => Some("Startup"),
            Self::ModuleShutdown => Some("Shutdown"),
            _ => None,
        }
    }

    pub(super) fn wrong(self, at: impl ToTokens, why: &str) -> Error {
        let (name, signature) = (self.name(), self.signature());
        Error::new_spanned(at, format!("{why}: a `#[{name}]` hook is `{signature}`"))
    }
}

pub(crate) fn misplaced_error(attribute: &Attribute) -> Error {
    let name = written(attribute.path());
    let place = if ValueKind::of(attribute).is_some() { "a `static`" } else { "a function" };
    Error::new_spanned(
        attribute.path(),
        format!("`#[{name}]` goes on {place} directly inside a `#[tsrm::module]`"),
    )
}
