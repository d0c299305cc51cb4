//! What the hooks of a module's own start and end are given.

#![deny(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use super::Error;
use super::entry::ModuleEntry;
use crate::thread::identity::Straggler;

/// The settings a module is registered with: `module.setting` → value.
pub(crate) type Settings = BTreeMap<String, String>;

/// What a `#[module_startup]` hook is given.
///
/// The hook runs before anybody can reach the module: it is the place to fill its shared values.
#[derive(Debug)]
pub struct Startup<'p> {
    pub(crate) entry: &'p ModuleEntry,
    pub(crate) settings: &'p Settings,
    /// The settings that were asked for.
    pub(crate) read: BTreeSet<String>,
}

impl Startup<'_> {
    /// The name of the module that is started.
    pub fn module(&self) -> &'static str {
        self.entry.name()
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
        let key = format!("{}.{name}", self.entry.name());
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
    pub(crate) entry: &'p ModuleEntry,
    pub(crate) stragglers: &'p [Straggler],
}

impl Shutdown<'_> {
    /// The name of the module that is shut down.
    pub fn module(&self) -> &'static str {
        self.entry.name()
    }

    /// The threads that had not left when the deadline of the runtime's shutdown passed; their
    /// values still exist. None of them when the module is retired.
    pub fn stragglers(&self) -> &[Straggler] {
        self.stragglers
    }
}
