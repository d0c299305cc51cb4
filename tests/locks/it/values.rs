//! What a lock is made of and made from, and what its guards show of it.

use std::fmt::Display;
use std::sync::Arc;

use tsrm::Runtime;
use tsrm::sync::raw::{Mutex, RawSrwMutex, RawSuxLock, RwLock};
use tsrm::sync::{
    Exclusive, ExclusiveGuard, Guard, Recursive, RecursiveSuxLock, Shared, SharedGuard, SrwMutex,
    SuxLock, Token, Update, UpdateGuard,
};

use crate::table::{EXCLUSIVE, FREE, SHARED, entries};
use crate::together;

#[tsrm::module]
mod shared_values {
    use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};

    #[shared]
    pub(super) static TABLE: SuxLock<Vec<u32>> = SuxLock::new(Vec::new());
    #[shared]
    pub(super) static POOL: SrwMutex<Vec<u32>> = SrwMutex::new(Vec::new());
    #[shared(lazy)]
    pub(super) static TREE: RecursiveSuxLock<&'static str> = RecursiveSuxLock::new("tree");
}

#[tsrm::test(shared_values)]
fn in_shared_values(tsrm: Runtime) {
    tsrm.attach(|here| {
        shared_values::TABLE.get(here).exclusive(here).push(1);
        shared_values::POOL.get(here).lock(here).push(2);
        assert_eq!(*shared_values::TABLE.get(here).shared(here), [1]);
        assert_eq!(*shared_values::POOL.get(here).lock(here), [2]);
        assert_eq!(*shared_values::TREE.get(here).update(here), "tree");
    });
}

static SUX: SuxLock<u32> = SuxLock::new(1);
static SRW: SrwMutex<u32> = SrwMutex::new(2);
static RECURSIVE: RecursiveSuxLock<u32> = RecursiveSuxLock::new(3);
static RAW_SUX: RwLock<u32> = RwLock::new(4);
static RAW_SRW: Mutex<u32> = Mutex::new(5);

#[tsrm::test(together)]
fn in_statics(tsrm: Runtime) {
    tsrm.attach(|here| {
        *SUX.exclusive(here) += 10;
        *SRW.lock(here) += 10;
        *RAW_SUX.write() += 10;
        *RAW_SRW.lock() += 10;
        assert_eq!((*SUX.shared(here), *SRW.lock(here), *RECURSIVE.shared(here)), (11, 12, 3));
        assert_eq!((*RAW_SUX.read(), *RAW_SRW.lock()), (14, 15));
    });
}

#[tsrm::test(together)]
fn made_and_taken_apart(tsrm: Runtime) {
    assert_eq!(SuxLock::<u32>::default().into_inner(), 0);
    assert_eq!(SrwMutex::<u32>::default().into_inner(), 0);
    assert_eq!(RecursiveSuxLock::<u32>::default().into_inner(), 0);
    let mut sux = SuxLock::from("a".to_owned());
    let mut srw = SrwMutex::from("b".to_owned());
    let mut recursive = RecursiveSuxLock::from("c".to_owned());
    sux.get_mut().push('1');
    srw.get_mut().push('2');
    recursive.get_mut().push('3');
    tsrm.attach(|here| {
        sux.exclusive(here).push('4');
        srw.lock(here).push('5');
        drop(recursive.exclusive(here));
        // That somebody has it for ever does not keep the owner out.
        std::mem::forget(sux.exclusive(here));
        std::mem::forget(srw.lock(here));
        std::mem::forget(recursive.update(here));
    });
    assert_eq!(sux.get_mut(), "a14");
    assert_eq!([sux.into_inner(), srw.into_inner(), recursive.into_inner()], ["a14", "b25", "c3"]);
}

