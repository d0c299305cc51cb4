//! A shutdown while a thread has a shared value locked, and another one waits for it: the lock stays, for them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use tsrm::Runtime;
use tsrm_tests::{Ledger, Tracked};

#[path = "asleep.rs"]
mod asleep;

use asleep::Asleep;

static LEDGER: Ledger = Ledger::new();

#[tsrm::module]
mod module {
    use tsrm::sync::SrwMutex;

    use super::*;

    #[shared]
    pub static PAGE: SrwMutex<Tracked> = SrwMutex::new(Tracked::new(&LEDGER));
}
use module::PAGE;

fn books() -> String {
    let (built, dropped) = LEDGER.both();
    format!("{built} built, {dropped} dropped")
}

fn hold(tsrm: Runtime, holds: &Sender<()>, go_on: &Receiver<()>) {
    tsrm.attach(|here| {
        let page = PAGE.get(here).lock(here);
        page.cell.set(7);
        holds.send(()).unwrap();
        go_on.recv().unwrap();
        page.cell.set(page.cell.get() + 1);
    });
}

fn main() {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let (holds, is_held) = channel();
    let (goes_on, go_on) = channel();
    let holder = std::thread::spawn(move || hold(tsrm, &holds, &go_on));
    is_held.recv().unwrap();
    let waiter = (!tsrm::SINGLE_THREADED)
        .then(|| Asleep::spawn(move || tsrm.attach(|here| PAGE.get(here).lock(here).cell.get())));

    let report = tsrm.shutdown(Duration::from_millis(30)).unwrap();
    println!("down, {} straggler(s): {}", report.stragglers.len(), books());

    let again = Runtime::start([module::MODULE]).unwrap();
    let fresh = again.try_attach(|here| PAGE.get(here).try_lock(here).unwrap().cell.get());
    match fresh {
        Ok(value) => println!("up, value {value}: {}", books()),
        Err(error) => println!("up, {error}"),
    }
    goes_on.send(()).unwrap();
    holder.join().unwrap();
    if let Some(waiter) = waiter {
        println!("waiter has {}", waiter.thread.join().unwrap());
    }
    again.attach(|here| PAGE.get(here).lock(here).cell.set(1));
    assert!(again.shutdown(Duration::from_secs(60)).unwrap().is_clean());
    println!("done: {}", books());
}
