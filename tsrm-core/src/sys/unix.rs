//! POSIX: a pthread key whose destructor is the exit guard's second layer, and fork handlers.

use std::cell::RefCell;
use std::ffi::c_void;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::MutexGuard;

use once_cell::sync::OnceCell;

use crate::registry::{REGISTRY, State};
use crate::thread::{current, exit};

/// POSIX has key destructors.
pub(crate) const HAS_EXIT_BACKSTOP: bool = true;

/// `PTHREAD_DESTRUCTOR_ITERATIONS`: how often key destructors are run while they arm keys again.
pub(crate) const EXIT_ROUNDS: u8 = 4;

static KEY: OnceCell<libc::pthread_key_t> = OnceCell::new();
static FORK_HANDLERS: OnceCell<()> = OnceCell::new();

/// Once per process, before the first runtime. What fails is tried again by the next start.
pub(crate) fn install() -> io::Result<()> {
    key()?;
    FORK_HANDLERS.get_or_try_init(|| {
        // SAFETY: the handlers are functions of this library, which stays loaded as long as the
        // process (I7: they are the host's).
        let result = unsafe {
            libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork_in_child))
        };
        check(result)
    })?;
    Ok(())
}

/// Makes the key's destructor run when the calling thread ends.
pub(crate) fn arm_exit_backstop() -> io::Result<()> {
    let key = key()?;
    // SAFETY: the key exists, and its destructor ignores the value; any but null will do.
    check(unsafe { libc::pthread_setspecific(key, std::ptr::dangling::<c_void>()) })
}

fn key() -> io::Result<libc::pthread_key_t> {
    KEY.get_or_try_init(|| {
        let mut key = 0;
        // SAFETY: `key` is valid for the write, and the destructor cannot unwind.
        check(unsafe { libc::pthread_key_create(&raw mut key, Some(key_destructor)) })?;
        Ok(key)
    })
    .copied()
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(result)) }
}

extern "C" fn key_destructor(_value: *mut c_void) {
    exit::backstop();
}

thread_local! {
    /// The registry's lock, from before a fork until after it, on the thread that forks.
    ///
    /// Without a destructor, so that also a destructor may fork.
    static HELD: ManuallyDrop<RefCell<Option<MutexGuard<'static, State>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

extern "C" fn before_fork() {
    let guard = REGISTRY.lock_for_fork();
    HELD.with(|held| *held.borrow_mut() = Some(guard));
}

extern "C" fn after_fork() {
    HELD.with(|held| held.borrow_mut().take());
}

extern "C" fn after_fork_in_child() {
    let survivor = current::entry().map(|entry| entry.id);
    HELD.with(|held| {
        if let Some(mut state) = held.borrow_mut().take() {
            state.mark_forked(survivor);
        }
    });
}
