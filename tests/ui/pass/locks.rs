//! Locks as they are meant: in shared values and statics, of values that may be shared or not, owned by
//! guards, passed on.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;

use pool::{COUNT, FREE, LOCAL, PAGES, Page, TREE};
use tsrm::Attached;
use tsrm::sync::{
    Exclusive, ExclusiveGuard, Guard, LockRef, RecursiveSuxLock, SharedGuard, SrwMutex, SuxLock,
    SuxRef, Token, UpdateGuard,
};

/// A pool of pages.
#[tsrm::module]
pub mod pool {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};

    /// A page, which its guards may own.
    pub type Page = Arc<SuxLock<Vec<u8>>>;

    /// Shared: it is `Send` and `Sync`.
    #[shared]
    pub static PAGES: SuxLock<BTreeMap<u32, Page>> = SuxLock::new(BTreeMap::new());

    /// `Send` is enough for a mutex.
    #[shared]
    pub static COUNT: SrwMutex<Cell<u32>> = SrwMutex::new(Cell::new(0));

    /// Recursive.
    #[shared]
    pub static TREE: RecursiveSuxLock<AtomicU32> = RecursiveSuxLock::new(AtomicU32::new(0));

    /// A thread's own, so of anything.
    #[global]
    pub static LOCAL: SuxLock<Cell<u32>> = const { SuxLock::new(Cell::new(0)) };

    /// Of the program itself.
    pub static FREE: SrwMutex<Vec<u32>> = SrwMutex::new(Vec::new());
}

fn shared_values(here: Attached<'_>) {
    COUNT.get(here).lock(here).set(1);
    assert_eq!(COUNT.get(here).lock(here).get(), 1);
    let looked_at = PAGES.get(here).update(here);
    assert!(looked_at.is_empty() && PAGES.get(here).shared(here).is_empty());
    looked_at.upgrade().insert(7, Page::default());
    let outer = TREE.get(here).exclusive(here);
    let inner = TREE.get(here).update(here);
    drop(outer);
    let _: SharedGuard<'_, &RecursiveSuxLock<_>> = TREE.get(here).shared(here);
    drop(inner);
    FREE.lock(here).push(1);
}

/// Values that stay on their thread, in locks that do.
fn values_of_one_thread(here: Attached<'_>) {
    let [one, other] = [LOCAL.get(here).shared(here), LOCAL.get(here).shared(here)];
    one.set(1);
    assert_eq!(other.get(), 1);
    let names = SuxLock::new(Rc::new(RefCell::new(vec![1])));
    names.shared(here).borrow_mut().push(2);
    let token = names.exclusive(here).into_token();
    *ExclusiveGuard::from_token(here, token) = Rc::default();
    assert_eq!(names.into_inner().take(), []);
}

/// A shorter life is fine, of the guard as of what it borrows.
fn shorter<'s>(
    long: ExclusiveGuard<'s, &'static SrwMutex<Vec<u32>>>,
) -> ExclusiveGuard<'s, &'s SrwMutex<Vec<u32>>> {
    long
}

/// Sized or not, whatever the value borrows.
fn borrowed_values(here: Attached<'_>) {
    let text = String::from("text");
    let lock: &SuxLock<[&str]> = &SuxLock::new([&*text, "b"]);
    let mut guard = lock.exclusive(here);
    guard.swap(0, 1);
    assert_eq!(*guard.downgrade_to_update(), ["b", "text"]);
    let boxed: Arc<SrwMutex<dyn Fn() -> usize + Send>> = Arc::new(SrwMutex::new(|| 3));
    assert_eq!(ExclusiveGuard::acquire(boxed, here)(), 3);
}

/// A guard may be lent to threads, which read.
fn lent(here: Attached<'_>) {
    let page = Arc::new(SuxLock::new(vec![1]));
    let owned: UpdateGuard<'_, Arc<SuxLock<Vec<i32>>>> = Guard::acquire(page, here);
    let borrowed = FREE.lock(here);
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(*owned, [1]));
        scope.spawn(|| assert_eq!(*borrowed, [1]));
    });
}

/// A token may go anywhere: into a thread, a channel, a static-lived structure.
fn passed_on(tsrm: tsrm::Runtime) {
    let page = Page::default();
    let (sender, tokens) = mpsc::channel::<Token<Exclusive, Page>>();
    tsrm.attach(|here| {
        sender.send(ExclusiveGuard::acquire(Arc::clone(&page), here).into_token()).unwrap();
    });
    let complete = move || {
        let token = tokens.recv().unwrap();
        tsrm.attach(|here| ExclusiveGuard::from_token(here, token).push(1));
    };
    tsrm.detach().unwrap();
    thread::spawn(complete).join().unwrap();
    tsrm.attach(|here| assert_eq!(*page.shared(here), [1]));

    // Within the attach also one that borrows.
    tsrm.attach(|here| {
        let token = COUNT.get(here).lock(here).into_token();
        let token = thread::scope(|scope| scope.spawn(move || token).join().unwrap());
        drop(ExclusiveGuard::from_token(here, token));
        let token = TREE.get(here).exclusive(here).try_into_token().unwrap();
        drop(Guard::from_token(here, token));
    });
}

/// Over all that refers to a lock.
fn generic<L: LockRef<Exclusive>>(lock: L, here: Attached<'_>) -> ExclusiveGuard<'_, L> {
    Guard::acquire(lock, here)
}

fn generic_upgrade<L: SuxRef<Guarded = u32>>(lock: L, here: Attached<'_>) -> u32 {
    let guard = UpdateGuard::acquire(lock, here);
    let before = *guard;
    *guard.upgrade() += 1;
    before
}

/// Without a token, and from a thread that has none.
fn raw() {
    static LEVEL: tsrm::sync::raw::RwLock<u8> = tsrm::sync::raw::RwLock::new(1);
    let log = tsrm::sync::raw::Mutex::new(Cell::new(1));
    let guard = log.lock();
    let level = LEVEL.read();
    thread::scope(|scope| {
        scope.spawn(move || guard.set(2));
        scope.spawn(move || drop(level));
    });
    assert_eq!(log.into_inner().get() + *LEVEL.write(), 3);
}

#[tsrm::main(pool)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        shared_values(here);
        values_of_one_thread(here);
        borrowed_values(here);
        lent(here);
        assert_eq!(*shorter(FREE.lock(here)), [1]);
        assert_eq!(*generic(&FREE, here), [1]);
        let count = Arc::new(SuxLock::from(1));
        assert_eq!(generic_upgrade(&*count, here) + generic_upgrade(Arc::clone(&count), here), 3);
        let local: Guard<'_, Exclusive, &SuxLock<u32>> = count.exclusive(here);
        assert_eq!(format!("{local} {local:?}"), "3 3");
    });
    passed_on(tsrm);
    raw();
}
