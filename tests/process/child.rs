//! Shared by some stories: what a child of `fork` does.

/// Runs `child` in a fork and returns its exit code.
pub fn fork(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child uses this crate, which says that it can, and `_exit`s.
    match unsafe { libc::fork() } {
        -1 => panic!("{}", std::io::Error::last_os_error()),
        0 => {
            let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(101);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(code) }
        }
        pid => {
            let mut status = 0;
            // SAFETY: `status` is valid for the write.
            let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
            assert_eq!(waited, pid);
            assert!(libc::WIFEXITED(status), "the child died: {status:#x}");
            libc::WEXITSTATUS(status)
        }
    }
}
