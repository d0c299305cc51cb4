//! Globals in the tasks of tokio.
//!
//! A task moves from thread to thread, but only where it awaits. So attach in the parts between two
//! awaits, never across one:
//!
//! - The token cannot leave its closure and is not `Send`, so the compiler refuses a task that
//!   would keep it over an `await`.
//! - What must live on from part to part belongs in the task; globals are for what the thread owns:
//!   buffers, caches, statistics. A later part may see another thread's values.
//! - Long computations go to `spawn_blocking`, as always in tokio, and attach there.
#![forbid(unsafe_code)]

use std::sync::atomic::Ordering;

use tokio::runtime::{Builder, Runtime as Tokio};
use tokio::task::{JoinSet, yield_now};
use tsrm::{Attached, Runtime};

#[tsrm::module]
mod pages {
    use std::cell::RefCell;
    use std::sync::atomic::AtomicU64;

    /// How many pages this thread has rendered. Atomic, so that others may read it: see `total`.
    #[global]
    pub static RENDERED: AtomicU64 = const { AtomicU64::new(0) };

    /// Where a page is put together. Every page of this thread uses the same memory.
    #[global]
    pub static SCRATCH: RefCell<String> = RefCell::new(String::with_capacity(4096));
}

/// The synchronous part, as any function that uses globals.
fn render(here: Attached<'_>, name: &str) -> String {
    pages::RENDERED.get(here).fetch_add(1, Ordering::Relaxed);
    pages::SCRATCH.with_borrow_mut(here, |page| {
        page.clear();
        page.push_str("Hello, ");
        page.push_str(name);
        page.clone()
    })
}

/// The task. Awaits outside of the attach only.
async fn serve(tsrm: Runtime, name: String) -> usize {
    yield_now().await; // as if reading from a socket
    let page = tsrm.attach(|here| render(here, &name));
    yield_now().await; // as if writing to it; `page` is the task's own, so this is fine
    page.len()
}

/// A long computation. `spawn_blocking` takes another thread for it, which a single-threaded build
/// does not have: there it runs in place.
async fn serve_slowly(tsrm: Runtime, name: String) -> usize {
    let slow = move || tsrm.attach(|here| (0..100).map(|_| render(here, &name).len()).sum());
    if tsrm::SINGLE_THREADED {
        slow()
    } else {
        tokio::task::spawn_blocking(slow).await.expect("no panic")
    }
}

/// A thread pool; in a single-threaded build the calling thread alone.
fn tokio(tsrm: Runtime) -> std::io::Result<Tokio> {
    if tsrm::SINGLE_THREADED {
        return Builder::new_current_thread().build();
    }
    Builder::new_multi_thread()
        .worker_threads(4)
        // Also for the threads of `spawn_blocking`. Dropping the pool waits for this, but not for
        // what a thread does later.
        .on_thread_stop(move || tsrm.detach().expect("tasks attach in closures"))
        .build()
}

/// What all threads have counted.
fn total(here: Attached<'_>) -> u64 {
    let mut total = 0;
    pages::RENDERED.for_each_thread(here, |_thread, count| total += count.load(Ordering::Relaxed));
    total
}

#[tsrm::main(pages)]
fn main(tsrm: Runtime) -> std::io::Result<()> {
    let tokio = tokio(tsrm)?;
    let bytes: usize = tokio.block_on(async {
        let mut tasks = JoinSet::new();
        for number in 0..100 {
            tasks.spawn(serve(tsrm, format!("visitor {number:02}")));
        }
        tasks.spawn(serve_slowly(tsrm, "everybody".to_owned()));
        tasks.join_all().await.into_iter().sum()
    });
    // Before the pool is gone: its threads take their values with them. (A thread of
    // `spawn_blocking` leaves by itself when it has been idle for some seconds. A program that
    // wants totals for good keeps them in a plain atomic.)
    let rendered = tsrm.attach(total);
    println!("{}: {rendered} pages, {bytes} bytes", tsrm::MODE);
    assert_eq!((rendered, bytes), (200, 100 * 17 + 100 * 16));

    drop(tokio);
    tsrm.detach().expect("not attached");
    assert_eq!(tsrm.threads().len(), 0);
    Ok(())
}
