//! A shutdown while a request runs: it is interrupted, may finish, and nobody else gets in.

use std::sync::mpsc::channel;
use std::time::Duration;

use tsrm::{Interrupt, Runtime};

#[tsrm::module]
mod module {
    #[thread_shutdown]
    fn dies(_here: tsrm::Attached<'_>) {
        println!("thread hook");
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        println!("module down");
    }
}

fn main() {
    let tsrm = Runtime::start([module::MODULE]).unwrap();
    let (running, runs) = channel();
    let (over, is_over) = channel();
    let worker = std::thread::spawn(move || {
        tsrm.attach(|_| {
            tsrm.request(|here| {
                running.send(()).unwrap();
                while !here.interrupted() {
                    std::thread::yield_now();
                }
                let reason = here.take_interrupt();
                println!("request interrupted: {}", reason == Some(Interrupt::SHUTDOWN));
                tsrm.attach(|_| println!("nested attach: fine"));
            });
            println!("new request: {}", tsrm.try_request(|_| ()).unwrap_err());
            std::thread::scope(|scope| {
                let other = scope.spawn(|| tsrm.try_attach(|_| ()).unwrap_err().to_string());
                println!("other thread: {}", other.join().unwrap());
            });
        });
        // It has left by itself, at the end of its outermost attach: it lives on until then.
        is_over.recv().unwrap();
    });
    runs.recv().unwrap();
    let clean = tsrm.shutdown(Duration::from_secs(60)).unwrap().is_clean();
    over.send(()).unwrap();
    worker.join().unwrap();
    println!("clean: {clean}");
}
