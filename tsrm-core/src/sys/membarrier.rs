//! The far half of an asymmetric fence: `membarrier`, which makes every thread of the process run a full
//! fence, so that their near halves need no instruction. A system may refuse it (an old kernel, a filter
//! of system calls), then or later.

/// `MEMBARRIER_CMD_PRIVATE_EXPEDITED`
const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
/// `MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED`
const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

/// Says that this process is going to call [`barrier`]. Answers whether it can.
pub(crate) fn register_barrier() -> bool {
    membarrier(REGISTER_PRIVATE_EXPEDITED)
}

/// Every thread of this process has run a full fence between the beginning and the end of this call; or it
/// answers false.
pub(crate) fn barrier() -> bool {
    // A fork's child may have to say it again.
    membarrier(PRIVATE_EXPEDITED) || (register_barrier() && membarrier(PRIVATE_EXPEDITED))
}

fn membarrier(command: libc::c_int) -> bool {
    let flags: libc::c_int = 0;
    // SAFETY: touches no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, flags) == 0 }
}
