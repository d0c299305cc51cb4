//! What this thread is in the middle of building, so that an initialiser which asks for its own value
//! gets an error.

use super::current;
use super::entry::ThreadEntry;
use crate::error::AccessError;

/// While an initialiser runs; also when it panics.
pub(crate) struct Building<'e>(&'e ThreadEntry);

/// Begins to build `what`, a descriptor, which is called (module, name).
pub(crate) fn begin<'e>(
    what: *const (),
    (module, name): (&'static str, &'static str),
) -> Result<Building<'e>, AccessError> {
    let Some(entry) = current::entry().filter(|entry| entry.gate.depth() > 0) else {
        unreachable!("a token exists only on an attached thread")
    };
    if entry.building.borrow().contains(&what) {
        return Err(AccessError::Initialising { module, global: name });
    }
    entry.building.borrow_mut().push(what);
    Ok(Building(entry))
}

impl Drop for Building<'_> {
    fn drop(&mut self) {
        self.0.building.borrow_mut().pop();
    }
}
