//! ATTACK: a guard, which is dropped on whichever thread comes last.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::{Mutex, MutexGuard};

    static LOCK: Mutex<()> = Mutex::new(());

    #[shared]
    pub static GUARD: MutexGuard<'static, ()> = LOCK.lock().unwrap();
}

fn main() {}
