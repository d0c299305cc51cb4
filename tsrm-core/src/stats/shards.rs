//! The shards of an object's set: a list that only grows, of which each thread takes one.
//!
//! A shard that is given back is taken by the next thread, which goes on where the last one stopped. No lock,
//! so that a child of `fork` finds it in order. Checked exhaustively by the model package, which compiles this
//! file.

use core::ptr;

use crate::primitive::{AtomicBool, AtomicPtr, Ordering};

/// See the [module](self).
pub(crate) struct Shards<T> {
    newest: AtomicPtr<Shard<T>>,
}

/// One of them.
pub(crate) struct Shard<T> {
    /// Written by the thread that has taken it; read by anybody.
    pub(crate) value: T,
    is_taken: AtomicBool,
    older: *const Shard<T>,
}

// SAFETY: the list owns its shards, and does not change behind the newest one (I13).
unsafe impl<T: Send + Sync> Send for Shards<T> {}
// SAFETY: as above; values are lent as `&T` to any thread (I13).
unsafe impl<T: Send + Sync> Sync for Shards<T> {}

impl<T> Shards<T> {
    pub(crate) fn new() -> Self {
        Self { newest: AtomicPtr::new(ptr::null_mut()) }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Shard<T>> + Clone {
        // SAFETY: shards stay until the list goes (I13).
        let find = |shard: *const Shard<T>| unsafe { shard.as_ref() };
        // Acquire: pairs with the Release in `take`; who sees a shard sees what is in it.
        let newest = self.newest.load(Ordering::Acquire);
        core::iter::successors(find(newest), move |shard| find(shard.older))
    }

    /// One that nobody has, or a new one; `None` if there is no memory for that.
    pub(crate) fn take(&self, make: impl FnOnce() -> T) -> Option<&Shard<T>> {
        // Acquire: pairs with the Release in `give_back`; its value is as the last one left it.
        let is_free = |shard: &&Shard<T>| !shard.is_taken.swap(true, Ordering::Acquire);
        if let Some(free) = self.iter().find(is_free) {
            return Some(free);
        }
        let mut room = Vec::new();
        room.try_reserve_exact(1).ok()?;
        room.push(Shard { value: make(), is_taken: AtomicBool::new(true), older: ptr::null() });
        let new: *mut Shard<T> = Box::into_raw(room.into_boxed_slice()).cast();
        let mut older = self.newest.load(Ordering::Relaxed);
        loop {
            // SAFETY: made above and not linked: nobody else knows it (I13).
            unsafe { (*new).older = older };
            // Acquire too: who finds this one goes on to the older ones, which this thread has not looked at.
            let linked =
                self.newest.compare_exchange(older, new, Ordering::AcqRel, Ordering::Relaxed);
            match linked {
                // SAFETY: linked just now, so it stays until the list goes (I13).
                Ok(_) => return Some(unsafe { &*new }),
                Err(newest) => older = newest,
            }
        }
    }
}

impl<T> Shard<T> {
    /// By who has taken it, and does not use it again.
    pub(crate) fn give_back(&self) {
        // Release: pairs with the Acquire in `take`.
        self.is_taken.store(false, Ordering::Release);
    }
}

impl<T> Drop for Shards<T> {
    fn drop(&mut self) {
        // Relaxed: nobody else has the list any more.
        let mut next = self.newest.load(Ordering::Relaxed);
        while !next.is_null() {
            // SAFETY: made of a box of one by `take`; who has taken a shard keeps the list alive (I13).
            let shard = unsafe { Box::from_raw(next) };
            next = shard.older.cast_mut();
        }
    }
}
