//! Per-thread globals: the handle that users hold. [`descriptor`] is the runtime's view of them.
//!
//! A [`Global`] is zero-sized; its type parameter is a marker whose [`Declaration`] the module macro
//! writes. Access is `D::slot()`: in a thread-safe build an address in native TLS, else one in a
//! `static`. What differs by storage is only whether that address can be missing.

mod build;
mod declaration;
pub(crate) mod descriptor;

pub use build::{build_cached, build_static, build_table, find_in_table};
pub(crate) use declaration::drop_in_place;
pub use declaration::{CachedDeclaration, Declaration, HeapDeclaration, StaticDeclaration};
pub use descriptor::{GlobalDescriptor, GlobalRef, Storage};

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;

use build::build_or_panic;

use crate::error::AccessError;
use crate::registry::Wanted;
use crate::thread::attach;
use crate::thread::current;
use crate::thread::each::each_pinned;
use crate::thread::entry::Phase;
use crate::thread::handle::ThreadHandle;
use crate::token::Attached;

/// A global with one value per thread: what a `#[global]` item turns into.
///
/// In a single-threaded build there is one value, and only the registered thread reaches it; the
/// bounds are the same in both builds. A value is never handed out as `&mut`: use `Cell`, `RefCell`
/// or atomics inside.
///
/// ```
/// #[tsrm::module]
/// mod output {
///     use std::cell::{Cell, RefCell};
///     #[global]
///     pub static LEVEL: Cell<u32> = const { Cell::new(0) };   // static storage
///     #[global]
///     pub static BUFFER: RefCell<String> = RefCell::new(String::with_capacity(4096));  // cached
/// }
/// use output::{BUFFER, LEVEL};
///
/// # fn main() -> Result<(), tsrm::StartError> {
/// let tsrm = tsrm::Runtime::start([output::MODULE])?;
/// tsrm.attach(|here| {
///     LEVEL.set(here, 1);
///     BUFFER.get(here).borrow_mut().push_str("hello");
///     assert_eq!(BUFFER.with_borrow(here, |text| text.len()), 5);
/// });
/// # Ok(()) }
/// ```
pub struct Global<D> {
    _declaration: PhantomData<fn() -> D>,
}

impl<D> Global<D> {
    #[doc(hidden)]
    #[allow(clippy::new_without_default, reason = "the macro's, not the user's")]
    pub const fn new() -> Self {
        Self { _declaration: PhantomData }
    }
}

