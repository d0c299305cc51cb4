//! Shared values: one per registration of their module, for all threads.
//!
//! What a `#[shared]` item turns into is a [`Shared`]; the value itself belongs to the module's entry,
//! and its address is published in a [`SharedSlot`] from the end of the module's startup until it is
//! retired or shut down. The value is dropped when no thread can have a reference left: when every
//! thread was seen at depth 0 after the slot was cleared. In a single-threaded build that is the same
//! code.

pub(crate) mod declaration;
pub(crate) mod value;

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

pub use declaration::{SharedDeclaration, SharedDescriptor, SharedRef, SharedSlot};
use value::{Reentrant, SharedValue};

use crate::error::{AccessError, refuse};
use crate::module::entry::ModuleEntry;
use crate::module::{Shutdown, Startup};
use crate::registry::{REGISTRY, Wanted};
use crate::thread::{attach, current};
use crate::token::Attached;

/// One value for all threads: what a `#[shared]` item turns into.
///
/// It is built when its module starts, before the `module_startup` hook, which may fill it
/// ([`Startup::shared_mut`](crate::Startup::shared_mut)); declared with `#[shared(lazy)]`, by the first
/// use. It is dropped after the `module_shutdown` hook, when no thread is left in an attach that may
/// have seen it, on whichever thread finds that out.
///
/// The value is `Send + Sync`. In a single-threaded build too it is reached only with the token.
///
/// ```
/// #[tsrm::module]
/// mod cache {
///     use std::collections::HashMap;
///     use std::sync::RwLock;
///
///     #[shared]
///     pub static PRICES: RwLock<HashMap<u32, u32>> = RwLock::new(HashMap::new());
///
///     #[shared(lazy)]
///     pub static GREETING: String = "hello".repeat(2);
///
///     #[module_startup]
///     fn startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
///         *phase.shared_mut(&PRICES) = RwLock::new([(7, 70)].into());
///         Ok(())
///     }
/// }
///
/// # fn main() -> Result<(), tsrm::StartError> {
/// let tsrm = tsrm::Runtime::start([cache::MODULE])?;
/// tsrm.attach(|here| {
///     assert_eq!(cache::PRICES.get(here).read().unwrap()[&7], 70);
///     assert_eq!(cache::GREETING.get(here), "hellohello");
/// });
/// # Ok(()) }
/// ```
pub struct Shared<D> {
    _declaration: PhantomData<fn() -> D>,
}

impl<D> Shared<D> {
    #[doc(hidden)]
    #[allow(clippy::new_without_default, reason = "the macro's, not the user's")]
    pub const fn new() -> Self {
        Self { _declaration: PhantomData }
    }
}

impl<D: SharedDeclaration> Shared<D> {
    /// The value, for as long as this attach. One load and one predicted branch. Whether it can be reached does
    /// not change during an attach, unless its module is registered meanwhile: if it is retired, it stays within
    /// reach of the attaches that had begun before.
    ///
    /// # Panics
    /// The module is not registered (any more, or not yet: its startup runs); a lazy value's
    /// initialiser asks for its own value. A panic of the initialiser goes through, and leaves the
    /// value unbuilt.
    #[inline(always)]
    #[track_caller]
    pub fn get<'t>(&self, here: Attached<'t>) -> &'t D::Value {
        let _ = here;
        let mut value = D::slot().load();
        if value.is_null() {
            value = find_or_panic::<D>();
        }
        // SAFETY: as in `try_get` (I11).
        unsafe { &*value }
    }

    /// As [`get`](Self::get), but returns the error.
    ///
    /// # Errors
    /// The module is not registered, or the initialiser asks for its own value.
    #[inline(always)]
    pub fn try_get<'t>(&self, here: Attached<'t>) -> Result<&'t D::Value, AccessError> {
        let _ = here;
        let mut value = D::slot().load();
        if value.is_null() {
            value = find::<D>()?;
        }
        // SAFETY: read from the slot inside an attach, or found under the lock inside one: it is
        // dropped only when this thread has been at depth 0 since (I11). It is `Sync`.
        Ok(unsafe { &*value })
    }

    /// Attaches to the running runtime and runs `f` on the value.
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

    /// As [`with`](Self::with), but returns the error.
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
}

