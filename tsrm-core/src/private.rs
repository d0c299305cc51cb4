//! The contract with `tsrm-macros`: what an expansion may name. Not public API.
//!
//! An expansion of the proc-macro has no `unsafe` of its own: a path in it can lead elsewhere
//! (`crate = …`, an `extern crate … as std`), and `unsafe` must not vouch for what it finds there. All
//! of it is in this crate's `declare_…` macros, whose paths start at `$crate`. These can be called by
//! anybody, and do no harm whatever they are given. They call no methods by a dot: a trait in the
//! caller's scope could answer instead.

pub use inventory;
pub use portable_atomic::AtomicU64;
pub use std;

pub use crate::global::{
    CachedDeclaration, Declaration, GlobalDescriptor, GlobalRef, HeapDeclaration,
    StaticDeclaration, build_cached, build_static, build_table, find_in_table,
};
pub use crate::harness::{run_main, run_test};
pub use crate::mode::{CachedSlot, Image, StaticSlot, declare_cached, declare_static};
pub use crate::module::{
    EndHook, Hooks, Link, ModuleDescriptor, ShutdownHook, StartupHook, ThreadHook, last_segment,
};
pub use crate::shared::{SharedDeclaration, SharedDescriptor, SharedRef, SharedSlot};
pub use crate::stats::StatisticsDeclaration;
pub use crate::stats::declaration::{StatisticsDescriptor, StatisticsRef};
pub use crate::stats::item::{CellArray, Counting, Item, cell_count, lay_out};
pub use crate::stats::statistic::{DefinitionSlot, cells_of};
pub use crate::{
    __tsrm_cached_slot as cached_slot, __tsrm_declare_module as declare_module,
    __tsrm_declare_shared as declare_shared, __tsrm_declare_statistic as declare_statistic,
    __tsrm_declare_statistics as declare_statistics, __tsrm_static_slot as static_slot,
};

/// Declares a global in static storage: its type, and a constant of that type.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_static {
    ($marker:ident, $module:expr, $name:literal, $value:ty, $initial:path, { $($associated:tt)* }) => {
        // SAFETY: `slot` is the mode's own and never null (I2); the descriptor is this declaration's.
        unsafe impl $crate::private::Declaration for $marker {
            fn descriptor() -> &'static $crate::private::GlobalDescriptor {
                static __TSRM_DESCRIPTOR: $crate::private::GlobalDescriptor =
                    // SAFETY: the only call for this declaration.
                    unsafe { $crate::private::GlobalDescriptor::of_static::<$marker>($module, $name) };
                &__TSRM_DESCRIPTOR
            }

            $crate::private::static_slot!($value, $initial);

            unsafe fn build() -> $crate::private::std::result::Result<*const $value, $crate::AccessError> {
                $crate::private::build_static()
            }

            // Last, so that none of it can change what is above.
            $($associated)*
        }

        $crate::private::inventory::submit! {
            $crate::private::Link::of_static::<$marker>()
        }

        // SAFETY: the image holds the constant that the slot began with (I2).
        unsafe impl $crate::private::StaticDeclaration for $marker {
            fn image() -> &'static $crate::private::Image<$value> {
                static __TSRM_IMAGE: $crate::private::Image<$value> =
                    $crate::private::Image::new($initial);
                &__TSRM_IMAGE
            }
        }
    };
}

/// Declares a global in cached storage: its type, and a function that makes one.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_cached {
    ($marker:ident, $module:expr, $name:literal, $value:ty, $initial:path, { $($associated:tt)* }) => {
        $crate::private::cached_slot!($value);

        // SAFETY: `slot` is the mode's own, null until `build` has filled it (I1); the descriptor is this
        // declaration's.
        unsafe impl $crate::private::Declaration for $marker {
            fn descriptor() -> &'static $crate::private::GlobalDescriptor {
                static __TSRM_DESCRIPTOR: $crate::private::GlobalDescriptor =
                    // SAFETY: the only call for this declaration.
                    unsafe { $crate::private::GlobalDescriptor::of_cached::<$marker>($module, $name) };
                &__TSRM_DESCRIPTOR
            }

            #[inline(always)]
            unsafe fn slot() -> *const $value {
                // SAFETY: the caller's promise is the same.
                unsafe { __tsrm_slot() }
            }

            unsafe fn build() -> $crate::private::std::result::Result<*const $value, $crate::AccessError> {
                // SAFETY: the caller's promise is the same.
                unsafe { $crate::private::build_cached::<Self>() }
            }

            // Last, so that none of it can change what is above.
            $($associated)*
        }

        // SAFETY: `slot` and `descriptor` are those of a global on the heap.
        unsafe impl $crate::private::HeapDeclaration for $marker {
            fn initial() -> $value {
                $initial()
            }
        }

        // SAFETY: `fill` sets what `slot` reads (I1).
        unsafe impl $crate::private::CachedDeclaration for $marker {
            unsafe fn fill(__tsrm_value: *const $value) {
                // SAFETY: the caller's promise is the same.
                unsafe { __tsrm_fill(__tsrm_value) }
            }
        }
    };
}

