//! Who holds and awaits which lock, with the feature `deadlock-detection`.
//!
//! A thread writes down what it holds once it has it, and takes that off before it gives it back; it writes down
//! what it waits for before it waits. So when the last thread of a circle begins to wait all of it is there, and
//! what is there has not been given back.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Held, Mode};
use crate::thread::current;
use crate::thread::entry::ThreadEntry;

static RECORDS: Mutex<Records> = Mutex::new(Records { held: None, wanted: None, searches: 0 });

/// How many threads are in the longest circle that is found.
const LONGEST: usize = 64;

/// Lists, whose links are made and freed outside the lock: an allocator may have locks of its own.
struct Records {
    held: Option<Box<Record>>,
    wanted: Option<Box<Record>>,
    searches: u64,
}

struct Record {
    what: Held,
    by: Arc<ThreadEntry>,
    /// It waits for others than itself to leave.
    is_upgrade: bool,
    /// The last search that was here.
    seen: Cell<u64>,
    next: Option<Box<Record>>,
}

/// A wait that was written down, unless it was not.
pub(super) struct Recorded {
    lock: Option<usize>,
}

impl Recorded {
    pub(super) const NOT: Self = Self { lock: None };
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if let Some(lock) = self.lock {
            let me = current::entry().map(|entry| entry.id);
            let done = records()
                .take_wanted(|wanted| wanted.what.lock == lock && Some(wanted.by.id) == me);
            drop(done);
        }
    }
}

/// Why a wait would never end: who waits for whom, round to the first.
pub(in crate::sync) struct Deadlock {
    links: Vec<Link>,
}

struct Link {
    waiter: (Arc<ThreadEntry>, Held),
    holder: (Arc<ThreadEntry>, Held),
    holder_waits_too: bool,
}

