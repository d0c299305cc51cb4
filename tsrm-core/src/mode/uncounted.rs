//! Without the feature `lock-statistics`: locks count nothing, and nothing is left of it.

#![deny(unsafe_code)]

use std::time::Duration;

use crate::sync::watch::event::Event;
use crate::token::Attached;

/// For `tsrm::sync`: there is nothing.
pub(crate) mod api {}

/// Nothing is counted.
pub(crate) const IS_COUNTED: bool = false;

#[inline(always)]
pub(crate) fn count(_here: Attached<'_>, _event: Event) {}

#[inline(always)]
pub(crate) fn count_wherever(_event: Event) {}

pub(crate) fn count_wait(_waited: Duration) {}
