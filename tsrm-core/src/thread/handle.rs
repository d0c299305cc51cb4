//! What one thread may do to another: look at its state, interrupt its request; and the token's
//! side of it.

use std::fmt;
use std::num::NonZeroU8;
use std::sync::Arc;
use std::time::Duration;

use super::current;
use super::entry::ThreadEntry;
use super::identity::{ThreadId, ThreadState};
use crate::token::Attached;

/// Why a request should stop: see [`ThreadHandle::interrupt`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interrupt(NonZeroU8);

impl Interrupt {
    /// The request has used up its time.
    pub const TIME_LIMIT: Self = Self::own(1);
    /// The runtime shuts down. Set by [`Runtime::shutdown`](crate::Runtime::shutdown) in every
    /// running request that has no other reason to stop.
    pub const SHUTDOWN: Self = Self::own(2);
    /// A module is to be retired, and this request holds it up: set by
    /// [`Runtime::retire`](crate::Runtime::retire) when its deadline has passed.
    pub const RETIRE: Self = Self::own(3);

    /// A reason of the program's own. The codes 1 to 15 are this crate's.
    ///
    /// # Panics
    /// `code` is below 16.
    pub const fn custom(code: u8) -> Self {
        assert!(code >= 16, "interrupt codes below 16 are the runtime's own");
        Self::own(code)
    }

    const fn own(code: u8) -> Self {
        match NonZeroU8::new(code) {
            Some(code) => Self(code),
            None => unreachable!(),
        }
    }

    /// The reason as a number.
    pub const fn code(self) -> NonZeroU8 {
        self.0
    }

    pub(crate) fn from_code(code: NonZeroU8) -> Self {
        Self(code)
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TIME_LIMIT => f.write_str("TIME_LIMIT"),
            Self::SHUTDOWN => f.write_str("SHUTDOWN"),
            Self::RETIRE => f.write_str("RETIRE"),
            Self(code) => write!(f, "custom({code})"),
        }
    }
}

/// A registered thread, seen from anywhere.
///
/// Holding a handle keeps nothing alive but a small record: the thread may leave at any time, after
/// which the handle shows its last state and interrupts nothing.
#[derive(Clone)]
pub struct ThreadHandle(pub(crate) Arc<ThreadEntry>);

impl ThreadHandle {
    /// Its number.
    pub fn id(&self) -> ThreadId {
        self.0.id
    }

    /// The name it was spawned with.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// How many attaches it is inside, a moment ago.
    pub fn depth(&self) -> u32 {
        self.0.gate.depth()
    }

    /// What it was doing a moment ago.
    pub fn state(&self) -> ThreadState {
        self.0.state()
    }

    /// How long ago it was registered.
    pub fn registered_for(&self) -> Duration {
        self.0.since.elapsed()
    }

    /// The serial of the request it is in. Serials count the requests of one thread, from 1.
    pub fn request(&self) -> Option<u64> {
        self.0.interrupt.serial()
    }

    /// Asks the request `serial` of this thread to stop: its
    /// [`Attached::interrupted`](crate::Attached::interrupted) turns true.
    ///
    /// Says whether the reason was set. It is not if that request has ended (then this is a no-op,
    /// also when the next one runs already), or if it has another reason that it has not taken yet.
    ///
    /// ```
    /// # #[tsrm::main(crate = tsrm)] fn main(tsrm: tsrm::Runtime) {
    /// use tsrm::Interrupt;
    /// tsrm.request(|here| {
    ///     // A watchdog would be given these two.
    ///     let (thread, serial) = (here.thread(), here.request().unwrap());
    ///     assert!(thread.interrupt(serial, Interrupt::TIME_LIMIT));
    ///     assert!(!thread.interrupt(serial + 1, Interrupt::TIME_LIMIT));
    ///     assert!(here.interrupted());
    ///     assert_eq!(here.take_interrupt(), Some(Interrupt::TIME_LIMIT));
    ///     assert!(!here.interrupted());
    /// });
    /// # }
    /// ```
    pub fn interrupt(&self, serial: u64, reason: Interrupt) -> bool {
        self.0.interrupt.set(serial, reason.code())
    }
}

impl Attached<'_> {
    /// A handle to this thread, for others to look at and to interrupt.
    pub fn thread(self) -> ThreadHandle {
        match current::shared() {
            Some(entry) => ThreadHandle(entry),
            None => unreachable!("a token exists only on a registered thread"),
        }
    }

    /// The serial of the request that this thread is in, for [`ThreadHandle::interrupt`].
    pub fn request(self) -> Option<u64> {
        current::entry()?.interrupt.serial()
    }

    /// Whether somebody has asked this request to stop. One relaxed load: cheap enough for every
    /// backward jump of an interpreter. Always false outside a request.
    #[inline]
    pub fn interrupted(self) -> bool {
        current::entry().is_some_and(|entry| entry.interrupt.is_set())
    }

    /// Takes the reason, so that [`interrupted`](Self::interrupted) is false again and another one
    /// can be set.
    pub fn take_interrupt(self) -> Option<Interrupt> {
        current::entry()?.interrupt.take().map(Interrupt::from_code)
    }
}

impl fmt::Debug for ThreadHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
