//! What is asked of the operating system, and of the processor. The only home of `cfg(target_os)`,
//! `cfg(unix)`, `cfg(target_arch)` and the like.
//!
//! Each file supplies [`install`], [`arm_exit_backstop`], [`HAS_EXIT_BACKSTOP`] and
//! [`EXIT_ROUNDS`]; [`register_barrier`] and [`barrier`] are of a file of their own, where there are any.
//! Sleeping on a word ([`futex`]) is the kernel's, or where it has no such call (or with
//! `--cfg tsrm_no_futex`, for tests), made of mutexes and condition variables.

#[cfg(unix)]
#[path = "unix.rs"]
mod imp;

#[cfg(not(unix))]
#[path = "other.rs"]
mod imp;

#[cfg(target_os = "linux")]
mod membarrier;
#[cfg(target_os = "linux")]
pub(crate) use membarrier::{barrier, register_barrier};

/// The far half of an asymmetric fence is not there.
#[cfg(not(target_os = "linux"))]
pub(crate) fn register_barrier() -> bool {
    false
}

/// The far half of an asymmetric fence is not there.
#[cfg(not(target_os = "linux"))]
pub(crate) fn barrier() -> bool {
    false
}

#[cfg(all(any(target_os = "linux", target_os = "android"), not(tsrm_no_futex)))]
pub(crate) mod futex;
#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(tsrm_no_futex))))]
#[path = "parking.rs"]
pub(crate) mod futex;

/// One of the queues of a word on which threads sleep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queue {
    /// The only one.
    One,
    /// Readers that wait until they may enter.
    Readers,
    /// The holder that waits until readers have left.
    Holder,
}

pub(crate) use imp::{EXIT_ROUNDS, HAS_EXIT_BACKSTOP, arm_exit_backstop, install};

/// Runs a block when the executable or library with this crate is loaded, where the system has that.
macro_rules! at_load {
    ($block:block) => {
        #[cfg(unix)]
        const _: () = {
            extern "C" fn at_load() {
                $block
            }
            // SAFETY: the section is for pointers to such functions, and this one needs nothing that
            // is not there before `main`.
            #[used]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
            #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
            static AT_LOAD: extern "C" fn() = at_load;
        };
    };
}
pub(crate) use at_load;

/// An address that is kept in a register. In the thread-local storage of x86-64 the compiler would compute it
/// again at each use, as an operand relative to the segment register, which the processor forwards stores
/// through more slowly.
#[inline(always)]
pub(crate) fn in_register<T>(address: &T) -> &T {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read or written")]
    {
        let mut pointer: *const T = address;
        // SAFETY: no instruction; the value stays what it is (I13).
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) pointer, options(pure, nomem, nostack, preserves_flags));
        }
        // SAFETY: it is `address` (I13).
        unsafe { &*pointer }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    address
}

/// What the system calls back. None of these unwinds.
#[cfg_attr(not(unix), allow(dead_code, reason = "nothing is called back there"))]
#[derive(Clone, Copy)]
pub(crate) struct Handlers {
    /// On a thread that ends and was armed, once per round of its exit hooks.
    pub(crate) thread_exit: fn(),
    pub(crate) before_fork: fn(),
    pub(crate) after_fork_in_parent: fn(),
    pub(crate) after_fork_in_child: fn(),
}
