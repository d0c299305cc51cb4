//! A declared set as the process knows it: its names and totals.
//!
//! It is made at the first use, found again by what it says, and stays for the life of the process: so its
//! values can be read when its module is gone, and a module that comes back goes on where it was.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use once_cell::race::OnceBox;

use super::definition::{Definition, Text};
use super::description::Description;
use super::list::{Link, List};
use crate::primitive::AtomicU64;

static SETS: List<Set> = List::new();

/// The statistics that a module declares, in this process: their names and totals.
pub(crate) struct Set {
    pub(crate) module: Text,
    pub(crate) name: Text,
    pub(crate) definition: &'static Definition,
    /// What threads that left have counted, and what was counted without a token.
    pub(crate) totals: Box<[AtomicU64]>,
    /// Its module has been up.
    was_up: AtomicBool,
    /// For C, once it was asked for.
    description: OnceBox<Description>,
    next: AtomicPtr<Set>,
}

impl Set {
    /// The set of that name and definition, which is made if there is none.
    pub(crate) fn find(module: &str, name: &str, definition: &'static Definition) -> &'static Self {
        let totals = std::iter::repeat_with(|| AtomicU64::new(0)).take(definition.parts.end);
        SETS.find_or_add(Self {
            module: Text::new(module),
            name: Text::new(name),
            definition,
            totals: totals.collect(),
            was_up: AtomicBool::new(false),
            description: OnceBox::new(),
            next: AtomicPtr::new(ptr::null_mut()),
        })
    }

    /// All whose modules are or have been up, in the order in which they were first used.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        SETS.iter().filter(|set| set.was_up())
    }

    /// For C.
    pub(super) fn description(&'static self) -> &'static Description {
        self.description
            .get_or_init(|| Box::new(Description::new(&self.module, &self.name, self.definition)))
    }

    pub(crate) fn was_up(&self) -> bool {
        // Relaxed, as below: a fact about the past.
        self.was_up.load(Ordering::Relaxed)
    }

    pub(crate) fn note_up(&self) {
        self.was_up.store(true, Ordering::Relaxed);
    }
}

impl Link for Set {
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }

    fn is_same(&self, other: &Self) -> bool {
        ptr::eq(self.definition, other.definition)
            && (&self.module, &self.name) == (&other.module, &other.name)
    }
}
