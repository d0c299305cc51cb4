//! What locks promise, in each mode, with and without futex, watched or not.

use std::sync::Arc;

use tsrm::sync::{ExclusiveGuard, RecursiveSuxLock, SrwMutex, SuxLock};

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

#[tsrm::module]
mod shared_values {
    use tsrm::sync::SuxLock;
    #[shared]
    pub static TABLE: SuxLock<Vec<u32>> = SuxLock::new(Vec::new());
}

#[tsrm::test(shared_values)]
fn smoke(tsrm: tsrm::Runtime) {
    let lock = Arc::new(SuxLock::new(1));
    let mutex = SrwMutex::new(1);
    let recursive = RecursiveSuxLock::new(1);
    tsrm.attach(|here| {
        let mut guard = lock.update(here).upgrade();
        *guard += 1;
        let guard = guard.downgrade_to_update().downgrade().try_into_update().unwrap();
        assert_eq!(*guard, 2);
        drop(guard);
        *mutex.lock(here) += 1;
        let u = recursive.update(here);
        let x = recursive.exclusive(here);
        assert_eq!(*u, *x);
        drop(u);
        let token = x.try_into_token().unwrap();
        drop(tsrm::sync::Guard::from_token(here, token));
        drop(recursive.exclusive(here));
        drop(ExclusiveGuard::acquire(Arc::clone(&lock), here));
        shared_values::TABLE.get(here).exclusive(here).push(1);
    });
    if tsrm::SINGLE_THREADED {
        return;
    }
    tsrm::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|here| {
                for _ in 0..10000 {
                    *lock.exclusive(here) += 1;
                    let _ = *lock.shared(here);
                    *mutex.lock(here) += 1;
                    drop(lock.update(here).upgrade());
                }
            });
        }
    });
    tsrm.attach(|here| {
        assert_eq!(*lock.shared(here), 80002);
        assert_eq!(*mutex.lock(here), 80002);
    });
    println!("{:?}", tsrm::sync::locks::LOCKS.snapshot());
}
