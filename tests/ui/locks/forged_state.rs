//! ATTACK: the state of a lock, the token in its guard, and the lock in a token.
#![forbid(unsafe_code)]

use tsrm::Attached;
use tsrm::sync::{SrwMutex, SuxLock};

static FREE: SrwMutex<u32> = SrwMutex::new(0);
static PAGES: SuxLock<u32> = SuxLock::new(0);

fn attack(here: Attached<'_>) {
    FREE.state.unlock();
    PAGES.state.release_shared();
    PAGES.value.get();
    let _ = FREE.lock(here).here;
    let _ = PAGES.update(here).into_token().lock;
}

fn main() {
    let _ = attack;
}
