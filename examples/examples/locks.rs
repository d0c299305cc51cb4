//! A page cache: a map of pages that all threads look into, a latch for each page, a list of free frames.
//!
//! What is not cached is read from a disk. Who asked for it does not wait for the disk but passes the latch on, with
//! the page: the read's completion fills it and lets the readers in. In a thread-safe build that is another
//! thread; in a single-threaded one, where there is no other, it is the same.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use tsrm::sync::{Exclusive, ExclusiveGuard, SuxLock, Token};
use tsrm::{Attached, Runtime};

/// What the threads share.
#[tsrm::module]
pub mod cache {
    use std::collections::BTreeMap;

    use tsrm::sync::{SrwMutex, SuxLock};

    use super::Frame;

    /// Where the cached pages are: often looked into, seldom changed.
    #[shared]
    pub static PAGES: SuxLock<BTreeMap<u32, Frame>> = SuxLock::new(BTreeMap::new());

    /// Frames without a page. One at a time is enough here, and `Send` is enough for its value.
    #[shared]
    pub static FREE: SrwMutex<Vec<Frame>> =
        SrwMutex::new((0..super::FRAMES).map(|_| Frame::default()).collect());
}
use cache::{FREE, PAGES};

/// Memory for a page. Behind an `Arc`, so that it can be used while the map goes on changing.
pub type Frame = Arc<SuxLock<Page>>;

/// What is in a frame.
#[derive(Default)]
pub struct Page {
    bytes: Vec<u8>,
    reads: u32,
    uses: u32,
}

const FRAMES: u32 = 100;
const NUMBERS: u32 = 64;
const ROUNDS: u32 = 50;
const WORKERS: u32 = if tsrm::SINGLE_THREADED { 1 } else { 4 };

/// A read that was begun. As long as it is not completed the frame stays latched.
struct Read {
    number: u32,
    into: Token<Exclusive, Frame>,
}

impl Read {
    fn complete(self, here: Attached<'_>) {
        let mut page = ExclusiveGuard::from_token(here, self.into);
        page.bytes = self.number.to_le_bytes().to_vec();
        page.reads += 1;
    }
}

/// The frame of a page, which may still be on its way.
fn fetch(here: Attached<'_>, number: u32, disk: &Sender<Read>) -> Frame {
    let pages = PAGES.get(here);
    if let Some(frame) = pages.shared(here).get(&number) {
        return Arc::clone(frame);
    }
    // For update: others look on, but nobody else adds the page between the second look and the insertion.
    let looked_at = pages.update(here);
    if let Some(frame) = looked_at.get(&number) {
        return Arc::clone(frame);
    }
    let frame = FREE.get(here).lock(here).pop().expect("there are more frames than pages");
    // Before anybody can find it: who does, waits.
    let into = ExclusiveGuard::acquire(Arc::clone(&frame), here).into_token();
    looked_at.upgrade().insert(number, Arc::clone(&frame));
    let read = Read { number, into };
    if tsrm::SINGLE_THREADED {
        read.complete(here);
    } else {
        disk.send(read).expect("the disk runs as long as the workers");
    }
    frame
}

/// Uses every page in each round.
fn work(tsrm: Runtime, disk: Sender<Read>) {
    for _ in 0..ROUNDS {
        tsrm.attach(|here| {
            for number in 0..NUMBERS {
                let frame = fetch(here, number, &disk);
                assert_eq!(frame.shared(here).bytes, number.to_le_bytes());
                frame.exclusive(here).uses += 1;
            }
        });
    }
}

/// Completes what is asked for, until nobody asks any more.
fn complete_all(tsrm: Runtime, asked: Receiver<Read>) {
    for read in asked {
        tsrm.attach(|here| read.complete(here));
    }
}

#[tsrm::main(cache)]
fn main(tsrm: Runtime) {
    let (disk, asked) = channel();
    if tsrm::SINGLE_THREADED {
        work(tsrm, disk);
    } else {
        std::thread::scope(|scope| {
            scope.spawn(|| complete_all(tsrm, asked));
            for _ in 0..WORKERS {
                let disk = disk.clone();
                scope.spawn(|| work(tsrm, disk));
            }
            drop(disk);
        });
    }

    tsrm.attach(|here| {
        println!("{} build, {WORKERS} worker(s)", tsrm::MODE);
        let pages = PAGES.get(here).shared(here);
        let sum = |count: fn(&Page) -> u32| -> u32 {
            pages.values().map(|frame| count(&frame.shared(here))).sum()
        };
        let (reads, uses) = (sum(|page| page.reads), sum(|page| page.uses));
        let free = FREE.get(here).lock(here).len();
        println!("{} pages, {reads} reads, {uses} uses, {free} free frames", pages.len());
        // Nobody has read a page that was being read.
        assert_eq!((pages.len(), reads), (NUMBERS as usize, NUMBERS));
        assert_eq!(uses, WORKERS * ROUNDS * NUMBERS);
        assert_eq!(free, (FRAMES - NUMBERS) as usize);
    });
}
