//! Definitions and sets as the process knows them: copies of their names, and the totals.
//!
//! They are made at the first use, found again by what they say, and stay for the life of the process: so
//! the values of a set can be read when its module is gone, a module that comes back goes on where it was,
//! and no lock is needed to look for one. What is not in any library but here does not dangle.

use std::ffi::{CStr, CString};
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use once_cell::race::OnceBox;

use super::c::Description;
use super::histogram;
use super::item::{CellArray, Counting, Item, Kind, Parts, Statistic, parts};
use crate::primitive::AtomicU64;

/// Where a definition is remembered once it was found.
#[derive(Debug)]
pub struct DefinitionSlot(AtomicPtr<Definition>);

impl DefinitionSlot {
    /// Not found yet.
    #[allow(clippy::new_without_default, reason = "const, and not public")]
    pub const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

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
    fn new(text: &str) -> Self {
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
static SETS: List<Set> = List::new();

impl Definition {
    /// That of an enum.
    #[inline]
    pub(crate) fn of<E: Statistic>() -> &'static Self {
        // Acquire: pairs with the Release in `find`.
        let found = E::definition_slot().0.load(Ordering::Acquire);
        // SAFETY: only `find` fills a slot, with what is never freed (I13).
        match unsafe { found.as_ref() } {
            Some(found) => found,
            None => Self::find::<E>(),
        }
    }

    #[cold]
    fn find<E: Statistic>() -> &'static Self {
        let new = Self {
            items: E::ITEMS.iter().map(Described::new).collect(),
            parts: const { parts_of::<E>() },
            is_off: E::COUNTING == Counting::Off,
            next: AtomicPtr::new(ptr::null_mut()),
        };
        let found = DEFINITIONS.find_or_add(new);
        E::definition_slot().0.store(ptr::from_ref(found).cast_mut(), Ordering::Release);
        found
    }
}

/// Where the parts of an enum's cells are.
const fn parts_of<E: Statistic>() -> Parts {
    let parts = if matches!(E::COUNTING, Counting::Off) { parts(&[]) } else { parts(E::ITEMS) };
    assert!(parts.end == E::Cells::LENGTH, "an enum's cells are as many as its items need");
    parts
}

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
        self.description.get_or_init(|| Box::new(Description::new(self)))
    }

    pub(crate) fn was_up(&self) -> bool {
        // Relaxed, as below: a fact about the past.
        self.was_up.load(Ordering::Relaxed)
    }

    pub(crate) fn note_up(&self) {
        self.was_up.store(true, Ordering::Relaxed);
    }
}

/// A list that only grows, at its end; without a lock, so that a child of `fork` finds it in order.
struct List<T>(AtomicPtr<T>);

trait Link: Sized + 'static {
    fn next(&self) -> &AtomicPtr<Self>;
    fn is_same(&self, other: &Self) -> bool;
}

impl Link for Definition {
    fn next(&self) -> &AtomicPtr<Self> {
        &self.next
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.items, self.is_off) == (&other.items, other.is_off)
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

impl<T: Link> List<T> {
    const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// What is the same as `new`, or `new` itself.
    fn find_or_add(&'static self, new: T) -> &'static T {
        let mut new = Some(Box::new(new));
        let mut end = &self.0;
        loop {
            // Acquire: pairs with the Release below; who sees an element sees what is in it.
            // SAFETY: what is linked is never freed (I13).
            if let Some(there) = unsafe { end.load(Ordering::Acquire).as_ref() } {
                if new.as_ref().is_some_and(|new| there.is_same(new)) {
                    return there;
                }
                end = there.next();
                continue;
            }
            let Some(candidate) = new.take() else {
                unreachable!("put back when it was not linked")
            };
            let pointer = Box::into_raw(candidate);
            let linked = end.compare_exchange(
                ptr::null_mut(),
                pointer,
                Ordering::Release,
                Ordering::Relaxed,
            );
            if linked.is_ok() {
                // SAFETY: linked just now, and never freed (I13).
                return unsafe { &*pointer };
            }
            // SAFETY: made of a box above, and not linked (I13).
            new = Some(unsafe { Box::from_raw(pointer) });
        }
    }

    fn iter(&'static self) -> impl Iterator<Item = &'static T> {
        // SAFETY: what is linked is never freed (I13); Acquire: as in `find_or_add`.
        let at = |link: &AtomicPtr<T>| unsafe { link.load(Ordering::Acquire).as_ref() };
        std::iter::successors(at(&self.0), move |element| at(element.next()))
    }
}
