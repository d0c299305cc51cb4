//! A shutdown with threads that do not leave; what becomes of them; a restart.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use tsrm::Runtime;
use tsrm_tests::{Ledger, Tracked};

static LEDGER: Ledger = Ledger::new();

#[tsrm::module]
mod module {
    use super::*;

    #[global]
    pub static VALUE: Tracked = Tracked::new(&LEDGER);

    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        assert!(Runtime::current().is_none() || std::thread::current().name() != Some("holder"));
    }

    #[module_shutdown]
    fn shutdown(phase: &mut tsrm::Shutdown<'_>) {
        println!("module down, {} straggler(s)", phase.stragglers().len());
    }
}

fn books() -> String {
    let (built, dropped) = LEDGER.both();
    format!("{built} built, {dropped} dropped")
}

/// A thread that does what it is told, one step at a time.
struct Thread {
    go: Sender<()>,
    done: Receiver<String>,
    join: std::thread::JoinHandle<()>,
}

impl Thread {
    fn spawn(
        name: &str,
        body: impl FnOnce(&Receiver<()>, &Sender<String>) + Send + 'static,
    ) -> Self {
        let (go, steps) = channel();
        let (says, done) = channel();
        let builder = std::thread::Builder::new().name(name.to_owned());
        let join = builder.spawn(move || body(&steps, &says)).unwrap();
        Self { go, done, join }
    }

    fn step(&self) -> String {
        let _ = self.go.send(());
        self.done.recv().unwrap()
    }
}

fn holder(tsrm: Runtime) -> Thread {
    Thread::spawn("holder", move |steps, says| {
        tsrm.attach(|_| {
            tsrm.attach(|here| {
                let value = module::VALUE.get(here);
                value.cell.set(7);
                says.send("attached".into()).unwrap();
                steps.recv().unwrap();
                // Shut down meanwhile: what it holds is untouched, and nesting goes on.
                let nested = tsrm.attach(|here| module::VALUE.get(here).cell.get());
                assert_eq!(value.cell.get(), nested);
                says.send(format!("nests: {nested}")).unwrap();
                steps.recv().unwrap();
            });
        });
        says.send("has left".into()).unwrap();
        assert!(matches!(tsrm.try_attach(|_| ()), Err(tsrm::AttachError::Stale)));
    })
}

fn idle(tsrm: Runtime) -> Thread {
    Thread::spawn("idle", move |steps, says| {
        tsrm.attach(|here| module::VALUE.get(here).cell.set(8));
        says.send("registered".into()).unwrap();
        steps.recv().unwrap();
        let fresh = module::VALUE.with(|value| value.cell.get());
        says.send(format!("attaches anew: {fresh}")).unwrap();
    })
}

fn main() {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let holder = holder(tsrm);
    assert_eq!(holder.done.recv().unwrap(), "attached");
    let idle = (!tsrm::SINGLE_THREADED).then(|| idle(tsrm));
    if let Some(idle) = &idle {
        assert_eq!(idle.done.recv().unwrap(), "registered");
    }

    let report = tsrm.shutdown(Duration::from_millis(30)).unwrap();
    for straggler in &report.stragglers {
        // Without its age.
        let text = straggler.to_string();
        println!("{}", text.split(", registered").next().unwrap());
    }
    println!("holder: {}", tsrm.try_attach(|_| ()).unwrap_err());

    let again = Runtime::start([module::MODULE]).unwrap();
    if tsrm::SINGLE_THREADED {
        println!("others: {}", again.try_attach(|_| ()).unwrap_err());
    }
    println!("holder {}", holder.step());
    println!("holder {}: {}", holder.step(), books());
    if let Some(idle) = idle {
        let said = idle.step();
        idle.join.join().unwrap();
        println!("idle {said}, {}", books());
    }
    holder.join.join().unwrap();
    println!("main attaches: {}", again.attach(|here| module::VALUE.get(here).cell.get()));
    assert!(again.shutdown(Duration::from_secs(60)).unwrap().is_clean());
    println!("done: {}", books());
}
