//! Resources that are registered at run time: table storage, found by number.
//!
//! The classic way of a resource manager: register a constructor and a destructor, get an id, and every
//! thread that asks for it gets a value of its own. A C interface stands on
//! [`register_raw_resource`](Runtime::register_raw_resource); Rust programs, whose resources have types,
//! use [`register_resource`](Runtime::register_resource).

pub(crate) mod id;

use std::alloc::Layout;
use std::any::type_name;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ptr::NonNull;

pub use id::ResourceId;

use crate::error::{NotNow, RegisterError, ResourceError, refuse};
use crate::fault::{self, Fault};
use crate::global::descriptor::{DropValue, Kind, Origin};
use crate::global::drop_in_place;
use crate::module::Error;
use crate::registry::{Construct, REGISTRY, ResourceType};
use crate::retire;
use crate::runtime::Runtime;
use crate::thread::each::each_pinned;
use crate::thread::handle::ThreadHandle;
use crate::thread::values::Header;
use crate::thread::{attach, building, current};
use crate::token::Attached;

/// A resource with values of type `T`, one per thread that asks for it.
///
/// A `Copy` handle; dropping it does nothing. Values are built by the constructor on the thread that asks,
/// and dropped there, at depth 0, when the resource was released or the thread leaves. They need not be
/// `Send`.
///
/// ```
/// use std::cell::Cell;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tsrm = tsrm::Runtime::start([])?;
/// let hits = tsrm.register_resource("hits", || Ok(Cell::new(0)))?;
/// tsrm.attach(|here| {
///     hits.get(here).set(3);
///     assert_eq!(hits.get(here).get(), 3);
/// });
/// hits.release();
/// tsrm.attach(|here| assert!(hits.try_get(here).is_err()));
/// # Ok(()) }
/// ```
pub struct Resource<T> {
    id: ResourceId,
    _values: PhantomData<fn() -> T>,
}

impl<T: 'static> Resource<T> {
    /// Its number.
    pub fn id(self) -> ResourceId {
        self.id
    }

    /// This thread's value: a walk to the thread's table. The first use builds it.
    ///
    /// # Panics
    /// Where [`try_get`](Self::try_get) returns an error.
    #[inline]
    #[track_caller]
    pub fn get<'t>(self, here: Attached<'t>) -> &'t T {
        match self.try_get(here) {
            Ok(value) => value,
            Err(error) => refuse(error),
        }
    }

    /// As [`get`](Self::get), but returns the error.
    ///
    /// # Errors
    /// The resource was released (and this thread has no value of it, or has been at depth 0 since), its
    /// constructor failed or asks for its own value, or there is no memory. A panic of the constructor
    /// goes through. Each time the next use tries again.
    #[inline]
    pub fn try_get<'t>(self, here: Attached<'t>) -> Result<&'t T, ResourceError> {
        let value = self.id.value(here)?;
        // SAFETY: a value of this resource, which is of type `T`; it lives as long as the attach (I4).
        Ok(unsafe { value.cast::<T>().as_ref() })
    }

    /// Runs `f` on the value of every thread that has one, as
    /// [`Global::for_each_thread`](crate::Global::for_each_thread) does.
    pub fn for_each_thread(self, here: Attached<'_>, mut f: impl FnMut(&ThreadHandle, &T))
    where
        T: Sync,
    {
        self.id.each_value(here, |thread, value| {
            // SAFETY: a value of this resource, which is of type `T: Sync`, alive during the call (I1).
            f(thread, unsafe { value.cast::<T>().as_ref() });
        });
    }

    /// Ends the resource, as [`ResourceId::release`] does.
    pub fn release(self) -> bool {
        self.id.release()
    }
}

impl<T> Clone for Resource<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Resource<T> {}

impl<T> fmt::Debug for Resource<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resource").field(&self.id).finish()
    }
}

