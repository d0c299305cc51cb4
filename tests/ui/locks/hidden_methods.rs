//! ATTACK: what guards call, called without one.
#![forbid(unsafe_code)]

use std::ops::Deref;

use tsrm::Attached;
use tsrm::sync::LockRef;

fn call<M, K, L>(lock: &K, here: Attached<'_>)
where
    L: LockRef<M> + Deref<Target = K>,
{
    lock.release();
    lock.pass();
    lock.receive(here);
    let _ = &mut *lock.value();
}

fn main() {}
