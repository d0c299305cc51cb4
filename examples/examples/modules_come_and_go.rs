//! Modules that come and go while threads run: a word counter whose dictionary is replaced in the middle of
//! the work, shared values, and a grace period of one's own.
#![forbid(unsafe_code)]

use std::error::Error;
use std::sync::mpsc::channel;
use std::time::Duration;

use tsrm::{Interrupt, RegisterError, RetireError, Retired, Runtime};

/// What all threads share: the words that are looked for, and how often they were found.
#[tsrm::module]
mod dictionary {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicU64, Ordering};

    use tsrm::{Error, Shutdown, Startup};

    /// Filled by the startup hook; read by all threads without a lock.
    #[shared]
    pub(crate) static WORDS: HashSet<String> = HashSet::new();

    /// Built by the first thread that asks.
    #[shared(lazy)]
    pub(crate) static LONGEST: AtomicU64 = AtomicU64::new(0);

    #[shared]
    pub(crate) static FOUND: AtomicU64 = AtomicU64::new(0);

    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        let words: String = phase.setting("words")?.ok_or("which words?")?;
        *phase.shared_mut(&WORDS) = words.split(' ').map(str::to_owned).collect();
        Ok(())
    }

    /// When no thread can have a reference any more. The shared values are dropped after this.
    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        let found = phase.shared(&FOUND).load(Ordering::Relaxed);
        println!("dictionary goes; {found} word(s) were found");
    }
}

/// Per thread: the words of the present text.
#[tsrm::module(requires = ["dictionary"])]
mod counter {
    use std::cell::Cell;
    use std::sync::atomic::Ordering;

    use tsrm::Attached;

    #[global]
    pub(crate) static SEEN: Cell<u64> = const { Cell::new(0) };

    pub(crate) fn count(here: Attached<'_>, text: &str) {
        let words = super::dictionary::WORDS.get(here);
        let found = text.split(' ').filter(|word| words.contains(*word));
        for word in found {
            SEEN.set(here, SEEN.get(here).get() + 1);
            let length = word.len() as u64;
            super::dictionary::LONGEST.get(here).fetch_max(length, Ordering::Relaxed);
        }
    }

    /// At each thread's end, or when this module is retired: what is required is still there.
    #[thread_shutdown]
    fn dies(here: Attached<'_>) {
        let seen = SEEN.get(here).get();
        super::dictionary::FOUND.get(here).fetch_add(seen, Ordering::Relaxed);
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> Result<(), Box<dyn Error>> {
    // Listed in any order: what is required starts first.
    let tsrm = Runtime::builder()
        .modules([counter::MODULE, dictionary::MODULE])
        .set("dictionary.words", "to be or not")
        .start()?;
    println!("{} build", tsrm::MODE);

    let (texts, inbox) = channel::<&str>();
    let (done, counted) = channel();
    let worker = std::thread::spawn(move || {
        tsrm.detach_after(|| {
            for text in inbox {
                tsrm.request(|here| counter::count(here, text));
                // Here the thread is at depth 0: this is where modules come and go.
                done.send(()).expect("somebody waits");
            }
        });
    });
    texts.send("to be or not to be that is the question")?;
    counted.recv()?;

    // The dictionary cannot go while the counter needs it.
    let refused = tsrm.retire(dictionary::MODULE, PATIENCE).map(drop);
    assert_eq!(refused, Err(RetireError::NeededBy { module: "dictionary", by: "counter" }));

    // The worker sleeps at depth 0, and holds the counter. We do not wait for it: the counter goes down at
    // once, and the worker will drop its own values, without the hook, when it wakes up.
    match tsrm.retire(counter::MODULE, Duration::ZERO)? {
        Retired::Down { threads } => println!("the counter is down but for {}", threads[0]),
        other => unreachable!("{other}"),
    }
    let retired = tsrm.retire(dictionary::MODULE, Duration::ZERO)?;
    println!("the dictionary: {}", if retired.is_done() { "nothing left" } else { "held" });

    // New ones in their place, with fresh values.
    tsrm.register_with(dictionary::MODULE, [("dictionary.words", "question")])?;
    tsrm.register(counter::MODULE)?;
    let again = tsrm.register(counter::MODULE);
    assert!(matches!(again, Err(RegisterError::AlreadyRegistered("counter"))));
    texts.send("to be or not to be that is the question")?;
    counted.recv()?;

    // What is not declared can be registered: a resource has a value for each thread that asks for it.
    let scratch = tsrm.register_resource("scratch", || Ok(Vec::<u8>::with_capacity(64)))?;
    drop(texts);
    worker.join().expect("it has not panicked");
    tsrm.attach(|here| assert_eq!(scratch.get(here).capacity(), 64));
    assert!(scratch.release());

    // A grace period for one's own purposes: behind it, no thread is left in an attach that it was in.
    tsrm.quiesce(PATIENCE)?;

    // A running request is told when somebody has waited in vain for it to leave.
    tsrm.request(|here| {
        let (thread, request) = (here.thread(), here.request().expect("inside one"));
        assert!(thread.interrupt(request, Interrupt::RETIRE));
        assert!(here.interrupted());
    });
    let report = tsrm.shutdown(PATIENCE)?;
    println!("{report}");
    Ok(())
}
