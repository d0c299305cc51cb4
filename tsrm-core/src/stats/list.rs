//! A list of what stays for the life of the process.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A list that only grows, at its end; without a lock, so that a child of `fork` finds it in order.
pub(super) struct List<T>(AtomicPtr<T>);

/// What knows the next one of its kind.
pub(super) trait Link: Sized + 'static {
    /// Where its address is.
    fn next(&self) -> &AtomicPtr<Self>;

    /// Whether one of the two is enough.
    fn is_same(&self, other: &Self) -> bool;
}

impl<T: Link> List<T> {
    pub(super) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// What is the same as `new`, or `new` itself.
    pub(super) fn find_or_add(&'static self, new: T) -> &'static T {
        let mut new = Some(Box::new(new));
        let mut end = &self.0;
        loop {
            // Acquire: pairs with the Release below; who sees an element sees what is in it.
            // SAFETY: what is linked is never freed (I13).
            if let Some(there) = unsafe { end.load(Ordering::Acquire).as_ref() } {
                if new.as_ref().is_some_and(|new| there.is_same(new)) {
                    return there;
                }
                end = there.next();
                continue;
            }
            let Some(candidate) = new.take() else {
                unreachable!("put back when it was not linked")
            };
            let pointer = Box::into_raw(candidate);
            let linked = end.compare_exchange(
                ptr::null_mut(),
                pointer,
                Ordering::Release,
                Ordering::Relaxed,
            );
            if linked.is_ok() {
                // SAFETY: linked just now, and never freed (I13).
                return unsafe { &*pointer };
            }
            // SAFETY: made of a box above, and not linked (I13).
            new = Some(unsafe { Box::from_raw(pointer) });
        }
    }

    pub(super) fn iter(&'static self) -> impl Iterator<Item = &'static T> {
        // SAFETY: what is linked is never freed (I13); Acquire: as in `find_or_add`.
        let at = |link: &AtomicPtr<T>| unsafe { link.load(Ordering::Acquire).as_ref() };
        std::iter::successors(at(&self.0), move |element| at(element.next()))
    }
}
