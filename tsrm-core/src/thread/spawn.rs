//! Threads that attach for as long as they run, and have detached before their end can be seen.
//!
//! A plain thread detaches while its TLS is destroyed. That is after the end of a
//! `std::thread::scope` may have been observed; in a single-threaded build it decides whether the
//! next thread can attach. These do it first.

use std::io;
use std::thread;

pub use std::thread::JoinHandle;

use crate::error::{AttachError, refuse};
use crate::module::static_bytes;
use crate::runtime::Runtime;
use crate::token::Attached;

/// What `std::thread` gives a thread that asks for nothing.
const DEFAULT_STACK: usize = 2 * 1024 * 1024;

/// Spawns a thread that runs `f` attached to the running runtime and then detaches.
///
/// For a thread that handles requests one after another, use a plain thread with
/// [`Runtime::detach_after`](crate::Runtime::detach_after) and
/// [`Runtime::request`](crate::Runtime::request): between two requests it is then at depth 0.
///
/// # Panics
/// The operating system cannot create a thread. If the new thread cannot attach, *it* panics, and
/// joining it returns that error.
///
/// ```
/// # #[tsrm::main(crate = tsrm)] fn main(_tsrm: tsrm::Runtime) {
/// let answer = tsrm::thread::spawn(|_here| 42).join().unwrap();
/// assert_eq!(answer, 42);
/// # }
/// ```
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: for<'t> FnOnce(Attached<'t>) -> T + Send + 'static,
    T: Send + 'static,
{
    match Builder::new().spawn(f) {
        Ok(handle) => handle,
        Err(error) => refuse(error),
    }
}

/// A thread to be: as [`std::thread::Builder`], for attached threads.
#[derive(Debug, Default)]
#[must_use = "a builder spawns nothing before `spawn`"]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// A thread without a name, with the usual stack.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the thread. Messages of this crate use the name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the bytes of stack that the thread may use.
    ///
    /// The static globals of the process are taken from the same mapping, so their bytes are added.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// Spawns the thread.
    ///
    /// # Errors
    /// The operating system cannot create it, or its name has a NUL.
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: for<'t> FnOnce(Attached<'t>) -> T + Send + 'static,
        T: Send + 'static,
    {
        self.into_std()?.spawn(move || run(f))
    }

    /// Spawns the thread into a scope.
    ///
    /// # Errors
    /// The operating system cannot create it, or its name has a NUL.
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: Scope<'scope, '_>,
        f: F,
    ) -> io::Result<thread::ScopedJoinHandle<'scope, T>>
    where
        F: for<'t> FnOnce(Attached<'t>) -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.into_std()?.spawn_scoped(scope.0, move || run(f))
    }

    fn into_std(self) -> io::Result<thread::Builder> {
        let stack = self.stack_size.unwrap_or_else(default_stack);
        let builder = thread::Builder::new().stack_size(stack.saturating_add(static_bytes()));
        match self.name {
            // std would panic.
            Some(name) if name.contains('\0') => Err(io::ErrorKind::InvalidInput.into()),
            Some(name) => Ok(builder.name(name)),
            None => Ok(builder),
        }
    }
}

/// What std would give: its documented environment variable, or its default.
fn default_stack() -> usize {
    std::env::var("RUST_MIN_STACK")
        .ok()
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(DEFAULT_STACK)
}

/// A scope whose threads attach; `Copy`, so closures take it along.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'scope, 'env: 'scope>(&'scope thread::Scope<'scope, 'env>);

impl<'scope> Scope<'scope, '_> {
    /// Spawns a thread that runs `f` attached and then detaches, as [`spawn`] does.
    ///
    /// # Panics
    /// The operating system cannot create a thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> thread::ScopedJoinHandle<'scope, T>
    where
        F: for<'t> FnOnce(Attached<'t>) -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match Builder::new().spawn_scoped(self, f) {
            Ok(handle) => handle,
            Err(error) => refuse(error),
        }
    }
}

/// As [`std::thread::scope`], with threads that attach; when it returns, they have detached.
///
/// ```
/// # #[tsrm::main(crate = tsrm)] fn main(_tsrm: tsrm::Runtime) {
/// let words = ["a", "b"];
/// let joined = tsrm::thread::scope(|scope| scope.spawn(|_here| words.concat()).join().unwrap());
/// assert_eq!(joined, "ab");
/// # }
/// ```
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(Scope<'scope, 'env>) -> T,
{
    thread::scope(|scope| f(Scope(scope)))
}

/// The body of such a thread.
fn run<T>(f: impl for<'t> FnOnce(Attached<'t>) -> T) -> T {
    let Some(tsrm) = Runtime::current() else { refuse(AttachError::NotStarted) };
    tsrm.detach_after(|| tsrm.attach(f))
}