impl<D: Declaration> Global<D> {
    /// This thread's value.
    ///
    /// Static storage: the address, nothing else. Cached storage: one load and one predicted
    /// branch; the first use builds the value.
    ///
    /// # Panics
    /// Cached storage only: the module is not registered (any more), its `thread_startup` fails, or the
    /// constructor asks for its own global. A panic of the constructor goes through, and leaves the global
    /// unbuilt.
    #[inline(always)]
    #[track_caller]
    pub fn get<'t>(&self, here: Attached<'t>) -> &'t D::Value {
        // SAFETY: `here` proves that this thread is registered (I9).
        let mut value = unsafe { D::slot() };
        if value.is_null() {
            value = build_or_panic::<D>(here);
        }
        // SAFETY: as in `try_get` (I1, I4, I9).
        unsafe { &*value }
    }

    /// As [`get`](Self::get), but returns the error.
    ///
    /// # Errors
    /// Cached storage only: see [`AccessError`].
    #[inline(always)]
    pub fn try_get<'t>(&self, here: Attached<'t>) -> Result<&'t D::Value, AccessError> {
        let _ = here;
        // SAFETY: `here` proves that this thread is registered (I9).
        let mut value = unsafe { D::slot() };
        if value.is_null() {
            // SAFETY: `here` proves that this thread is attached (I4).
            value = unsafe { D::build() }?;
        }
        // SAFETY: `here` proves that this thread is attached for all of `'t`: its values exist and
        // are dropped at depth 0 only (I4), on this thread (I1); in a single-threaded build it is
        // the only thread that has a token (I9). Nobody makes a `&mut` of it.
        Ok(unsafe { &*value })
    }

    /// Attaches to the running runtime and runs `f` on this thread's value.
    ///
    /// # Panics
    /// Where [`try_with`](Self::try_with) returns an error.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(&D::Value) -> R) -> R {
        let _level = attach::enter_or_panic(Wanted::Any);
        // SAFETY: `_level` outlives the call (I4).
        let here = unsafe { Attached::assume() };
        f(self.get(here))
    }

    /// As [`with`](Self::with), but returns the error. Nothing of this call panics, so destructors
    /// may use it: on a thread that drops its globals it answers `Draining`.
    ///
    /// # Errors
    /// The thread cannot be attached, or see [`try_get`](Self::try_get).
    #[inline]
    pub fn try_with<R>(&self, f: impl FnOnce(&D::Value) -> R) -> Result<R, AccessError> {
        let _level = attach::enter(Wanted::Any)?;
        // SAFETY: `_level` outlives the call (I4).
        let here = unsafe { Attached::assume() };
        Ok(f(self.try_get(here)?))
    }

    /// Runs `f` on this thread's value if the thread is inside an attach and the value exists.
    ///
    /// For signal handlers and allocators: takes no lock, allocates nothing, never registers the
    /// thread, builds a value or drops one. Whether `f` is fit for a signal handler is the
    /// caller's to see to, as `f` may interrupt any other use of the value.
    #[inline]
    pub fn try_with_attached<R>(&self, f: impl FnOnce(&D::Value) -> R) -> Option<R> {
        let entry = current::entry()?;
        // (A destructor that tries to attach is at a depth for a moment.)
        if entry.gate.depth() == 0 || entry.phase() == Phase::Draining {
            return None;
        }
        // SAFETY: attached, so registered (I9).
        let value = unsafe { D::slot() };
        if value.is_null() {
            return None;
        }
        // SAFETY: at a depth above 0, which lasts at least as long as this call (it was entered
        // further up this stack), the value exists and is not dropped (I4).
        Some(f(unsafe { &*value }))
    }

    /// Runs `f` on the value of every thread that has one, this one's included, in the order of
    /// the threads' registration. (In a single-threaded build that is this thread's only.)
    ///
    /// Threads that have left are not among them: to count over the life of the process, add each
    /// thread's value to a plain `static` in a `#[thread_shutdown]` hook.
    ///
    /// While `f` looks at a thread's value, that thread's teardown waits (I1); `f` holds no lock
    /// and may itself use globals. If `f` waits for a thread that is waiting for `f`, both wait for
    /// ever. In a child of `fork`, `f` must not look at the values of threads that are gone.
    ///
    /// ```
    /// #[tsrm::module]
    /// mod stats {
    ///     use std::sync::atomic::AtomicU64;
    ///     #[global]
    ///     pub static ROWS: AtomicU64 = const { AtomicU64::new(0) };
    /// }
    /// use std::sync::atomic::Ordering::Relaxed;
    ///
    /// # fn main() -> Result<(), tsrm::StartError> {
    /// let tsrm = tsrm::Runtime::start([stats::MODULE])?;
    /// tsrm.attach(|here| {
    ///     stats::ROWS.get(here).fetch_add(20, Relaxed);
    ///     let mut rows = 0;
    ///     stats::ROWS.for_each_thread(here, |_thread, value| rows += value.load(Relaxed));
    ///     assert_eq!(rows, 20);
    /// });
    /// # Ok(()) }
    /// ```
    pub fn for_each_thread<'t>(
        &self,
        here: Attached<'t>,
        mut f: impl FnMut(&ThreadHandle, &D::Value),
    ) where
        D::Value: Sync,
    {
        let _ = here;
        each_pinned(|thread| {
            // SAFETY: the thread is pinned, or this one, which is attached (I1, I4).
            if let Some(value) = unsafe { thread.0.value_of(D::descriptor()) } {
                // SAFETY: the descriptor is `D`'s, so the value is a `D::Value`, and alive for the
                // same reason; `D::Value: Sync` allows another thread to look at it (I1).
                f(thread, unsafe { value.cast::<D::Value>().as_ref() });
            }
        });
    }
}

/// `set`, `take` and `replace` of `LocalKey<Cell<T>>`, with the token. To read: `G.get(here).get()`.
impl<D, T> Global<D>
where
    D: Declaration<Value = Cell<T>>,
{
    /// Sets this thread's value.
    #[inline(always)]
    #[track_caller]
    pub fn set(&self, here: Attached<'_>, value: T) {
        self.get(here).set(value);
    }

    /// Takes this thread's value, leaving the default.
    #[inline(always)]
    #[track_caller]
    pub fn take(&self, here: Attached<'_>) -> T
    where
        T: Default,
    {
        self.get(here).take()
    }

    /// Replaces this thread's value and returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn replace(&self, here: Attached<'_>, value: T) -> T {
        self.get(here).replace(value)
    }
}

/// `with_borrow` and `with_borrow_mut` of `LocalKey<RefCell<T>>`, with the token. For the rest go through
/// the value: `G.get(here).take()`, `G.get(here).replace(x)`.
impl<D, T> Global<D>
where
    D: Declaration<Value = RefCell<T>>,
{
    /// Runs `f` on this thread's value.
    ///
    /// # Panics
    /// The value is mutably borrowed.
    #[inline]
    #[track_caller]
    pub fn with_borrow<R>(&self, here: Attached<'_>, f: impl FnOnce(&T) -> R) -> R {
        f(&self.get(here).borrow())
    }

    /// Runs `f` on this thread's value.
    ///
    /// # Panics
    /// The value is borrowed.
    #[inline]
    #[track_caller]
    pub fn with_borrow_mut<R>(&self, here: Attached<'_>, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.get(here).borrow_mut())
    }
}

impl<D: Declaration> fmt::Debug for Global<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let global = D::descriptor();
        write!(f, "Global({}::{})", global.module, global.name)
    }
}
