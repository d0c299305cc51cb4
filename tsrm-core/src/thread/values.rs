//! The values that a thread has built on its heap, newest first.
//!
//! The owner pushes and pops; other threads walk the list while they hold a pin, which keeps the
//! owner from popping (I1). A push is one Release store, so building a value takes no lock (I3) and
//! moves nothing (I2). Checked exhaustively by the model package, which compiles this file.

use core::ptr::{self, NonNull};

use crate::primitive::{AtomicPtr, Ordering};

/// The type-erased front of every [`Node`]; `K` says whose value it is.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Header<K> {
    /// Written before the node is published, never after.
    next: *mut Header<K>,
    pub(crate) key: K,
}

/// One value with its place in the list.
///
/// `repr(C)`: a pointer to the node is a pointer to its header, and back.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Node<K, T> {
    header: Header<K>,
    value: T,
}

/// The list. Dropping it drops no value: that is the owner's to do, by [`pop`](Self::pop).
#[derive(Debug)]
pub(crate) struct Values<K> {
    head: AtomicPtr<Header<K>>,
}

impl<K> Values<K> {
    pub(crate) fn new() -> Self {
        Self { head: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Builds a value, publishes it and returns where it lives. If `build` panics, nothing has
    /// happened.
    ///
    /// # Safety
    /// Only the owner calls this (I1).
    pub(crate) unsafe fn push<T>(&self, key: K, build: impl FnOnce() -> T) -> NonNull<T> {
        // The memory first: a large value then passes over the stack once, not once per call that
        // hands it on.
        let mut memory = Box::<Node<K, T>>::new_uninit();
        let node = memory.as_mut_ptr();
        // SAFETY: a field of the node just allocated, which nobody else knows yet (I1).
        let value = unsafe { &raw mut (*node).value };
        // SAFETY: as above; nothing is there to be dropped.
        unsafe { value.write(build()) };
        // SAFETY: as for the value.
        let header = unsafe { &raw mut (*node).header };
        // Relaxed: only this thread writes `head`. Read only now: `build` may have pushed.
        let next = self.head.load(Ordering::Relaxed);
        // SAFETY: as for the value.
        unsafe { header.write(Header { next, key }) };
        // SAFETY: both fields are written.
        let node = NonNull::from(Box::leak(unsafe { memory.assume_init() }));
        // Release: pairs with the Acquire in `find`; publishes the node and its value.
        self.head.store(node.cast().as_ptr(), Ordering::Release);
        // SAFETY: the node lives until it is popped (I2).
        unsafe { value_of::<K, T>(node.cast()) }
    }

    /// The newest node whose key `matches`.
    ///
    /// # Safety
    /// The caller is the owner, or holds a pin that keeps the owner from popping (I1).
    pub(crate) unsafe fn find(&self, matches: impl Fn(&K) -> bool) -> Option<NonNull<Header<K>>> {
        // Acquire: pairs with the Release in `push`.
        let mut next = self.head.load(Ordering::Acquire);
        while let Some(header) = NonNull::new(next) {
            // SAFETY: a published node stays until it is popped, which the pin prevents (I1).
            let node = unsafe { header.as_ref() };
            if matches(&node.key) {
                return Some(header);
            }
            next = node.next;
        }
        None
    }

    /// Takes the newest node off the list; the caller frees it with [`free`].
    ///
    /// # Safety
    /// Only the owner calls this, after it has closed the entry to pins and waited for those there
    /// were (I1), at depth 0 (I4).
    pub(crate) unsafe fn pop(&self) -> Option<NonNull<Header<K>>> {
        // Relaxed twice: nobody else reads the list any more.
        let header = NonNull::new(self.head.load(Ordering::Relaxed))?;
        // SAFETY: nodes on the list are alive (I2).
        let next = unsafe { header.as_ref() }.next;
        self.head.store(next, Ordering::Relaxed);
        Some(header)
    }
}

/// Where the value of a node lives.
///
/// # Safety
/// `header` is the front of a live `Node<K, T>`.
pub(crate) unsafe fn value_of<K, T>(header: NonNull<Header<K>>) -> NonNull<T> {
    // SAFETY: by contract the pointer is to a whole `Node<K, T>`; no reference is made.
    let value = unsafe { &raw mut (*header.cast::<Node<K, T>>().as_ptr()).value };
    // SAFETY: a field of a non-null place.
    unsafe { NonNull::new_unchecked(value) }
}

/// Drops a popped node with its value. The memory is freed also if the value's drop panics.
///
/// # Safety
/// `header` was popped from a list that got it as a `Node<K, T>`, and is not used again.
pub(crate) unsafe fn free<K, T>(header: NonNull<Header<K>>) {
    // SAFETY: `push` leaked this box, and `pop` gave it back (I1).
    drop(unsafe { Box::from_raw(header.cast::<Node<K, T>>().as_ptr()) });
}
