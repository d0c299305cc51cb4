//! The number of a resource.

#![deny(unsafe_code)]

use std::fmt;
use std::num::NonZeroU32;

/// The number of a resource: a place in every thread's table, and which use of that place.
///
/// Places are used again, ids are not: one of a resource that was released is refused for good.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResourceId {
    pub(crate) place: u32,
    /// Values of globals have generation 0.
    pub(crate) generation: NonZeroU32,
}

impl ResourceId {
    /// As a plain number, for a C interface. Never 0.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.place)
    }

    /// From [`to_bits`](Self::to_bits). A number that did not come from there is `None`, or an id that is
    /// refused (or another resource's).
    pub fn from_bits(bits: u64) -> Option<Self> {
        let generation = NonZeroU32::new((bits >> 32) as u32)?;
        Some(Self { place: bits as u32, generation })
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resource {}.{}", self.place, self.generation)
    }
}

impl fmt::Debug for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceId({}.{})", self.place, self.generation)
    }
}
