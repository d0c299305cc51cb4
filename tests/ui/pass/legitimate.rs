//! What the token may do: be copied, stored for as long as it lives, passed to functions of named
//! and elided lifetimes, kept over an `await` that stays on this thread; and references to values
//! that are `Sync` may be read by scoped threads.
#![forbid(unsafe_code)]
#![deny(warnings)]

use std::cell::{Cell, Ref, RefCell};
use std::future::{Future, ready};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use tsrm::Attached;

#[tsrm::module]
mod globals {
    use std::cell::{Cell, RefCell};
    use std::sync::atomic::AtomicU64;

    #[global]
    pub static COUNT: Cell<u64> = const { Cell::new(0) };

    #[global]
    pub static NAMES: RefCell<Vec<String>> = RefCell::new(vec![String::from("a")]);

    #[global]
    pub static TOTAL: AtomicU64 = const { AtomicU64::new(5) };
}

use globals::{COUNT, NAMES, TOTAL};

struct Interpreter<'t> {
    here: Attached<'t>,
    count: &'t Cell<u64>,
}

impl<'t> Interpreter<'t> {
    fn new(here: Attached<'t>) -> Self {
        Self { here, count: COUNT.get(here) }
    }

    fn names(&self) -> Ref<'t, Vec<String>> {
        NAMES.get(self.here).borrow()
    }
}

fn names<'t>(here: Attached<'t>) -> &'t RefCell<Vec<String>> {
    NAMES.get(here)
}

fn numbers(here: Attached<'_>) -> impl Iterator<Item = u64> {
    (0..2).map(move |_| COUNT.get(here).get())
}

async fn task(here: Attached<'_>) -> u64 {
    let count = COUNT.get(here);
    ready(()).await;
    count.get()
}

#[tsrm::main(globals)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        let copied = here;
        let interpreter = Interpreter::new(copied);
        interpreter.count.set(2);
        assert_eq!(interpreter.names().len(), names(here).borrow().len());
        assert_eq!(numbers(here).sum::<u64>(), 4);
        let later: Box<dyn Fn() -> u64 + '_> = Box::new(move || COUNT.get(here).get());
        assert_eq!(later(), 2);

        let total: &AtomicU64 = TOTAL.get(here);
        thread::scope(|scope| {
            scope.spawn(|| total.fetch_add(1, Ordering::Relaxed));
        });
        let mut sum = 0;
        TOTAL.for_each_thread(here, |_thread, total| sum += total.load(Ordering::Relaxed));
        assert_eq!(sum, 6);

        let mut task = pin!(task(here));
        let polled = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(polled, Poll::Ready(2));

        // Covariant: a longer token serves where a shorter one is asked for.
        let local = 0;
        let _shorter = shorter(here, &local);

        let nested: u64 = tsrm.attach(|inner| COUNT.get(inner).get() + interpreter.count.get());
        assert_eq!(nested, 4);
    });
}

fn shorter<'s>(long: Attached<'s>, _short: &'s u8) -> Attached<'s> {
    long
}
