//! A thread's table: for every place, the address of this thread's value, or null.
//!
//! The classic storage of a resource manager, found by number. The owner writes; others read while
//! they hold a pin, which keeps the owner from dropping what a place led to (I1). It grows by moving
//! into a larger array; the outgrown ones stay until the thread leaves, since a reader may be in the
//! middle of one. Checked exhaustively by the model package, which compiles this file.

use core::cell::RefCell;
use core::ptr;

use crate::primitive::{AtomicPtr, AtomicUsize, Ordering};

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Table {
    places: AtomicPtr<AtomicPtr<u8>>,
    /// How many. Written after `places`, so never more than what `places` has.
    count: AtomicUsize,
    /// What `places` points to, and what it pointed to before. Owner only.
    arrays: RefCell<Vec<Box<[AtomicPtr<u8>]>>>,
}

/// There is no memory for a larger table.
#[derive(Debug)]
pub(crate) struct OutOfMemory;

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            places: AtomicPtr::new(ptr::null_mut()),
            count: AtomicUsize::new(0),
            arrays: RefCell::new(Vec::new()),
        }
    }

    /// What is at that place. For the owner, and for others while they hold a pin (for as long as they
    /// use what it leads to).
    #[inline]
    pub(crate) fn get(&self, place: usize) -> *mut u8 {
        // Acquire: pairs with the Release in `reserve`; the array is at least as new as its length.
        if place >= self.count.load(Ordering::Acquire) {
            return ptr::null_mut();
        }
        // Acquire: pairs with the Release in `reserve`, by which the array is filled.
        let places = self.places.load(Ordering::Acquire);
        // SAFETY: the array has that many places, and they do not move (I2).
        let place = unsafe { places.add(place) };
        // SAFETY: arrays stay until the owner leaves, which a pin holds back (I1).
        let place = unsafe { &*place };
        // Acquire: pairs with the Release in `set`; who sees the address sees the value.
        place.load(Ordering::Acquire)
    }

    /// Owner: makes sure that the place is there.
    pub(crate) fn reserve(&self, place: usize) -> Result<(), OutOfMemory> {
        // Relaxed: only this thread writes it, as below.
        if place < self.count.load(Ordering::Relaxed) {
            return Ok(());
        }
        let count = (place + 1).next_power_of_two().max(8);
        let mut arrays = self.arrays.borrow_mut();
        arrays.try_reserve(1).map_err(|_| OutOfMemory)?;
        let mut larger = Vec::new();
        larger.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
        larger.extend((0..count).map(|place| AtomicPtr::new(self.get(place))));
        let larger = larger.into_boxed_slice();
        let places = larger.as_ptr().cast_mut();
        arrays.push(larger);
        // Release twice: pairs with the Acquire in `get`.
        self.places.store(places, Ordering::Release);
        self.count.store(count, Ordering::Release);
        Ok(())
    }

    /// Owner: writes a place, which [`reserve`](Self::reserve) has made.
    pub(crate) fn set(&self, place: usize, value: *mut u8) {
        let arrays = self.arrays.borrow();
        let Some(place) = arrays.last().and_then(|newest| newest.get(place)) else {
            debug_assert!(value.is_null(), "not reserved");
            return;
        };
        // Release: pairs with the Acquire in `get`.
        place.store(value, Ordering::Release);
    }

    /// Owner, closed to pins: gives the memory back. All places must be null.
    pub(crate) fn clear(&self) {
        self.count.store(0, Ordering::Release);
        self.places.store(ptr::null_mut(), Ordering::Release);
        drop(self.arrays.take());
    }
}
