//! What a child of `fork` has of locks: what its own thread held, it holds, and gives back; what another one held
//! stays held; and those that slept are not there.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tsrm::sync::raw::lock_api::RwLockUpgradableReadGuard;
use tsrm::sync::raw::{Mutex, RwLock};
use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};
use tsrm::{Attached, Runtime};

#[path = "asleep.rs"]
mod asleep;
#[path = "child.rs"]
mod child;

use asleep::Asleep;
use child::fork;

#[tsrm::module]
mod module {}

static FREE: SrwMutex<u32> = SrwMutex::new(0);
static PAGE: SuxLock<u32> = SuxLock::new(0);
static TREE: RecursiveSuxLock<AtomicU32> = RecursiveSuxLock::new(AtomicU32::new(0));
static LOG: Mutex<u32> = Mutex::new(0);
static LEVEL: RwLock<u32> = RwLock::new(0);

/// For what is never to be had.
const SHORT: Duration = Duration::from_millis(2);

fn main() {
    let story = std::env::args().nth(1).unwrap();
    if story == "raw" {
        return raw();
    }
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    match story.as_str() {
        "own" => tsrm.attach(|here| own(tsrm, here)),
        "other" => other(tsrm),
        "asleep" => tsrm.attach(|here| asleep(tsrm, here)),
        "writer" => tsrm.attach(|here| writer(tsrm, here)),
        "busy" => busy(tsrm),
        other => panic!("{other}"),
    }
}

/// The forking thread has them all, each in another mode.
fn own(tsrm: Runtime, here: Attached<'_>) {
    let mut held = Some((
        (FREE.lock(here), PAGE.update(here), [TREE.update(here), TREE.update(here)]),
        (LOG.lock(), LEVEL.upgradable_read()),
    ));
    let code = fork(|| {
        let ((mut free, page, trees), (mut log, level)) = held.take().unwrap();
        *free += 1;
        *log += 1;
        *page.upgrade() += 1;
        *RwLockUpgradableReadGuard::upgrade(level) += 1;
        // It is the same thread, so it may once more.
        TREE.exclusive(here).fetch_add(1, Ordering::Relaxed);
        drop((free, trees, log));
        println!("child: {:?}", values(here));
        goes_on(tsrm, here);
        println!("child: goes on");
        0
    });
    assert_eq!(code, 0);
    assert!(FREE.try_lock(here).is_none() && LOG.try_lock().is_none());
    drop(held);
    println!("parent: {:?}", values(here));
}

/// What they guard, each locked for itself: they are free.
fn values(here: Attached<'_>) -> [u32; 5] {
    let [free, page] = [*FREE.try_lock(here).unwrap(), *PAGE.try_exclusive(here).unwrap()];
    let tree = TREE.try_exclusive(here).unwrap().load(Ordering::Relaxed);
    let [log, level] = [*LOG.try_lock().unwrap(), *LEVEL.try_write().unwrap()];
    [free, page, tree, log, level]
}

