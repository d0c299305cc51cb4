//! The token: a zero-sized proof that this thread is attached.

use std::fmt;
use std::marker::PhantomData;

/// Proof that the current thread is attached, for as long as `'t`.
///
/// Zero-sized, `Copy`, neither `Send` nor `Sync`; to be had only inside
/// [`Runtime::attach`](crate::Runtime::attach) and its kin. Pass it down by value: it costs nothing.
///
/// In a thread-safe build it proves that this thread is registered, so that its values exist and
/// will be dropped. In a single-threaded build it proves that this is the *only* registered thread,
/// so that plain loads and stores are sound. In both, no reference got with it outlives the closure
/// that it was given to, so values are dropped only where no reference exists.
///
/// The shape is PyO3's `Python<'py>`.
///
/// ```compile_fail
/// # fn smuggle(tsrm: tsrm::Runtime) {
/// let here = tsrm.attach(|here| here); // error: the token outlives its closure
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Attached<'t> {
    /// Covariant in `'t`; the pointer takes `Send` and `Sync` away, and nothing else.
    _proof: PhantomData<(&'t (), *mut AttachedStaysOnItsThread)>,
}

/// There is none. What the compiler says cannot be sent between threads is a pointer to this, so
/// this is where it can be said why.
enum AttachedStaysOnItsThread {}

impl<'t> Attached<'t> {
    /// # Safety
    /// The thread is at a depth of at least 1 for all of `'t`, and registered (I4).
    #[inline(always)]
    pub(crate) const unsafe fn assume() -> Self {
        Self { _proof: PhantomData }
    }
}

impl fmt::Debug for Attached<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Attached")
    }
}
