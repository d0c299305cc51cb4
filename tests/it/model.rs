//! Random operations against a naive oracle: a `HashMap` of what each registered thread should see.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use tsrm::Runtime;
use tsrm_tests::{Ledger, Tracked};

#[tsrm::module]
mod modelled {
    use super::*;

    pub(super) static LEDGER: Ledger = Ledger::new();

    #[global]
    pub(super) static CACHED: Tracked = Tracked::new(&LEDGER);
    #[global]
    pub(super) static STATIC: Cell<u64> = const { Cell::new(0) };
}

#[derive(Clone, Copy, Debug)]
enum Step {
    WriteStatic(u64),
    WriteCached(u64),
    Read,
    Nested,
    PanicInside,
    Request,
    Detach,
    Exit,
}

/// What a thread answers: whether it could attach, and (static, cached) if it looked.
type Answer = Result<Option<(u64, u64)>, ()>;

struct Worker {
    steps: Sender<Step>,
    answers: Receiver<Answer>,
    thread: JoinHandle<()>,
}

fn worker(tsrm: Runtime) -> Worker {
    let (steps, inbox) = channel();
    let (outbox, answers) = channel();
    let thread = std::thread::spawn(move || {
        for step in inbox {
            let answer = perform(tsrm, step);
            if outbox.send(answer).is_err() || matches!(step, Step::Exit) {
                return;
            }
        }
    });
    Worker { steps, answers, thread }
}

fn perform(tsrm: Runtime, step: Step) -> Answer {
    let attach =
        |f: &dyn Fn(tsrm::Attached<'_>) -> Option<(u64, u64)>| tsrm.try_attach(f).map_err(|_| ());
    let look = |here: tsrm::Attached<'_>| {
        Some((modelled::STATIC.get(here).get(), modelled::CACHED.get(here).cell.get()))
    };
    match step {
        Step::WriteStatic(value) => attach(&|here| {
            modelled::STATIC.set(here, value);
            None
        }),
        Step::WriteCached(value) => attach(&|here| {
            modelled::CACHED.get(here).cell.set(value);
            None
        }),
        Step::Read => attach(&look),
        Step::Nested => attach(&|_| tsrm.attach(|_| tsrm.attach(look))),
        Step::PanicInside => {
            let inside = || tsrm.try_attach(|_| std::panic::resume_unwind(Box::new("inside")));
            match std::panic::catch_unwind(inside) {
                Ok(Err(_)) => Err(()),
                Ok(Ok(())) => unreachable!(),
                Err(_) => Ok(None),
            }
        }
        Step::Request => tsrm.try_request(look).map_err(|_| ()),
        Step::Detach => tsrm.detach().map(|()| None).map_err(|_| ()),
        Step::Exit => Ok(None),
    }
}

/// xorshift: a seed names a run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn step(random: &mut Random) -> Step {
    match random.below(12) {
        0 | 1 => Step::WriteStatic(random.below(1000)),
        2 | 3 => Step::WriteCached(random.below(1000)),
        4 | 5 => Step::Read,
        6 => Step::Nested,
        7 => Step::PanicInside,
        8 => Step::Request,
        9 | 10 => Step::Detach,
        _ => Step::Exit,
    }
}

#[tsrm::test(modelled)]
fn random_operations(tsrm: Runtime) {
    for seed in 1..=150 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut workers: Vec<Worker> = (0..3).map(|_| worker(tsrm)).collect();
        // Worker → what it should see; absent: not registered.
        let mut oracle: HashMap<usize, (u64, u64)> = HashMap::new();
        for turn in 0..60 {
            let index = random.below(workers.len() as u64) as usize;
            let step = step(&mut random);
            workers[index].steps.send(step).unwrap();
            let answer = workers[index].answers.recv().unwrap();
            let registers = !matches!(step, Step::Detach | Step::Exit);
            let refused =
                tsrm::SINGLE_THREADED && registers && oracle.keys().any(|holder| *holder != index);
            let expected = if refused {
                Err(())
            } else if registers {
                let seen = oracle.entry(index).or_insert((0, 0));
                match step {
                    Step::WriteStatic(value) => seen.0 = value,
                    Step::WriteCached(value) => seen.1 = value,
                    _ => {}
                }
                let looks = matches!(step, Step::Read | Step::Nested | Step::Request);
                Ok(looks.then_some(*seen))
            } else {
                oracle.remove(&index);
                Ok(None)
            };
            assert_eq!(answer, expected, "seed {seed}, turn {turn}: {step:?} on {index}");
            if matches!(step, Step::Exit) {
                let gone = std::mem::replace(&mut workers[index], worker(tsrm));
                gone.thread.join().unwrap();
            }
            assert_eq!(tsrm.threads().len(), oracle.len(), "seed {seed}, turn {turn}");
        }
        for worker in workers {
            drop(worker.steps);
            worker.thread.join().unwrap();
        }
        let (built, dropped) = modelled::LEDGER.both();
        assert_eq!(built, dropped, "seed {seed}");
    }
}
