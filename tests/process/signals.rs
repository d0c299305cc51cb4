//! A signal handler looks at a global, on threads in every state.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering};

use tsrm::Runtime;

#[tsrm::module]
mod module {
    use super::*;

    #[global]
    pub static VALUE: Cell<i64> = Cell::new(42);
}

const NONE: i64 = -1;
static SEEN: AtomicI64 = AtomicI64::new(0);

extern "C" fn handler(_signal: c_int) {
    let value = module::VALUE.try_with_attached(Cell::get);
    SEEN.store(value.unwrap_or(NONE), Ordering::SeqCst);
}

/// Raises the signal on this thread and says what the handler saw.
fn raise() -> String {
    SEEN.store(-2, Ordering::SeqCst);
    // SAFETY: raises a signal that has a handler, on the calling thread.
    let raised = unsafe { libc::raise(libc::SIGUSR1) };
    assert_eq!(raised, 0);
    match SEEN.load(Ordering::SeqCst) {
        NONE => "none".into(),
        value => value.to_string(),
    }
}

extern "C" fn raw_thread(_: *mut libc::c_void) -> *mut libc::c_void {
    println!("raw thread: {}", raise());
    ptr::null_mut()
}

fn main() {
    let handler: extern "C" fn(c_int) = handler;
    // SAFETY: the handler only does what is allowed in one.
    let old = unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    assert_ne!(old, libc::SIG_ERR);
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    println!("unregistered: {}", raise());
    tsrm.attach(|_| ());
    println!("registered, idle: {}", raise());
    tsrm.attach(|here| {
        println!("attached, not built: {}", raise());
        module::VALUE.get(here);
        println!("attached: {}", raise());
    });
    let mut thread = 0;
    // SAFETY: `thread` is valid for the write, and the function fits.
    let made =
        unsafe { libc::pthread_create(&raw mut thread, ptr::null(), raw_thread, ptr::null_mut()) };
    assert_eq!(made, 0);
    // SAFETY: joined once.
    let joined = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    assert_eq!(joined, 0);
}
