//! A kernel that does not let a thread sleep: it does what others would do meanwhile, as it is told beforehand.
//!
//! Others that sleep too sleep inside that, so one thread plays them all, and each call has its place.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::primitive::{AtomicU32, Ordering};
use crate::sys::Queue;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    Wait(Queue),
    Wake(u32, Queue),
}

/// What others do while a thread sleeps.
pub(crate) type Meanwhile = Box<dyn FnOnce()>;

struct Script {
    meanwhile: VecDeque<Meanwhile>,
    calls: Vec<Call>,
}

thread_local! {
    static SCRIPT: RefCell<Option<Script>> = const { RefCell::new(None) };
}

/// Does that, and what others do while it sleeps for the first time, the second time, and so on. Returns all calls.
pub(crate) fn play<const N: usize>(meanwhile: [Meanwhile; N], act: impl FnOnce()) -> Vec<Call> {
    SCRIPT.set(Some(Script { meanwhile: meanwhile.into(), calls: Vec::new() }));
    act();
    let script = SCRIPT.take().unwrap();
    assert!(script.meanwhile.is_empty(), "it slept less often");
    script.calls
}

/// Those so far.
pub(crate) fn calls() -> Vec<Call> {
    SCRIPT.with_borrow(|script| script.as_ref().unwrap().calls.clone())
}

/// False if this thread has no script.
pub(crate) fn wait(word: &AtomicU32, expected: u32, queue: Queue) -> bool {
    let meanwhile = SCRIPT.with_borrow_mut(|script| {
        let script = script.as_mut()?;
        script.calls.push(Call::Wait(queue));
        assert_eq!(word.load(Ordering::Relaxed), expected);
        Some(script.meanwhile.pop_front().expect("it sleeps for ever"))
    });
    meanwhile.map(|meanwhile| meanwhile()).is_some()
}

/// As above.
pub(crate) fn wake(count: u32, queue: Queue) -> bool {
    SCRIPT.with_borrow_mut(|script| {
        script.as_mut().map(|script| script.calls.push(Call::Wake(count, queue))).is_some()
    })
}