/// Declares a global in table storage: its type, and a function that makes one.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_table {
    ($marker:ident, $module:expr, $name:literal, $value:ty, $initial:path, { $($associated:tt)* }) => {
        // SAFETY: `slot` is this thread's value of the descriptor's place, null until `build` has put one
        // there (I1); the descriptor is this declaration's.
        unsafe impl $crate::private::Declaration for $marker {
            fn descriptor() -> &'static $crate::private::GlobalDescriptor {
                static __TSRM_DESCRIPTOR: $crate::private::GlobalDescriptor =
                    // SAFETY: the only call for this declaration.
                    unsafe { $crate::private::GlobalDescriptor::of_table::<$marker>($module, $name) };
                &__TSRM_DESCRIPTOR
            }

            #[inline]
            unsafe fn slot() -> *const $value {
                let __tsrm_descriptor =
                    <$marker as $crate::private::Declaration>::descriptor();
                $crate::private::find_in_table(__tsrm_descriptor) as *const $value
            }

            unsafe fn build() -> $crate::private::std::result::Result<*const $value, $crate::AccessError> {
                // SAFETY: the caller's promise is the same.
                unsafe { $crate::private::build_table::<Self>() }
            }

            // Last, so that none of it can change what is above.
            $($associated)*
        }

        // SAFETY: `slot` and `descriptor` are those of a global on the heap.
        unsafe impl $crate::private::HeapDeclaration for $marker {
            fn initial() -> $value {
                $initial()
            }
        }
    };
}

/// Declares a global on the heap whose initial value is a constant: for builds that force it there.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_static_on_heap {
    ($marker:ident, $module:expr, $name:literal, $value:ty, $initial:path, $associated:tt) => {
        fn __tsrm_from_constant() -> $value {
            $initial
        }
        $crate::private::declare_cached!(
            $marker,
            $module,
            $name,
            $value,
            __tsrm_from_constant,
            $associated
        );
    };
}

/// Declares a shared value: its type, a function that makes one, and whether the first use does so.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_shared {
    (
        $marker:ident, $module:expr, $name:literal, $value:ty, $initial:path, $is_lazy:literal,
        { $($associated:tt)* }
    ) => {
        // SAFETY: descriptor and slot are this declaration's (I11).
        unsafe impl $crate::private::SharedDeclaration for $marker {
            fn descriptor() -> &'static $crate::private::SharedDescriptor {
                static __TSRM_DESCRIPTOR: $crate::private::SharedDescriptor =
                    $crate::private::SharedDescriptor::of::<$marker>($module, $name, $is_lazy);
                &__TSRM_DESCRIPTOR
            }

            #[inline(always)]
            fn slot() -> &'static $crate::private::SharedSlot<$value> {
                static __TSRM_SLOT: $crate::private::SharedSlot<$value> =
                    $crate::private::SharedSlot::new();
                &__TSRM_SLOT
            }

            fn initial() -> $value {
                $initial()
            }

            // Last, so that none of it can change what is above.
            $($associated)*
        }
    };
}

/// Makes an enum one of statistics: its items, and when they are counted.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_statistic {
    ($set:ident, [$($item:expr),*], $counting:ident, { $($associated:tt)* }) => {
        const _: () = {
            const __TSRM_COUNTING: $crate::private::Counting = $crate::private::Counting::$counting;
            const __TSRM_ITEMS: &[$crate::private::Item] = &$crate::private::lay_out([$($item),*]);
            const __TSRM_COUNT: $crate::private::std::primitive::usize =
                $crate::private::cell_count(__TSRM_ITEMS, __TSRM_COUNTING);

            // SAFETY: constants, and a slot of this enum's own (I13).
            #[allow(deprecated, reason = "the enum may be deprecated for others")]
            #[automatically_derived]
            unsafe impl $crate::stats::Statistic for $set {
                type Cells = [$crate::private::AtomicU64; __TSRM_COUNT];
                const ITEMS: &'static [$crate::private::Item] = __TSRM_ITEMS;
                const COUNTING: $crate::private::Counting = __TSRM_COUNTING;

                fn definition_slot() -> &'static $crate::private::DefinitionSlot {
                    static __TSRM_SLOT: $crate::private::DefinitionSlot =
                        $crate::private::DefinitionSlot::new();
                    &__TSRM_SLOT
                }

                // Last, so that none of it can change what is above.
                $($associated)*
            }
        };
    };
}

/// Declares a set of statistics: its name as declared and in snake case, and its enum.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_statistics {
    (
        $marker:ident, $module:expr, $declared:literal, $name:literal, $set:ty,
        { $($associated:tt)* }
    ) => {
        // By a number, which a type that is no enum of statistics does not have: so that is said once.
        const __TSRM_COUNT: $crate::private::std::primitive::usize =
            $crate::private::cells_of::<$set>();
        type __TsrmCells = [$crate::private::AtomicU64; __TSRM_COUNT];
        #[allow(clippy::declare_interior_mutable_const, reason = "an initial value, copied into each thread's")]
        const __TSRM_ZERO: __TsrmCells = <__TsrmCells as $crate::private::CellArray>::ZERO;

        // SAFETY: `slot` is the mode's own and never null, the descriptor is this declaration's (I13).
        unsafe impl $crate::private::StatisticsDeclaration for $marker {
            fn descriptor() -> &'static $crate::private::StatisticsDescriptor {
                static __TSRM_DESCRIPTOR: $crate::private::StatisticsDescriptor =
                    $crate::private::StatisticsDescriptor::of::<$marker>($module, $declared, $name);
                &__TSRM_DESCRIPTOR
            }

            $crate::private::static_slot!(__TsrmCells, __TSRM_ZERO);

            #[inline(always)]
            fn switch() -> &'static $crate::private::std::sync::atomic::AtomicBool {
                static __TSRM_SWITCH: $crate::private::std::sync::atomic::AtomicBool =
                    $crate::private::std::sync::atomic::AtomicBool::new(true);
                &__TSRM_SWITCH
            }

            // Last, so that none of it can change what is above.
            $($associated)*
        }

        $crate::private::inventory::submit! {
            $crate::private::Link::of_statistics::<$marker>()
        }
    };
}

/// Adds a module to the list of what is linked.
#[doc(hidden)]
#[macro_export]
macro_rules! __tsrm_declare_module {
    ($descriptor:path) => {
        $crate::private::inventory::submit! { $crate::private::Link::new(&$descriptor) }
    };
}