/// What a raw resource is: see [`Runtime::register_raw_resource`].
#[derive(Clone, Copy, Debug)]
pub struct RawResource {
    /// For messages.
    pub name: &'static str,
    /// Size and alignment of a value. It is zeroed before the constructor runs.
    pub layout: Layout,
    /// Makes a value of the zeroes; without one they are the value.
    pub constructor: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Ends a value.
    pub destructor: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl Runtime {
    /// Registers a resource: a value for each thread that asks for it, made by `constructor` on that
    /// thread. May be called at any time, from anywhere. `name` is for messages. The constructor captures nothing:
    /// what it depends on, it finds in shared values or other globals, by an attach.
    ///
    /// # Errors
    /// The runtime does not run, or there is no memory or no number left; then nothing has happened.
    pub fn register_resource<T: 'static>(
        self,
        name: &'static str,
        constructor: fn() -> Result<T, Error>,
    ) -> Result<Resource<T>, RegisterError> {
        // SAFETY: the type of a function pointer is only forgotten; `construct::<T>` knows it (I12).
        let function =
            unsafe { std::mem::transmute::<fn() -> Result<T, Error>, unsafe fn()>(constructor) };
        let drop = std::mem::needs_drop::<T>().then_some(DropValue::Rust(drop_in_place::<T>));
        let id = self.add_resource(ResourceType {
            name,
            type_name: type_name::<T>,
            kind: Kind { layout: Layout::new::<T>(), drop, origin: Origin::Resource(name) },
            construct: Construct::Rust { function, call: construct::<T> },
        })?;
        Ok(Resource { id, _values: PhantomData })
    }

    /// Registers a resource without a Rust type, as a C interface needs it: a layout, and functions that
    /// are given the address of a value.
    ///
    /// # Errors
    /// As [`register_resource`](Self::register_resource).
    ///
    /// # Safety
    /// On any thread, and as often as it is asked to, the constructor makes a value of zeroed memory of
    /// that layout, and the destructor ends one. They do not unwind. They stay callable as long as the
    /// process.
    pub unsafe fn register_raw_resource(
        self,
        resource: RawResource,
    ) -> Result<ResourceId, RegisterError> {
        let RawResource { name, layout, constructor, destructor } = resource;
        let (drop, origin) = (destructor.map(DropValue::C), Origin::Resource(name));
        self.add_resource(ResourceType {
            name,
            type_name: || "(raw)",
            kind: Kind { layout, drop, origin },
            construct: Construct::C(constructor),
        })
    }

    fn add_resource(self, resource: ResourceType) -> Result<ResourceId, RegisterError> {
        ResourceId::add(resource, self.generation())
    }
}

/// # Safety
/// `function` is a `fn() -> Result<T, Error>`, and `place` memory for a `T`.
unsafe fn construct<T>(function: unsafe fn(), place: NonNull<u8>) -> Result<(), Error> {
    // SAFETY: the caller's promise (I12).
    let function =
        unsafe { std::mem::transmute::<unsafe fn(), fn() -> Result<T, Error>>(function) };
    let value = function()?;
    // SAFETY: the caller's promise; nothing is there to be dropped (I12).
    unsafe { place.cast::<T>().write(value) };
    Ok(())
}

impl ResourceId {
    /// The number of a new resource in that runtime.
    pub(crate) fn add(resource: ResourceType, runtime: u32) -> Result<Self, RegisterError> {
        let (place, generation) = REGISTRY.add_resource(resource, runtime)?;
        let Some(generation) = NonZeroU32::new(generation) else {
            unreachable!("generations of places begin with 1")
        };
        Ok(Self { place, generation })
    }

    /// Whether it was not released.
    pub(crate) fn is_registered(self) -> bool {
        REGISTRY.resource(self.place, self.generation.get()).is_some()
    }

    /// The address of this thread's value, which stays there as long as the attach. The first use builds it.
    ///
    /// # Errors
    /// As [`Resource::try_get`].
    #[inline]
    pub fn get(self, here: Attached<'_>) -> Result<NonNull<c_void>, ResourceError> {
        self.value(here).map(NonNull::cast)
    }

    #[inline]
    fn value(self, here: Attached<'_>) -> Result<NonNull<u8>, ResourceError> {
        match self.own_value(here) {
            Some(value) => Ok(value),
            None => self.build_slow(),
        }
    }

    /// This thread's value, if it has one.
    #[inline]
    pub(crate) fn own_value(self, here: Attached<'_>) -> Option<NonNull<u8>> {
        let _ = here;
        let value = NonNull::new(current::entry()?.values.table.get(self.place as usize))?;
        // SAFETY: in this thread's table, so alive: values are dropped at depth 0 only (I4).
        let header = unsafe { Header::of(value) };
        (header.generation == self.generation.get()).then_some(value)
    }

    /// Gives this thread a value, which has none. `None` if there is no memory, or the resource was released;
    /// then the value is dropped.
    ///
    /// # Safety
    /// The kind is the one that the resource was added with, and describes a `T`.
    pub(crate) unsafe fn put_own_value<T>(
        self,
        here: Attached<'_>,
        kind: Kind,
        value: T,
    ) -> Option<()> {
        let _ = here;
        let entry = current::entry()?;
        let place = (self.place, self.generation.get());
        let unbuilt = entry.values.prepare(place.0, place.1, kind).ok()?;
        // SAFETY: memory for a `T`, that nobody else knows (I12).
        unsafe { unbuilt.value().cast::<T>().write(value) };
        // SAFETY: written just now; the place is free, since this thread has nothing of the resource (I1).
        match unsafe { REGISTRY.publish_resource(entry, unbuilt, place) } {
            Ok(_) => Some(()),
            Err(unbuilt) => {
                // SAFETY: written above, and not published (I1).
                unsafe { unbuilt.drop_value() };
                None
            }
        }
    }

