//! Definitions as the process knows them: in copies, which stay for its life. What is not in any library but
//! here does not dangle.

use std::ffi::{CStr, CString};
use std::fmt;
use std::ptr;
use std::sync::atomic::AtomicPtr;

use super::histogram;
use super::item::{Item, Kind, Parts};
use super::list::{Link, List};

/// The definition of a set, in copies.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) items: Box<[Described]>,
    pub(crate) parts: Parts,
    /// Nothing is counted: there are no cells.
    pub(crate) is_off: bool,
    next: AtomicPtr<Definition>,
}

/// One item of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) name: Text,
    pub(crate) unit: Text,
    pub(crate) help: Text,
    pub(crate) kind: Kind,
    pub(crate) max: u64,
    pub(crate) first: usize,
    pub(crate) away: usize,
}

/// A text that C can read as well.
#[derive(PartialEq, Eq)]
pub(crate) struct Text(CString);

impl Text {
    pub(super) fn new(text: &str) -> Self {
        // A NUL would end it for C. (None can come from a derive.)
        let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
        Self(CString::new(bytes).unwrap_or_default())
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn as_c(&self) -> &CStr {
        &self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Described {
    fn new(item: &Item) -> Self {
        let &Item { name, unit, help, kind, max, first, away } = item;
        Self {
            name: Text::new(name),
            unit: Text::new(unit),
            help: Text::new(help),
            kind,
            max,
            first: first as usize,
            away: away as usize,
        }
    }

    /// Its buckets, if it is a histogram.
    pub(crate) fn buckets(&self) -> usize {
        if self.kind == Kind::Histogram { histogram::buckets(self.max) } else { 0 }
    }

    /// How many cells it has, beside the one of what is away.
    pub(crate) fn cells(&self) -> usize {
        if self.kind == Kind::Histogram { self.buckets() + 1 } else { 1 }
    }
}

static DEFINITIONS: List<Definition> = List::new();

impl Definition {
    /// The one that says the same, which is made if there is none.
    pub(super) fn find_by(items: &[Item], parts: Parts, is_off: bool) -> &'static Self {
        let items = items.iter().map(Described::new).collect();
        let next = AtomicPtr::new(ptr::null_mut());
        DEFINITIONS.find_or_add(Self { items, parts, is_off, next })
    }
}

impl Link for Definition {
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.items, self.is_off) == (&other.items, other.is_off)
    }
}
