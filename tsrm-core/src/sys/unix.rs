//! POSIX: a pthread key whose destructor is the exit guard's second layer, and fork handlers.

use std::ffi::c_void;
use std::io;

use once_cell::sync::OnceCell;

use super::Handlers;

/// POSIX has key destructors.
pub(crate) const HAS_EXIT_BACKSTOP: bool = true;

/// `PTHREAD_DESTRUCTOR_ITERATIONS`: how often key destructors are run while they arm keys again.
pub(crate) const EXIT_ROUNDS: u8 = 4;

/// What was installed; a failed installation is tried again by the next one.
static INSTALLED: OnceCell<Installed> = OnceCell::new();
static KEY: OnceCell<libc::pthread_key_t> = OnceCell::new();

struct Installed {
    handlers: Handlers,
    key: libc::pthread_key_t,
}

/// Once per process, before the first runtime.
pub(crate) fn install(handlers: Handlers) -> io::Result<()> {
    // Kept apart, so that a failing `pthread_atfork` does not use up keys.
    let key = *KEY.get_or_try_init(create_key)?;
    INSTALLED.get_or_try_init(|| {
        // SAFETY: the handlers are functions of this library, which stays loaded as long as the
        // process (I7).
        let result = unsafe {
            libc::pthread_atfork(Some(before_fork), Some(after_in_parent), Some(after_in_child))
        };
        check(result)?;
        Ok::<_, io::Error>(Installed { handlers, key })
    })?;
    Ok(())
}

/// Makes the key's destructor run when the calling thread ends. Before the installation there is
/// no runtime to attach to, and nothing to do.
pub(crate) fn arm_exit_backstop() -> io::Result<()> {
    let Some(installed) = INSTALLED.get() else { return Ok(()) };
    let any_value = std::ptr::dangling::<c_void>();
    // SAFETY: the key exists, and its destructor ignores the value; any but null will do.
    check(unsafe { libc::pthread_setspecific(installed.key, any_value) })
}

fn create_key() -> io::Result<libc::pthread_key_t> {
    let mut key = 0;
    // SAFETY: `key` is valid for the write, and the destructor cannot unwind.
    check(unsafe { libc::pthread_key_create(&raw mut key, Some(thread_exit)) })?;
    Ok(key)
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(result)) }
}

fn run(handler: impl FnOnce(&Handlers) -> fn()) {
    if let Some(installed) = INSTALLED.get() {
        handler(&installed.handlers)();
    }
}

extern "C" fn thread_exit(_value: *mut c_void) {
    run(|handlers| handlers.thread_exit);
}

extern "C" fn before_fork() {
    run(|handlers| handlers.before_fork);
}

extern "C" fn after_in_parent() {
    run(|handlers| handlers.after_fork_in_parent);
}

extern "C" fn after_in_child() {
    run(|handlers| handlers.after_fork_in_child);
}
