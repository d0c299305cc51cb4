//! What this thread is in the middle of building, so that an initialiser which asks for its own value
//! gets an error.

use super::current;
use super::entry::{ThreadEntry, What};
use crate::error::NotNow;

/// While an initialiser runs; also when it panics.
pub(crate) struct Building<'e>(&'e ThreadEntry);

/// Begins to build something.
pub(crate) fn begin<'e>(what: What) -> Result<Building<'e>, NotNow> {
    let Some(entry) = current::entry().filter(|entry| entry.gate.depth() > 0) else {
        unreachable!("a token exists only on an attached thread")
    };
    let mut building = entry.building.borrow_mut();
    if building.contains(&what) {
        return Err(NotNow::Initialising);
    }
    building.try_reserve(1).map_err(|_| NotNow::OutOfMemory)?;
    building.push(what);
    Ok(Building(entry))
}

impl Drop for Building<'_> {
    fn drop(&mut self) {
        self.0.building.borrow_mut().pop();
    }
}