    /// No lock is held while the constructor runs (I3).
    #[cold]
    #[inline(never)]
    fn build_slow(self) -> Result<NonNull<u8>, ResourceError> {
        let Some(resource) = REGISTRY.resource(self.place, self.generation.get()) else {
            return Err(ResourceError::Released(self));
        };
        let Some(entry) = current::entry() else {
            unreachable!("a token exists only on a registered thread")
        };
        let running =
            building::begin((self.place as usize, self.generation.get())).map_err(|error| {
                match error {
                    NotNow::Initialising => ResourceError::Initialising(resource.name),
                    NotNow::OutOfMemory => ResourceError::OutOfMemory(resource.name),
                }
            })?;
        let unbuilt = entry.values.prepare(self.place, self.generation.get(), resource.kind);
        let unbuilt = unbuilt.map_err(|_| ResourceError::OutOfMemory(resource.name))?;
        let value = unbuilt.value();
        match resource.construct {
            Construct::Rust { function, call } => {
                // SAFETY: registered together; the memory is of the resource's layout (I12).
                unsafe { call(function, value) }.map_err(|error| ResourceError::Constructor {
                    resource: resource.name,
                    error,
                })?;
            }
            Construct::Owner => {
                return Err(ResourceError::Constructor {
                    resource: resource.name,
                    error: "only the object that it belongs to makes its values".into(),
                });
            }
            Construct::C(constructor) => {
                // SAFETY: memory of that layout (I12).
                unsafe { value.write_bytes(0, resource.kind.layout.size()) };
                if let Some(constructor) = constructor {
                    // SAFETY: who registered it has promised that it makes a value of zeroes (I12).
                    unsafe { constructor(value.as_ptr().cast()) };
                }
            }
        }
        drop(running);
        // SAFETY: written just now. Its place is free: this thread has nothing of the resource (a
        // constructor that asks for its own value gets an error), and no other resource has the place
        // while this one is there, which is asked under the lock (I1).
        let published = unsafe {
            REGISTRY.publish_resource(entry, unbuilt, (self.place, self.generation.get()))
        };
        published.map_err(|unbuilt| {
            // Released meanwhile. Nobody has seen the value.
            // SAFETY: built above, not published (I1).
            if let Err(message) = fault::catch(|| unsafe { unbuilt.drop_value() }) {
                let (global, thread) = (Some(resource.name), Some(entry.label()));
                REGISTRY.report(&Fault { module: None, global, hook: None, thread, message });
            }
            ResourceError::Released(self)
        })
    }

    /// Runs `f` on the address of every thread's value, in the order of the threads' registration. That
    /// thread's teardown waits meanwhile (I1).
    pub fn for_each_thread(
        self,
        here: Attached<'_>,
        mut f: impl FnMut(&ThreadHandle, NonNull<c_void>),
    ) {
        self.each_value(here, |thread, value| f(thread, value.cast()));
    }

    fn each_value(self, here: Attached<'_>, mut f: impl FnMut(&ThreadHandle, NonNull<u8>)) {
        let _ = here;
        each_pinned(|thread| {
            let Some(value) = NonNull::new(thread.0.values.table.get(self.place as usize)) else {
                return;
            };
            // SAFETY: in the table, so alive, by the pin, or since this is the owner, attached (I1, I4).
            if unsafe { Header::of(value) }.generation == self.generation.get() {
                f(thread, value);
            }
        });
    }

    /// All there are, with what they are and how many threads have a value.
    pub(crate) fn all() -> impl Iterator<Item = (Self, ResourceType, usize)> {
        REGISTRY.resources().into_iter().filter_map(|(place, generation, resource, values)| {
            let id = Self { place, generation: NonZeroU32::new(generation)? };
            Some((id, resource, values))
        })
    }

    /// Ends the resource: from now on it is refused to threads that have no value of it. Those that have
    /// one, drop it at their next depth 0. Says whether there was something to end.
    pub fn release(self) -> bool {
        let released = REGISTRY.release(self.place, self.generation.get());
        attach::come_by_now();
        retire::settle();
        released
    }
}