impl Deadlock {
    #[track_caller]
    pub(in crate::sync) fn panic(&self) -> ! {
        panic!("{self}")
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadlock:")?;
        for Link { waiter: (waiter, wanted), holder: (holder, held), holder_waits_too } in
            &self.links
        {
            let (waiter, holder) = (waiter.label(), holder.label());
            write!(
                f,
                "\n  {waiter} wants a lock {} at {}, which {holder} ",
                wanted.mode, wanted.place
            )?;
            match holder_waits_too {
                false => write!(f, "has {} since {}", held.mode, held.place)?,
                true => write!(f, "waits to have {} at {}", held.mode, held.place)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

pub(super) fn held(what: Held) {
    let Some(mut record) = record(what, false) else { return };
    let me = record.by.id;
    // What others are said to have in spite of that, was of another lock: it was leaked, and that lock moved away.
    while let Some(stale) = take_held(|held| {
        held.what.lock == what.lock && held.by.id != me && what.mode.conflicts_with(held.what.mode)
    }) {
        drop(stale);
    }
    let mut records = records();
    record.next = records.held.take();
    records.held = Some(record);
}

pub(super) fn let_go(what: Held) {
    let Some(me) = current::entry().map(|entry| entry.id) else { return };
    let done = records().take_held(|held| {
        held.what.lock == what.lock && held.what.mode == what.mode && held.by.id == me
    });
    drop(done);
}

/// Writes down that the calling thread waits.
pub(super) fn wanted(what: Held, is_upgrade: bool) -> Result<Recorded, Deadlock> {
    let Some(mut record) = record(what, is_upgrade) else { return Ok(Recorded::NOT) };
    let mut links = Vec::with_capacity(LONGEST);
    let mut records = records();
    // Among the others before the search: it may be in a reader's way by itself.
    record.next = records.wanted.take();
    records.wanted = Some(record);
    records.searches += 1;
    let leads_back = match &records.wanted {
        Some(first) => records.leads_back(first, first, &mut links),
        None => false,
    };
    drop(records);
    // Takes it off again, unless it is returned.
    let recorded = Recorded { lock: Some(what.lock) };
    if leads_back {
        links.reverse();
        return Err(Deadlock { links });
    }
    Ok(recorded)
}

/// The lock is no more.
pub(super) fn forget(lock: usize) {
    loop {
        let leaked = records().take_held(|held| held.what.lock == lock);
        if leaked.is_none() {
            return;
        }
    }
}

/// The lock is free again when its answer is dropped.
fn take_held(is_meant: impl Fn(&Record) -> bool) -> Option<Box<Record>> {
    records().take_held(is_meant)
}

fn record(what: Held, is_upgrade: bool) -> Option<Box<Record>> {
    let by = current::shared()?;
    Some(Box::new(Record { what, by, is_upgrade, seen: Cell::new(0), next: None }))
}

/// Nothing panics while it is held.
fn records() -> MutexGuard<'static, Records> {
    RECORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Records {
    /// Whether `waiter` waits for `first`, directly or not. Then the links say how, the last one first.
    fn leads_back(&self, first: &Record, waiter: &Record, links: &mut Vec<Link>) -> bool {
        let blocking_holders = records_of(&self.held).filter(|held| waiter.waits_for_holder(held));
        // A writer that waits for readers to leave keeps new ones out.
        let blocking_waiters = records_of(&self.wanted).filter(|other| {
            waiter.what.mode == Mode::Shared
                && other.what.mode == Mode::Exclusive
                && other.what.lock == waiter.what.lock
                && other.by.id != waiter.by.id
                && self.may_keep_readers_out(other)
        });
        let blocking = blocking_holders
            .map(|blocker| (blocker, false))
            .chain(blocking_waiters.map(|blocker| (blocker, true)));
        for (blocker, holder_waits_too) in blocking {
            let is_found = blocker.by.id == first.by.id || {
                records_of(&self.wanted).filter(|wanted| wanted.by.id == blocker.by.id).any(
                    |wanted| {
                        wanted.seen.replace(self.searches) != self.searches
                            && self.leads_back(first, wanted, links)
                    },
                )
            };
            if is_found {
                if links.len() < links.capacity() {
                    links.push(Link {
                        waiter: (Arc::clone(&waiter.by), waiter.what),
                        holder: (Arc::clone(&blocker.by), blocker.what),
                        holder_waits_too,
                    });
                }
                return true;
            }
        }
        false
    }

    /// Not while somebody else holds the lock for update or exclusively: then it waits for that.
    fn may_keep_readers_out(&self, writer: &Record) -> bool {
        writer.is_upgrade
            || !records_of(&self.held).any(|held| {
                held.what.lock == writer.what.lock
                    && held.what.mode != Mode::Shared
                    && held.by.id != writer.by.id
            })
    }

    fn take_held(&mut self, is_meant: impl Fn(&Record) -> bool) -> Option<Box<Record>> {
        take(&mut self.held, is_meant)
    }

    fn take_wanted(&mut self, is_meant: impl Fn(&Record) -> bool) -> Option<Box<Record>> {
        take(&mut self.wanted, is_meant)
    }
}

impl Record {
    fn waits_for_holder(&self, held: &Self) -> bool {
        let is_own_update =
            self.is_upgrade && held.by.id == self.by.id && held.what.mode == Mode::Update;
        held.what.lock == self.what.lock
            && self.what.mode.conflicts_with(held.what.mode)
            && !is_own_update
    }
}

fn records_of(first: &Option<Box<Record>>) -> impl Iterator<Item = &Record> {
    std::iter::successors(first.as_deref(), |record| record.next.as_deref())
}

/// Unlinks the first such record.
fn take(
    first: &mut Option<Box<Record>>,
    is_meant: impl Fn(&Record) -> bool,
) -> Option<Box<Record>> {
    let mut link = first;
    while link.as_ref().is_some_and(|record| !is_meant(record)) {
        link = &mut link.as_mut()?.next;
    }
    let mut record = link.take()?;
    *link = record.next.take();
    Some(record)
}

thread_local! {
    /// The lock, from before a fork until after it. Without a destructor, so that also a destructor may fork.
    static FORKING: ManuallyDrop<RefCell<Option<MutexGuard<'static, Records>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

pub(crate) fn before_fork() {
    FORKING.with(|held| *held.borrow_mut() = Some(records()));
}

/// In the child too, where those that it does not have hold for ever what they held.
pub(crate) fn after_fork() {
    FORKING.with(|held| drop(held.borrow_mut().take()));
}
