//! The values that a thread has on its heap: each in a block of its own, found by its place in the
//! thread's [`Table`], and all of them in a list, newest first.
//!
//! The owner builds and drops them; others may look at one while they hold a pin (I1). Building takes no
//! lock (I3) and moves nothing (I2).

use std::alloc::{self, Layout};
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::table::{OutOfMemory, Table};
use crate::global::descriptor::{DropValue, Kind, Origin};

/// In front of every value.
#[repr(C)]
pub(crate) struct Header {
    /// The neighbours in the list. Owner only.
    older: Cell<Option<NonNull<Header>>>,
    newer: Cell<Option<NonNull<Header>>>,
    pub(crate) place: u32,
    /// Of the place: which resource it belonged to when the value was built.
    pub(crate) generation: u32,
    pub(crate) kind: Kind,
}

impl Header {
    /// The block that holds a header and a value, and where in it the value is. The header stands right
    /// in front of the value.
    fn block(value: Layout) -> Option<(Layout, usize)> {
        let (block, offset) = Layout::new::<Self>().extend(value).ok()?;
        Some((block.pad_to_align(), offset))
    }

    /// The header of a value.
    ///
    /// # Safety
    /// `value` stands in a table, and stays alive.
    #[inline]
    pub(crate) unsafe fn of<'v>(value: NonNull<u8>) -> &'v Self {
        // SAFETY: the header stands right in front, in the same block (I12).
        let header = unsafe { value.cast::<Self>().sub(1) };
        // SAFETY: it was written before the value was published, and nobody makes a `&mut` of it (I12).
        unsafe { header.as_ref() }
    }

    /// The value of a header.
    pub(crate) fn value(header: NonNull<Self>) -> NonNull<u8> {
        // SAFETY: one past the header is still in its block, where the value is (by `block`) (I12).
        unsafe { header.add(1) }.cast()
    }
}

/// See the [module](self). Dropping it drops no value: that is the owner's to do.
pub(crate) struct Values {
    pub(crate) table: Table,
    /// Owner only.
    newest: Cell<Option<NonNull<Header>>>,
    /// The bytes of all values. Written by the owner; read by anybody.
    bytes: AtomicUsize,
}

impl Values {
    pub(crate) fn new() -> Self {
        Self { table: Table::new(), newest: Cell::new(None), bytes: AtomicUsize::new(0) }
    }

    /// The bytes of all values; a moment ago, if another thread asks.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Makes memory for a value and its place in the table.
    ///
    /// # Errors
    /// There is none; then nothing has happened.
    pub(crate) fn prepare(
        &self,
        place: u32,
        generation: u32,
        kind: Kind,
    ) -> Result<Unbuilt, OutOfMemory> {
        self.table.reserve(place as usize)?;
        let (block, offset) = Header::block(kind.layout).ok_or(OutOfMemory)?;
        // SAFETY: the layout is not empty, there is a header in it (I12).
        let block = NonNull::new(unsafe { alloc::alloc(block) }).ok_or(OutOfMemory)?;
        // SAFETY: inside the block just allocated (I12).
        let value = unsafe { block.add(offset) };
        // SAFETY: the header has room in front of the value, by `Header::block` (I12).
        let header = unsafe { value.cast::<Header>().sub(1) };
        let (older, newer) = (Cell::new(None), Cell::new(None));
        // SAFETY: allocated just now, and aligned: the offset is a multiple of the header's alignment
        // (I12).
        unsafe { header.write(Header { older, newer, place, generation, kind }) };
        Ok(Unbuilt(header))
    }

    /// Owner: takes a value into the list and publishes its address.
    ///
    /// # Safety
    /// The value was written, its place was prepared and is free.
    pub(crate) unsafe fn publish(&self, unbuilt: Unbuilt) -> NonNull<u8> {
        let pointer = unbuilt.0;
        std::mem::forget(unbuilt);
        // SAFETY: written by `prepare`; only the owner makes references to headers, all of them shared
        // (I12).
        let header = unsafe { pointer.as_ref() };
        self.link(pointer);
        // Relaxed: only this thread writes it.
        self.bytes.fetch_add(header.kind.layout.size(), Ordering::Relaxed);
        let value = Header::value(pointer);
        self.table.set(header.place as usize, value.as_ptr());
        value
    }

    fn link(&self, pointer: NonNull<Header>) {
        // SAFETY: as in `publish` (I12).
        let header = unsafe { pointer.as_ref() };
        header.older.set(self.newest.get());
        if let Some(older) = self.newest.replace(Some(pointer)) {
            // SAFETY: on the list, so alive (I12).
            unsafe { older.as_ref() }.newer.set(Some(pointer));
        }
    }

    /// Owner: takes a value off list and table. Readers that were there before may still look at it.
    fn unlink(&self, header: &Header) {
        let (older, newer) = (header.older.get(), header.newer.take());
        match newer {
            // SAFETY: on the list, so alive (I12).
            Some(newer) => unsafe { newer.as_ref() }.older.set(older),
            None => self.newest.set(older),
        }
        if let Some(older) = older {
            // SAFETY: on the list, so alive (I12).
            unsafe { older.as_ref() }.newer.set(newer);
        }
        self.table.set(header.place as usize, std::ptr::null_mut());
        self.bytes.fetch_sub(header.kind.layout.size(), Ordering::Relaxed);
    }