/// What is added when new threads wait for each lock while this one has it.
fn others_wait(tsrm: Runtime, here: Attached<'_>) -> [u32; 5] {
    others_wait_for_raw();
    // Only there others can be attached too.
    if tsrm::SINGLE_THREADED {
        return [0, 0, 0, 1, 1];
    }
    let mut held = (FREE.lock(here), PAGE.exclusive(here), TREE.shared(here));
    let waits: [fn(Attached<'_>); 4] = [
        |here| *FREE.lock(here) += 1,
        |here| *PAGE.update(here).upgrade() += 1,
        |here| assert!(*PAGE.shared(here) > 0),
        |here| assert!(TREE.exclusive(here).fetch_add(1, Ordering::Relaxed) < 1000),
    ];
    let others = waits.map(|wait| Asleep::spawn(move || tsrm.attach(wait)));
    *held.1 += 1;
    drop(held);
    for other in others {
        other.thread.join().unwrap();
    }
    [1, 2, 1, 1, 1]
}

fn others_wait_for_raw() {
    let held = (LOG.lock(), LEVEL.read());
    let others = [Asleep::spawn(|| *LOG.lock() += 1), Asleep::spawn(|| *LEVEL.write() += 1)];
    drop(held);
    for other in others {
        other.thread.join().unwrap();
    }
}

/// In a child that has given back what it had: all are free, and threads of its own wait and wake each other.
fn goes_on(tsrm: Runtime, here: Attached<'_>) {
    for _ in 0..3 {
        let before = values(here);
        let added = others_wait(tsrm, here);
        assert_eq!(values(here), std::array::from_fn(|lock| before[lock] + added[lock]));
    }
}

/// Another thread has them.
fn other(tsrm: Runtime) {
    let (held, is_held) = channel();
    let (leave, may_leave) = channel::<()>();
    let builder = tsrm::thread::Builder::new().name("holder");
    let holder = builder.spawn(move |here| {
        let guards = (FREE.lock(here), PAGE.shared(here), TREE.update(here), LOG.lock());
        let level = LEVEL.upgradable_read();
        held.send(()).unwrap();
        may_leave.recv().unwrap();
        drop((guards, level));
    });
    is_held.recv().unwrap();
    let code = fork(|| {
        if let Err(error) = tsrm.try_attach(finds_locked) {
            println!("child: {error}");
        }
        assert!(LOG.is_locked() && LOG.try_lock().is_none());
        assert!(LOG.try_lock_for(SHORT).is_none());
        assert!(LEVEL.try_upgradable_read_for(SHORT).is_none());
        assert!(LEVEL.try_write().is_none() && LEVEL.try_write_for(SHORT).is_none());
        println!("child: raw locks are held, level {} can be read", *LEVEL.read());
        0
    });
    assert_eq!(code, 0);
    leave.send(()).unwrap();
    holder.unwrap().join().unwrap();
    println!("parent: {:?}", tsrm.attach(values));
}

fn finds_locked(here: Attached<'_>) {
    assert!(FREE.try_lock(here).is_none());
    assert!(FREE.lock_timeout(here, SHORT).is_none());
    assert!(TREE.try_update(here).is_none() && TREE.try_exclusive(here).is_none());
    assert!(TREE.exclusive_timeout(here, SHORT).is_none());
    // Who reads there never leaves.
    assert!(PAGE.try_exclusive(here).is_none());
    assert!(PAGE.exclusive_timeout(here, SHORT).is_none());
    let page = PAGE.update(here).try_upgrade().unwrap_err();
    let page = page.upgrade_timeout(SHORT).unwrap_err();
    assert!(PAGE.try_shared(here).is_some());
    println!("child: locks are held, page {page} can be read");
}

/// Others sleep, each for another reason, on what the forking thread has.
fn asleep(tsrm: Runtime, here: Attached<'_>) {
    let mut held = Some((FREE.lock(here), PAGE.exclusive(here), LOG.lock(), LEVEL.write()));
    let mut sleepers = vec![
        Asleep::spawn(|| *LOG.lock() += 1),
        Asleep::spawn(|| *LOG.lock() += 1),
        Asleep::spawn(|| drop(LEVEL.read())),
        Asleep::spawn(|| drop(LEVEL.upgradable_read())),
        Asleep::spawn(|| *LEVEL.write() += 1),
    ];
    if !tsrm::SINGLE_THREADED {
        let waits: [fn(Attached<'_>); 4] = [
            |here| *FREE.lock(here) += 1,
            |here| drop(PAGE.shared(here)),
            |here| drop(PAGE.update(here)),
            |here| *PAGE.exclusive(here) += 1,
        ];
        sleepers.extend(waits.map(|wait| Asleep::spawn(move || tsrm.attach(wait))));
    }
    let code = fork(|| {
        drop(held.take());
        println!("child: {:?}", values(here));
        goes_on(tsrm, here);
        println!("child: goes on");
        0
    });
    assert_eq!(code, 0);
    drop(held);
    for sleeper in sleepers {
        sleeper.thread.join().unwrap();
    }
    println!("parent: {:?}", values(here));
}

/// Others wait for the forking thread to end its reading, and keep it from beginning again.
fn writer(tsrm: Runtime, here: Attached<'_>) {
    let mut held = Some((PAGE.shared(here), LEVEL.read()));
    let mut writers = vec![Asleep::spawn(|| *LEVEL.write() += 1)];
    if !tsrm::SINGLE_THREADED {
        let write = |here: Attached<'_>| *PAGE.exclusive(here) += 1;
        writers.push(Asleep::spawn(move || tsrm.attach(write)));
    }
    let code = fork(|| {
        drop(held.take());
        let level = [LEVEL.try_read().is_none(), LEVEL.try_read_for(SHORT).is_none()];
        let page = [PAGE.try_shared(here), PAGE.shared_timeout(here, SHORT)];
        println!("child: level is kept {level:?}, page {:?}", page.map(|page| page.is_none()));
        0
    });
    assert_eq!(code, 0);
    drop(held);
    for writer in writers {
        writer.thread.join().unwrap();
    }
    println!("parent: {:?}", values(here));
}

/// Forks again and again while others come, wait, are woken and give up all the time.
fn busy(tsrm: Runtime) {
    const CHILDREN: usize = 40;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    use_raw();
                    if !tsrm::SINGLE_THREADED {
                        tsrm.attach(use_with_token);
                    }
                }
            });
        }
        let fine = (0..CHILDREN).filter(|_| {
            let code = tsrm.attach(|here| {
                let mut held =
                    Some((FREE.lock(here), PAGE.exclusive(here), LOG.lock(), LEVEL.write()));
                fork(|| {
                    drop(held.take());
                    goes_on(tsrm, here);
                    0
                })
            });
            code == 0
        });
        println!("children: {} fine", fine.count());
        stop.store(true, Ordering::Relaxed);
    });
}

fn use_raw() {
    *LOG.lock() += 1;
    drop(LOG.try_lock_for(SHORT));
    drop(LEVEL.read());
    *RwLockUpgradableReadGuard::upgrade(LEVEL.upgradable_read()) += 1;
    drop(LEVEL.try_write_for(SHORT));
}

fn use_with_token(here: Attached<'_>) {
    *FREE.lock(here) += 1;
    drop(FREE.lock_timeout(here, SHORT));
    drop(PAGE.shared(here));
    *PAGE.update(here).upgrade() += 1;
    drop(PAGE.exclusive_timeout(here, SHORT));
}

/// Nobody has started a runtime, and others sleep on what the forking thread has.
fn raw() {
    let mut held = Some((LOG.lock(), LEVEL.write()));
    let waits: [fn(); 6] = [
        || *LOG.lock() += 1,
        || *LOG.lock() += 1,
        || *LOG.lock() += 1,
        || *LEVEL.write() += 1,
        || *LEVEL.write() += 1,
        || drop(LEVEL.read()),
    ];
    let sleepers = waits.map(Asleep::spawn);
    let values = || [*LOG.try_lock().unwrap(), *LEVEL.try_write().unwrap()];
    let code = fork(|| {
        drop(held.take());
        (0..3).for_each(|_| others_wait_for_raw());
        println!("child: {:?}", values());
        0
    });
    assert_eq!(code, 0);
    drop(held);
    for sleeper in sleepers {
        sleeper.thread.join().unwrap();
    }
    println!("parent: {:?}", values());
}
