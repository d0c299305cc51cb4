//! What the module macro writes for a `#[statistics]` item, and the descriptor that is made of it.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::definition::Definition;
use super::item::CellArray;
use super::set::Set;
use super::statistic::Statistic;
use crate::primitive::AtomicU64;

/// A declared set of statistics, as the type of its handle knows it: for functions that take a handle.
///
/// ```
/// # #[tsrm::module]
/// # mod client {
/// #     #[derive(tsrm::Statistics)]
/// #     pub enum Client {
/// #         /// Bytes sent.
/// #         #[stat(counter)] BytesSent,
/// #     }
/// #     #[statistics]
/// #     pub static CLIENT: tsrm::Statistics<Client>;
/// # }
/// # use client::{CLIENT, Client};
/// use tsrm::stats::StatisticsDeclaration;
/// use tsrm::{Attached, Statistics};
///
/// fn sent<D>(here: Attached<'_>, set: &Statistics<D>, bytes: u64)
/// where
///     D: StatisticsDeclaration<Set = Client>,
/// {
///     set.add(here, Client::BytesSent, bytes);
/// }
/// # let tsrm = tsrm::Runtime::start([client::MODULE]).unwrap();
/// # tsrm.attach(|here| sent(here, &CLIENT, 5));
/// # assert_eq!(CLIENT.snapshot().count(Client::BytesSent), 5);
/// ```
///
/// # Safety
/// Written by `__tsrm_declare_statistics` only. `slot` is the address of the calling thread's shard, in
/// static storage, and never null; `descriptor` is always the same, and of this declaration only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a declared set of statistics",
    label = "statistics are declared with `#[statistics]` in a `#[tsrm::module]`",
    note = "a function that takes the handle is generic: `fn f<D: StatisticsDeclaration<Set = …>>(set: &Statistics<D>)`"
)]
pub unsafe trait StatisticsDeclaration: Sized + 'static {
    /// The enum.
    type Set: Statistic;

    /// What the runtime works with.
    #[doc(hidden)]
    fn descriptor() -> &'static StatisticsDescriptor;

    /// This thread's shard.
    ///
    /// # Safety
    /// The address may be asked for on any thread; to write there, on a registered one (I9).
    #[doc(hidden)]
    unsafe fn slot() -> *const <Self::Set as Statistic>::Cells;

    /// Whether a set that can be switched is on.
    #[doc(hidden)]
    fn switch() -> &'static AtomicBool;
}

/// The runtime's view of a declared set; a `static` that the macro writes.
#[derive(Debug)]
pub struct StatisticsDescriptor {
    module: &'static str,
    /// As it was declared.
    pub(crate) declared: &'static str,
    /// In snake case.
    name: &'static str,
    definition: fn() -> &'static Definition,
    /// The calling thread's shard.
    shard: fn() -> NonNull<[AtomicU64]>,
    /// The bytes of a shard.
    pub(crate) bytes: usize,
    /// Once it was found.
    set: AtomicPtr<Set>,
}

impl StatisticsDescriptor {
    /// Of that declaration.
    pub const fn of<D: StatisticsDeclaration>(
        module: &'static str,
        declared: &'static str,
        name: &'static str,
    ) -> Self {
        Self {
            module,
            declared,
            name,
            definition: Definition::of::<D::Set>,
            shard: || {
                // SAFETY: only the address is made use of here (I9).
                let shard = unsafe { D::slot() };
                // SAFETY: an array of atomics in static storage, which exists as long as its thread, and
                // in which nobody makes a `&mut` (I13).
                NonNull::from(unsafe { &*shard }.cells())
            },
            bytes: size_of::<<D::Set as Statistic>::Cells>(),
            set: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The set as the process knows it. The first call allocates.
    #[inline]
    pub(crate) fn set(&self) -> &'static Set {
        match self.found_set() {
            Some(set) => set,
            None => self.find_set(),
        }
    }

    /// If it was asked for before.
    #[inline]
    pub(crate) fn found_set(&self) -> Option<&'static Set> {
        // Acquire: pairs with the Release in `find_set`.
        // SAFETY: only `find_set` fills it, with what is never freed (I13).
        unsafe { self.set.load(Ordering::Acquire).as_ref() }
    }

    #[cold]
    fn find_set(&self) -> &'static Set {
        let set = Set::find(self.module, self.name, (self.definition)());
        self.set.store(ptr::from_ref(set).cast_mut(), Ordering::Release);
        set
    }

    /// The calling thread's shard.
    pub(crate) fn shard(&self) -> NonNull<[AtomicU64]> {
        (self.shard)()
    }
}

/// A declared set, in a module's list. Opaque, as [`GlobalRef`](crate::private::GlobalRef).
#[derive(Debug)]
pub struct StatisticsRef(fn() -> &'static StatisticsDescriptor);

impl StatisticsRef {
    /// That declaration's.
    pub const fn of<D: StatisticsDeclaration>() -> Self {
        Self(D::descriptor)
    }

    pub(crate) fn descriptor(&self) -> &'static StatisticsDescriptor {
        (self.0)()
    }
}