    /// Owner: takes those values out that are `condemned`, newest first. They are dropped by
    /// [`Condemned::pop`].
    pub(crate) fn take(&self, mut condemned: impl FnMut(&Header) -> bool) -> Condemned {
        let (mut next, mut first, mut last) = (self.newest.get(), None, None::<NonNull<Header>>);
        while let Some(pointer) = next {
            // SAFETY: on the list, so alive (I12).
            let header = unsafe { pointer.as_ref() };
            next = header.older.get();
            if !condemned(header) {
                continue;
            }
            self.unlink(header);
            header.older.set(None);
            match last.replace(pointer) {
                // SAFETY: taken out above, and not dropped (I12).
                Some(last) => unsafe { last.as_ref() }.older.set(Some(pointer)),
                None => first = Some(pointer),
            }
        }
        Condemned(first)
    }

    /// Owner: takes the value at that place out, if there is one. It is no module's marker.
    pub(crate) fn take_at(&self, place: u32) -> Condemned {
        let Some(value) = NonNull::new(self.table.get(place as usize)) else {
            return Condemned::NOTHING;
        };
        // SAFETY: in the table, so alive, and a value with its header (I12).
        let header = unsafe { value.cast::<Header>().sub(1) };
        // SAFETY: as above (I12).
        let own = unsafe { header.as_ref() };
        self.unlink(own);
        own.older.set(None);
        Condemned(Some(header))
    }
}

/// What stands at a module's own place in the table: not a value, but with a header as if it were one,
/// since a reader may find it by a number that has changed hands.
pub(crate) fn marker() -> *mut u8 {
    #[repr(transparent)]
    struct Marker([Header; 2]);
    // SAFETY: nobody writes to it: it is on no list (I12).
    unsafe impl Sync for Marker {}
    const fn header() -> Header {
        let kind = Kind { layout: Layout::new::<()>(), drop: None, origin: Origin::Resource("") };
        let (older, newer) = (Cell::new(None), Cell::new(None));
        Header { older, newer, place: 0, generation: 0, kind }
    }
    static MARKER: Marker = Marker([header(), header()]);
    (&raw const MARKER.0[1]).cast_mut().cast()
}

/// A block with a header, to become a value. Dropped before that, it is freed.
pub(crate) struct Unbuilt(NonNull<Header>);

impl Unbuilt {
    /// Where the value goes.
    pub(crate) fn value(&self) -> NonNull<u8> {
        Header::value(self.0)
    }
}

impl Unbuilt {
    /// Drops the value, which was written after all and is not wanted any more.
    ///
    /// # Safety
    /// The value was written; nobody else knows it.
    pub(crate) unsafe fn drop_value(self) {
        let dying = Dying(self.0);
        std::mem::forget(self);
        // SAFETY: the caller's promise (I1).
        unsafe { dying.drop_value() };
    }
}

impl Drop for Unbuilt {
    fn drop(&mut self) {
        // SAFETY: allocated by `prepare`, and not published (I12).
        unsafe { free(self.0) };
    }
}

/// Values that nobody can find any more, in the order of their drops. Dropped with this undone, they
/// leak.
pub(crate) struct Condemned(Option<NonNull<Header>>);

impl Condemned {
    pub(crate) const NOTHING: Self = Self(None);

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The next one.
    pub(crate) fn pop(&mut self) -> Option<Dying> {
        let pointer = self.0?;
        // SAFETY: taken out of the list, not dropped (I12).
        self.0 = unsafe { pointer.as_ref() }.older.get();
        Some(Dying(pointer))
    }
}

/// A value to be dropped.
pub(crate) struct Dying(NonNull<Header>);

impl Dying {
    pub(crate) fn kind(&self) -> Kind {
        // SAFETY: not dropped yet (I12).
        unsafe { self.0.as_ref() }.kind
    }

    /// Drops the value. Its memory is freed also if its destructor panics.
    ///
    /// # Safety
    /// By its owner (I1), at depth 0 (I4), when no reader has it any more.
    pub(crate) unsafe fn drop_value(self) {
        struct Free(NonNull<Header>);
        impl Drop for Free {
            fn drop(&mut self) {
                // SAFETY: its value was dropped, once (I4).
                unsafe { free(self.0) };
            }
        }
        let value = Header::value(self.0);
        let drop = self.kind().drop;
        let _free = Free(self.0);
        match drop {
            None => {}
            // SAFETY: the caller's promise; the function is that of the value's own type (I12).
            Some(DropValue::Rust(drop)) => unsafe { drop(value) },
            // SAFETY: as above; who registered it has promised that it takes such a value (I12).
            Some(DropValue::C(drop)) => unsafe { drop(value.as_ptr().cast()) },
        }
    }
}

/// # Safety
/// Allocated by `prepare`; its value is not there (any more).
unsafe fn free(pointer: NonNull<Header>) {
    // SAFETY: the header is there until the block is freed (I12).
    let value = unsafe { pointer.as_ref() }.kind.layout;
    let Some((block, offset)) = Header::block(value) else { return };
    // SAFETY: the same arithmetic as in `prepare` (I12).
    let start = unsafe { Header::value(pointer).sub(offset) };
    // SAFETY: allocated with this layout (I12).
    unsafe { alloc::dealloc(start.as_ptr(), block) };
}
