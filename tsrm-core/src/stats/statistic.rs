//! The enum of a set: the trait that is derived for it.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::definition::Definition;
use super::item::{CellArray, Counting, Item, Parts, parts};

/// An enum whose variants are statistics, by `#[derive(tsrm::Statistics)]`. Its items are not for users.
///
/// # Safety
/// Written by `__tsrm_declare_statistic` only. Of one enum all of it is always the same, `definition_slot` is its
/// own and runs nothing else: it is asked for in the middle of a thread's registration.
///
/// (Cells are found with a check, which a constant variant makes go away: nothing depends on `index`.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of statistics",
    label = "write `#[derive(tsrm::Statistics)]` above it"
)]
pub unsafe trait Statistic: Sized + 'static {
    /// One cell for each number: `[AtomicU64; cell_count(ITEMS)]`, of length 0 if nothing is counted.
    #[doc(hidden)]
    type Cells: CellArray;

    /// In the order of the variants, laid out.
    #[doc(hidden)]
    const ITEMS: &'static [Item];

    /// When the set counts.
    #[doc(hidden)]
    const COUNTING: Counting;

    /// The position of a variant in `ITEMS`.
    #[doc(hidden)]
    fn index(self) -> usize;

    /// Where the enum's definition is remembered.
    #[doc(hidden)]
    fn definition_slot() -> &'static DefinitionSlot;
}

/// A set that can be switched on and off at run time: declared with `#[stat(switch)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be switched",
    label = "write `#[stat(switch)]` above the enum"
)]
pub trait Switched: Statistic {}

/// How many cells a set of an enum has.
pub const fn cells_of<E: Statistic>() -> usize {
    E::Cells::LENGTH
}

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
        let parts = const { parts_of::<E>() };
        let found = Self::find_by(E::ITEMS, parts, E::COUNTING == Counting::Off);
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
