//! The resources that were registered at run time.

use std::sync::Arc;

use super::places::Places;
use super::{Life, Registry};
use crate::error::RegisterError;
use crate::global::descriptor::Kind;
use crate::thread::entry::ThreadEntry;
use crate::thread::values::Unbuilt;

/// What a resource is: plain data, to be looked up under the lock.
#[derive(Clone, Copy)]
pub(crate) struct ResourceType {
    pub(crate) name: &'static str,
    pub(crate) type_name: fn() -> &'static str,
    /// Makes a value, and what it is to be dropped by.
    pub(crate) kind: Kind,
    pub(crate) construct: Construct,
}

/// Makes a value in place.
#[derive(Clone, Copy)]
pub(crate) enum Construct {
    /// A `fn() -> Result<T, Error>`, behind its own type, and what calls it.
    Rust { function: unsafe fn(), call: CallConstructor },
    /// Zeroes, and then perhaps a function that makes a value of them.
    C(Option<unsafe extern "C" fn(*mut std::ffi::c_void)>),
    /// Only whoever registered the resource can make one.
    Owner,
}

/// Calls the constructor that it is given, of the type that it knows.
pub(crate) type CallConstructor =
    unsafe fn(unsafe fn(), std::ptr::NonNull<u8>) -> Result<(), crate::module::Error>;

#[cfg(test)]
impl ResourceType {
    pub(super) const NOTHING: Self = Self {
        name: "",
        type_name: || "",
        kind: Kind {
            layout: std::alloc::Layout::new::<()>(),
            drop: None,
            origin: crate::global::descriptor::Origin::Resource(""),
        },
        construct: Construct::C(None),
    };
}

impl Registry {
    /// Makes room for that many more places, if there is memory and they do not run out.
    pub(super) fn make_places(&self, count: usize) -> Result<(), RegisterError> {
        let mut larger = Places::new();
        loop {
            let mut state = self.lock();
            if state.places.has_room(count) {
                return Ok(());
            }
            let wanted = state.places.wanted(count).ok_or(RegisterError::Exhausted)?;
            if larger.capacity() >= wanted {
                let old = state.places.grow(std::mem::replace(&mut larger, Places::new()));
                drop(state);
                drop(old);
            } else {
                drop(state);
                larger = Places::with_capacity(wanted).ok_or(RegisterError::OutOfMemory)?;
            }
        }
    }

    /// Gives a new resource its place and generation.
    pub(crate) fn add_resource(
        &self,
        resource: ResourceType,
        generation: u32,
    ) -> Result<(u32, u32), RegisterError> {
        loop {
            self.make_places(1)?;
            let mut state = self.lock();
            match state.life {
                _ if state.generation != generation => return Err(RegisterError::NotRunning),
                Life::Running | Life::Starting => {}
                Life::Stopped => return Err(RegisterError::NotRunning),
                Life::ShuttingDown | Life::Stopping => return Err(RegisterError::ShuttingDown),
            }
            if state.places.has_room(1) {
                return Ok(state.places.take_for_resource(resource));
            }
        }
    }

    /// The resource of that place and generation, if there is one (still).
    pub(crate) fn resource(&self, place: u32, generation: u32) -> Option<ResourceType> {
        self.lock().places.resource(place, generation)
    }

    /// Whether what is at that place is to go.
    pub(crate) fn is_released(&self, place: u32) -> bool {
        self.lock().places.is_released(place)
    }

    /// Ends a resource: the threads that have a value of it drop it at their next depth 0. Answers false if
    /// there is none (any more).
    pub(crate) fn release(&self, place: u32, generation: u32) -> bool {
        let mut state = self.lock();
        if state.places.resource(place, generation).is_none() {
            return false;
        }
        state.places.release(place);
        for linked in state.threads.iter_mut().filter(|linked| linked.has_at(place)) {
            linked.released.add(place);
            super::grace::call(&linked.entry);
        }
        state.reclaim_one(place);
        true
    }

    /// Publishes a value, if its resource is there (still).
    ///
    /// # Safety
    /// As [`Values::publish`](crate::thread::values::Values::publish); by the owner, `thread`.
    pub(crate) unsafe fn publish_resource(
        &self,
        thread: &ThreadEntry,
        unbuilt: Unbuilt,
        (place, generation): (u32, u32),
    ) -> Result<std::ptr::NonNull<u8>, Unbuilt> {
        let state = self.lock();
        if state.places.resource(place, generation).is_none() {
            return Err(unbuilt);
        }
        // SAFETY: the caller's promise (I12).
        Ok(unsafe { thread.values.publish(unbuilt) })
    }

    /// The resources there are: their place and generation, what they are, and how many threads have a
    /// value.
    pub(crate) fn resources(&self) -> Vec<(u32, u32, ResourceType, usize)> {
        let mut resources = Vec::new();
        loop {
            let state = self.lock();
            let count = state.places.resources().count();
            if count > resources.capacity() {
                drop(state);
                resources.reserve(count);
                continue;
            }
            for (place, generation, resource) in state.places.resources() {
                let has =
                    |entry: &Arc<ThreadEntry>| !entry.values.table.get(place as usize).is_null();
                let values = state.threads.iter().filter(|linked| has(&linked.entry)).count();
                resources.push((place, generation, resource, values));
            }
            return resources;
        }
    }
}
