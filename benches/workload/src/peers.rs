//! The same struct in what one would use without `tsrm`. Declared in this crate, used in another,
//! as ours are.

use thread_local::ThreadLocal;

use crate::globals::ExecutorGlobals;

thread_local! {
    /// std's faster form.
    pub static STD_CONST: ExecutorGlobals = const { ExecutorGlobals::new() };
    /// std's lazy form, which checks at every access whether the value was built.
    #[allow(clippy::missing_const_for_thread_local, reason = "that is `STD_CONST`")]
    pub static STD_LAZY: ExecutorGlobals = ExecutorGlobals::new();
}

/// The `thread_local` crate: a value per object and thread, found by a number of the thread.
pub static THREAD_LOCAL_CRATE: ThreadLocal<ExecutorGlobals> = ThreadLocal::new();

#[cfg(unix)]
pub use posix::PthreadGlobals;

#[cfg(unix)]
#[allow(unsafe_code, reason = "C's interface")]
mod posix {
    use std::io;

    use super::ExecutorGlobals;

    /// A POSIX key. Built at first use on each thread, and never freed.
    ///
    /// Kept by its user in a register: a C program would load the key from a variable first.
    #[derive(Clone, Copy, Debug)]
    pub struct PthreadGlobals {
        key: libc::pthread_key_t,
    }

    impl PthreadGlobals {
        /// Makes a key.
        ///
        /// # Errors
        /// The system has no more keys.
        pub fn new() -> io::Result<Self> {
            let mut key = 0;
            // SAFETY: `key` is valid for the write.
            match unsafe { libc::pthread_key_create(&raw mut key, None) } {
                0 => Ok(Self { key }),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }

        /// This thread's value.
        #[inline(always)]
        pub fn get(self) -> &'static ExecutorGlobals {
            // SAFETY: the key was made by `new` and is never deleted.
            let value = unsafe { libc::pthread_getspecific(self.key) };
            let value = if value.is_null() { self.build() } else { value.cast() };
            // SAFETY: only `build` sets the key, to a leaked value of this thread; the reference
            // cannot leave it, as `ExecutorGlobals` is not `Sync`.
            unsafe { &*value }
        }

        #[cold]
        #[inline(never)]
        fn build(self) -> *const ExecutorGlobals {
            let value: &'static ExecutorGlobals = Box::leak(Box::new(ExecutorGlobals::new()));
            let value: *const ExecutorGlobals = value;
            // SAFETY: as in `get`; the value is leaked, and has no destructor to be run.
            let result = unsafe { libc::pthread_setspecific(self.key, value.cast()) };
            assert_eq!(result, 0, "pthread_setspecific: out of memory");
            value
        }
    }
}
