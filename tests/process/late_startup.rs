//! A module's startup or shutdown, while the runtime shuts down around it or at its own request.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tsrm::{RegisterError, Runtime};

const PATIENCE: Duration = Duration::from_secs(600);

/// How a startup is held up: it says that it is there, and waits.
static HOLD: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);

/// Says when it is dropped.
pub struct Said(&'static str);

impl Drop for Said {
    fn drop(&mut self) {
        println!("{} dropped", self.0);
    }
}

#[tsrm::module]
mod slow {
    use super::{HOLD, Said};

    #[shared]
    pub static FIRST: Said = Said("first shared value");
    #[shared(lazy)]
    pub static UNUSED: Said = Said("unused");
    #[shared(lazy)]
    pub static LAST: Said = Said("last shared value");
    #[global]
    pub static CACHED: u32 = 5;

    #[module_startup]
    fn startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        phase.shared(&LAST);
        let held = HOLD.lock().unwrap().take();
        if let Some((there, go)) = held {
            there.send(())?;
            go.recv()?;
        }
        println!("slow up");
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        println!("slow down");
    }
}

/// Asks for the runtime's end wherever it can.
#[tsrm::module]
mod suicidal {
    use std::time::Duration;

    use tsrm::Runtime;

    #[shared]
    pub static SHARED: String = ask("initialiser");

    #[shared(lazy)]
    pub static LAZY: String = ask("lazy initialiser");

    fn ask(who: &str) -> String {
        let Some(tsrm) = Runtime::current() else { return format!("{who}: nothing runs") };
        match tsrm.shutdown(Duration::ZERO) {
            Ok(report) => panic!("{report}"),
            Err(error) => format!("{who}: {error:?}"),
        }
    }

    #[module_startup]
    fn startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        println!("{}", phase.shared(&SHARED));
        println!("{}", ask("module_startup"));
        println!(
            "retire: {:?}",
            Runtime::current().map(|tsrm| tsrm.retire(MODULE, Duration::ZERO))
        );
        println!("register: {:?}", Runtime::current().map(|tsrm| tsrm.register(MODULE)));
        Ok(())
    }

    #[thread_startup]
    fn born(_here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        println!("{}", ask("thread_startup"));
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        println!("{}", ask("thread_shutdown"));
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        println!("{}", ask("module_shutdown"));
        println!(
            "retire: {:?}",
            Runtime::current().map(|tsrm| tsrm.retire(MODULE, Duration::ZERO))
        );
    }
}

/// A thread in the middle of the startup of `slow`.
fn register_slowly(tsrm: Runtime) -> (JoinHandle<Result<(), RegisterError>>, Sender<()>) {
    let (starting, is_starting) = channel();
    let (finish, may_finish) = channel();
    *HOLD.lock().unwrap() = Some((starting, may_finish));
    let thread = std::thread::spawn(move || tsrm.register(slow::MODULE));
    is_starting.recv().unwrap();
    (thread, finish)
}

fn main() {
    match std::env::args().nth(1).unwrap().as_str() {
        "passes" => the_deadline_passes(),
        "restarts" => the_next_runtime_has_it(),
        "waits" => the_shutdown_waits(),
        "asks" => it_asks_itself(),
        other => panic!("{other}"),
    }
}

fn finish(thread: JoinHandle<Result<(), RegisterError>>, finish: &Sender<()>) {
    finish.send(()).unwrap();
    println!("late: {:?}", thread.join().unwrap());
}

fn the_deadline_passes() {
    let tsrm = Runtime::start([]).unwrap();
    let (thread, go) = register_slowly(tsrm);
    let report = tsrm.shutdown(Duration::ZERO).unwrap();
    println!("shut down: {report}");
    println!("current: {:?}", Runtime::current());
    finish(thread, &go);
    let again = Runtime::start([slow::MODULE]).unwrap();
    again.attach(|here| println!("again: {}", slow::CACHED.get(here)));
    assert!(again.shutdown(PATIENCE).unwrap().is_clean());
}

/// The late startup ends when the module is up in the next runtime.
fn the_next_runtime_has_it() {
    let tsrm = Runtime::start([]).unwrap();
    let (thread, go) = register_slowly(tsrm);
    println!("{:?}", tsrm.shutdown(Duration::ZERO).unwrap().unfinished);
    let again = Runtime::start([slow::MODULE]).unwrap();
    again.attach(|here| {
        let before = std::ptr::from_ref(slow::FIRST.get(here));
        assert_eq!(*slow::CACHED.get(here), 5);
        finish(thread, &go);
        // What is here is the new runtime's, and stays.
        assert!(std::ptr::eq(before, slow::FIRST.get(here)));
        println!("here: {}", slow::FIRST.get(here).0);
        assert_eq!(*slow::CACHED.get(here), 5);
    });
    again.detach().unwrap();
    again.attach(|here| println!("fresh: {}", slow::CACHED.get(here)));
    assert!(again.shutdown(PATIENCE).unwrap().is_clean());
}

fn the_shutdown_waits() {
    let tsrm = Runtime::start([]).unwrap();
    let (thread, go) = register_slowly(tsrm);
    std::thread::scope(|scope| {
        let shutdown = scope.spawn(|| tsrm.shutdown(PATIENCE).unwrap());
        // Until it has begun.
        while Runtime::current().is_some() {
            std::thread::yield_now();
        }
        finish(thread, &go);
        println!("shut down: {}", shutdown.join().unwrap());
    });
}

fn it_asks_itself() {
    let tsrm = Runtime::start([]).unwrap();
    println!("-- late");
    tsrm.register(suicidal::MODULE).unwrap();
    println!("-- thread");
    tsrm.attach(|here| println!("{}", suicidal::LAZY.get(here)));
    println!("-- retire");
    println!("{}", tsrm.retire(suicidal::MODULE, PATIENCE).unwrap());
    println!("-- shutdown");
    tsrm.register(suicidal::MODULE).unwrap();
    assert!(tsrm.shutdown(PATIENCE).unwrap().is_clean());
    println!("-- start");
    let again = Runtime::start([suicidal::MODULE]).unwrap();
    assert!(again.shutdown(PATIENCE).unwrap().is_clean());
}
