//! A kernel that is each thread's own.

use std::cell::RefCell;
use std::rc::Rc;

use crate::primitive::{AtomicU32, Instant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Queue {
    One,
    Readers,
    Holder,
}

/// What the locks call.
pub(crate) trait Kernel {
    fn wait(&self, word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>);
    fn wake(&self, word: &AtomicU32, count: u32, queue: Queue);
}

thread_local! {
    static KERNEL: RefCell<Option<Rc<dyn Kernel>>> = const { RefCell::new(None) };
}

/// Does that with this kernel.
pub(crate) fn with_kernel<R>(kernel: Rc<dyn Kernel>, act: impl FnOnce() -> R) -> R {
    assert!(KERNEL.replace(Some(kernel)).is_none());
    let result = act();
    KERNEL.set(None);
    result
}

pub(crate) mod futex {
    use super::*;

    pub(crate) fn wait(word: &AtomicU32, expected: u32, queue: Queue, deadline: Option<Instant>) {
        kernel().wait(word, expected, queue, deadline);
    }

    pub(crate) fn wake(word: &AtomicU32, count: u32, queue: Queue) {
        kernel().wake(word, count, queue);
    }

    fn kernel() -> Rc<dyn Kernel> {
        KERNEL.with_borrow(Option::clone).expect("a thread called the kernel")
    }
}
