//! ATTACK: a lock used up, moved or bypassed while it is held.
#![forbid(unsafe_code)]

use tsrm::sync::{ExclusiveGuard, SrwMutex, SuxLock};

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let mut free = SrwMutex::new(1);
        let guard = free.lock(here);
        *free.get_mut() = 2;
        drop(guard);

        let used_up = SuxLock::new(1);
        let guard = used_up.shared(here);
        let value = used_up.into_inner();
        assert_eq!(*guard, value);

        let dropped = SuxLock::new(1);
        let guard = dropped.update(here);
        drop(dropped);
        drop(guard);

        let mut replaced = SuxLock::new(1);
        let guard = replaced.shared(here);
        replaced = SuxLock::new(2);
        drop(guard);
        drop(replaced);

        let mut passed_on = SrwMutex::new(1);
        let token = passed_on.lock(here).into_token();
        *passed_on.get_mut() = 2;
        let guard = ExclusiveGuard::from_token(here, token);
        let moved = Box::new(passed_on);
        drop(guard);
        drop(moved);
    });
}
