//! A declared set as the process knows it: its names and totals.
//!
//! It is made at the first use, found again by what it says, and stays for the life of the process: so its
//! values can be read when its module is gone, and a module that comes back goes on where it was.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use once_cell::race::OnceBox;

use super::definition::{Definition, Text};
use super::description::Description;
use super::list::{Link, List};
use crate::primitive::AtomicU64;

static SETS: List<Set> = List::new();
/// How many sets have come up so far.
static UPS: AtomicU64 = AtomicU64::new(0);

/// The statistics that a module declares, in this process: their names and totals.
pub(crate) struct Set {
    pub(crate) module: Text,
    pub(crate) name: Text,
    pub(crate) definition: &'static Definition,
    /// What threads that left have counted, and what was counted without a token.
    pub(crate) totals: Box<[AtomicU64]>,
    /// When its module came up last, by the count of [`UPS`]; 0 if it has not been up.
    last_up: AtomicU64,
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
            last_up: AtomicU64::new(0),
            description: OnceBox::new(),
            next: AtomicPtr::new(ptr::null_mut()),
        })
    }

    /// All that there are, in the order in which they were made, which stays.
    pub(super) fn known() -> impl Iterator<Item = &'static Self> {
        SETS.iter()
    }

    /// Whether its module is or has been up, and none came up later with another set of these names, as a new
    /// build of it does.
    pub(super) fn is_current(&self) -> bool {
        let is_newer = |other: &Self| {
            (&other.module, &other.name) == (&self.module, &self.name)
                && other.last_up() > self.last_up()
        };
        self.was_up() && !Self::known().any(is_newer)
    }

    /// For C.
    pub(super) fn description(&'static self) -> &'static Description {
        self.description
            .get_or_init(|| Box::new(Description::new(&self.module, &self.name, self.definition)))
    }

    pub(crate) fn was_up(&self) -> bool {
        self.last_up() > 0
    }

    fn last_up(&self) -> u64 {
        // Relaxed, as below: a fact about the past.
        self.last_up.load(Ordering::Relaxed)
    }

    /// Under the registry's lock.
    pub(crate) fn note_up(&self) {
        let number = UPS.fetch_add(1, Ordering::Relaxed) + 1;
        self.last_up.store(number, Ordering::Relaxed);
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