/// What a lock guards is dropped with it, once.
#[tsrm::test(together)]
fn values_are_dropped(_tsrm: Runtime) {
    let value = Arc::new(());
    let locks = (
        SuxLock::new(Arc::clone(&value)),
        SrwMutex::new(Arc::clone(&value)),
        RecursiveSuxLock::new(Arc::clone(&value)),
    );
    assert_eq!(Arc::strong_count(&value), 4);
    let taken = locks.0.into_inner();
    drop((locks.1, locks.2));
    assert_eq!(Arc::strong_count(&value), 2);
    drop(taken);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[tsrm::test(together)]
fn unsized_values(tsrm: Runtime) {
    let mut slice: Box<SuxLock<[u8]>> = Box::new(SuxLock::new([1, 2, 3]));
    let shown: Arc<RecursiveSuxLock<dyn Display + Send + Sync>> =
        Arc::new(RecursiveSuxLock::new(7));
    let called: &SrwMutex<dyn FnMut() -> u32 + Send> = &SrwMutex::new({
        let mut calls = 0;
        move || {
            calls += 1;
            calls
        }
    });
    tsrm.attach(|here| {
        slice.exclusive(here)[1] = 20;
        assert_eq!(*slice.shared(here), [1, 20, 3]);
        assert_eq!(slice.update(here).upgrade().len(), 3);
        assert_eq!(entries(&*slice, here), FREE);
        let guard = Guard::<Recursive<Update>, _>::acquire(Arc::clone(&shown), here);
        assert_eq!(guard.to_string(), "7");
        assert_eq!([(); 2].map(|()| called.lock(here)()), [1, 2]);
    });
    slice.get_mut()[0] = 10;
    assert_eq!(*slice.get_mut(), [10, 20, 3]);
}

#[tsrm::test(together)]
fn guards_that_own_the_lock(tsrm: Runtime) {
    let lock = Arc::new(SuxLock::new("value".to_owned()));
    let weak = Arc::downgrade(&lock);
    tsrm.attach(|here| {
        let guard = SharedGuard::acquire(Arc::clone(&lock), here);
        drop(lock);
        assert_eq!(*guard, "value");
        let guard = guard.try_into_update().unwrap();
        let mut guard = guard.upgrade();
        guard.push('s');
        let guard: UpdateGuard<'_, Arc<_>> = guard.downgrade_to_update();
        let guard: SharedGuard<'_, Arc<_>> = guard.downgrade();
        assert_eq!(entries(&*weak.upgrade().unwrap(), here), SHARED);
        let token = guard.into_token();
        assert_eq!(weak.strong_count(), 1);
        let guard = SharedGuard::from_token(here, token);
        assert_eq!(*guard, "values");
        drop(guard);
        assert_eq!(weak.strong_count(), 0);

        let mutex = Arc::new(SrwMutex::new(1));
        let guard = ExclusiveGuard::acquire(Arc::clone(&mutex), here);
        assert!(ExclusiveGuard::try_acquire(Arc::clone(&mutex), here).is_none());
        assert_eq!(Arc::strong_count(&mutex), 2, "who did not get it has not kept it");
        drop(guard);
        let mutex = Arc::into_inner(mutex).unwrap();
        assert_eq!(mutex.into_inner(), 1);
    });
}

#[tsrm::test(together)]
fn what_is_printed(tsrm: Runtime) {
    let (sux, srw) = (SuxLock::new("secret"), SrwMutex::new("secret"));
    let recursive = RecursiveSuxLock::new("secret");
    let raw = RwLock::new(());
    let raw_mutex = Mutex::new(());
    // SAFETY: it is looked at only.
    let raw_state = || format!("{:?}", unsafe { raw.raw() });
    // SAFETY: it is looked at only.
    let raw_mutex_state = || format!("{:?}", unsafe { raw_mutex.raw() });
    tsrm.attach(|here| {
        let locks = || {
            assert_eq!(format!("{sux:?}"), "SuxLock { .. }");
            assert_eq!(format!("{srw:?}"), "SrwMutex { .. }");
            assert_eq!(format!("{recursive:?}"), "RecursiveSuxLock { .. }");
        };
        locks();
        let guards = (sux.exclusive(here), srw.lock(here), recursive.update(here));
        locks();
        assert_eq!(format!("{guards:?}"), r#"("secret", "secret", "secret")"#);
        assert_eq!(guards.0.to_string(), "secret");
        let update = guards.0.downgrade_to_update();
        assert_eq!(format!("{update:?} {update}"), r#""secret" secret"#);
        let shared = update.downgrade();
        assert_eq!(format!("{shared:?} {shared}"), r#""secret" secret"#);
        let token = shared.into_token();
        assert_eq!(format!("{token:?}"), "Token { .. }");
        drop(Guard::from_token(here, token));
        assert_eq!(raw_state(), "RawSuxLock { is_locked: false }");
        assert_eq!(raw_mutex_state(), "RawSrwMutex { is_locked: false }");
        let held = (raw.read(), raw_mutex.lock());
        assert_eq!(raw_state(), "RawSuxLock { is_locked: true }");
        assert_eq!(raw_mutex_state(), "RawSrwMutex { is_locked: true }");
        drop(held);
    });
}

#[tsrm::test(together)]
fn a_lock_that_moves_stays_held(tsrm: Runtime) {
    let lock = SuxLock::new(1);
    tsrm.attach(|here| {
        std::mem::forget(lock.exclusive(here));
        let moved = Box::new(lock);
        assert_eq!(entries(&moved, here), EXCLUSIVE);
    });
}

#[test]
fn sizes() {
    assert_eq!(size_of::<SrwMutex<()>>(), 4);
    // In a single-threaded build there is no queue.
    assert_eq!(size_of::<SuxLock<()>>(), if tsrm::SINGLE_THREADED { 4 } else { 8 });
    assert_eq!(size_of::<RecursiveSuxLock<()>>(), 24);
    assert_eq!(size_of::<SrwMutex<u32>>(), 8);
    assert_eq!((size_of::<RawSrwMutex>(), size_of::<Mutex<u32>>()), (4, 8));
    assert_eq!((size_of::<RawSuxLock>(), size_of::<RwLock<u32>>()), (8, 12));
    // The token in a guard is nothing.
    assert_eq!(size_of::<SharedGuard<'_, &SuxLock<u32>>>(), size_of::<usize>());
    assert_eq!(size_of::<Option<ExclusiveGuard<'_, &SrwMutex<u32>>>>(), size_of::<usize>());
    assert_eq!(size_of::<Token<Update, Arc<SuxLock<u32>>>>(), size_of::<usize>());
}

/// What can be where. (What cannot is among the programs that must not compile.)
#[test]
fn send_and_sync() {
    use std::cell::Cell;
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}

    // What only may go to another thread is shared by a mutex.
    send::<SrwMutex<Cell<u32>>>();
    sync::<SrwMutex<Cell<u32>>>();
    send::<SuxLock<Cell<u32>>>();
    sync::<SuxLock<u32>>();
    send::<RecursiveSuxLock<Cell<u32>>>();
    sync::<RecursiveSuxLock<u32>>();
    sync::<Guard<'_, Shared, &SuxLock<u32>>>();
    sync::<Guard<'_, Exclusive, Arc<SrwMutex<u32>>>>();
    sync::<Guard<'_, Recursive<Exclusive>, &RecursiveSuxLock<u32>>>();
    send::<Token<Shared, &SuxLock<u32>>>();
    send::<Token<Exclusive, Arc<SrwMutex<Cell<u32>>>>>();
    send::<Token<Recursive<Update>, &RecursiveSuxLock<u32>>>();
    send::<RawSuxLock>();
    sync::<RawSuxLock>();
    send::<RawSrwMutex>();
    sync::<RawSrwMutex>();
}