/// What the module's own hooks see: published or not.
impl Startup<'_> {
    /// A shared value of this module, or of one that it requires.
    ///
    /// # Panics
    /// It is another module's. (And a lazy one's initialiser may panic.)
    #[track_caller]
    pub fn shared<D: SharedDeclaration>(&self, shared: &Shared<D>) -> &D::Value {
        in_phase(shared, self.entry)
    }

    /// A shared value of this module, to be filled. Nobody else can reach it yet.
    ///
    /// # Panics
    /// It is another module's. (And a lazy one's initialiser may panic.)
    #[track_caller]
    pub fn shared_mut<D: SharedDeclaration>(&mut self, shared: &Shared<D>) -> &mut D::Value {
        let _ = shared;
        let Some(value) = self.entry.shared(D::descriptor()) else {
            let SharedDescriptor { module, name, .. } = D::descriptor();
            panic!(
                "shared value `{name}` of module `{module}` can be filled only by that module's startup"
            )
        };
        // SAFETY: built as a `D::Value`; not published before the hook that has this phase ends, and
        // `self` is borrowed for as long as the value (I11).
        unsafe { built::<D>(value).as_mut() }
    }
}

/// What the module's own hooks see, when nobody else does any more.
impl Shutdown<'_> {
    /// A shared value of this module, or of one that it requires. It is dropped after this hook.
    ///
    /// # Panics
    /// It is another module's. (And a lazy one's initialiser may panic.)
    #[track_caller]
    pub fn shared<D: SharedDeclaration>(&self, shared: &Shared<D>) -> &D::Value {
        in_phase(shared, self.entry)
    }
}

#[track_caller]
fn in_phase<'p, D: SharedDeclaration>(_shared: &Shared<D>, entry: &'p ModuleEntry) -> &'p D::Value {
    let required = entry.requires.iter().map(|required| &**required);
    let mut entries = std::iter::once(entry).chain(required);
    let Some(value) = entries.find_map(|entry| entry.shared(D::descriptor())) else {
        not_in_phase::<D>(entry)
    };
    // SAFETY: built as a `D::Value`; dropped after the entry's last hook, and a required module's after
    // its dependents' (I11).
    unsafe { built::<D>(value).as_ref() }
}

#[track_caller]
fn built<D: SharedDeclaration>(value: &SharedValue) -> NonNull<D::Value> {
    let SharedDescriptor { module, name, .. } = *value.descriptor();
    match value.build() {
        Ok(value) => value.cast(),
        Err(Reentrant) => refuse(AccessError::Initialising { module, global: name }),
    }
}

#[cold]
#[track_caller]
fn not_in_phase<D: SharedDeclaration>(entry: &ModuleEntry) -> ! {
    let SharedDescriptor { module, name, .. } = D::descriptor();
    panic!(
        "shared value `{name}` of module `{module}` is out of reach of the hooks of module `{}`: it has \
         to say `requires = [\"{module}\"]`",
        entry.name()
    )
}

impl<D: SharedDeclaration> fmt::Debug for Shared<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SharedDescriptor { module, name, .. } = D::descriptor();
        write!(f, "Shared({module}::{name})")
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn find_or_panic<D: SharedDeclaration>() -> *const D::Value {
    match find::<D>() {
        Ok(value) => value,
        Err(error) => refuse(error),
    }
}

/// Nothing is published: it is lazy and not built, or its module is not up.
#[cold]
#[inline(never)]
fn find<D: SharedDeclaration>() -> Result<*const D::Value, AccessError> {
    let descriptor = D::descriptor();
    let Some(thread) = current::entry() else {
        unreachable!("a token exists only on a registered thread")
    };
    let entry = REGISTRY.serving(thread, descriptor)?;
    let Some(value) = entry.shared(descriptor) else { unreachable!("found by this descriptor") };
    let SharedDescriptor { module, name, .. } = *descriptor;
    let value =
        value.build().map_err(|Reentrant| AccessError::Initialising { module, global: name })?;
    REGISTRY.publish(&entry, descriptor, value);
    Ok(value.cast().as_ptr())
}
