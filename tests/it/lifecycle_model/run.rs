//! The runs against the oracle: a driver that chooses steps at random, has workers do them, and compares what
//! they answer and what happens with what the oracle predicts.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tsrm::{Resource, Runtime};

use super::oracle::{Life, Oracle, Owner, Registration, State};
use super::subject::{
    A, Answer, B, C, Canary, DRIVER, Event, FAIL, Fail, Kind, LOG, M, Made, NAMES, Op, Place, WHO,
    model_a,
};
use super::worker::{Command, Worker, anywhere, worker};
use super::{NoRuntime, Random, seeds};

struct Run {
    random: Random,
    workers: Vec<Worker>,
    spawned: usize,
    oracle: Oracle,
    /// All runtimes of this run, the last one last, with the oracle's generation.
    handles: Vec<(Runtime, u32)>,
    resources: Vec<Resource<Canary>>,
    steps: Vec<String>,
}

const WORKERS: usize = 3;
const STARTS: [&[M]; 6] = [&[A], &[A, B], &[C, A], &[B, C, A], &[], &[B]];

impl Run {
    fn new(seed: u64) -> Self {
        let oracle = Oracle::new();
        let mut run = Self {
            random: Random::of_seed(seed),
            workers: Vec::new(),
            spawned: 0,
            oracle,
            handles: Vec::new(),
            resources: Vec::new(),
            steps: Vec::new(),
        };
        for who in 0..WORKERS {
            let worker = run.spawn(who);
            run.workers.push(worker);
        }
        run
    }

    fn spawn(&mut self, who: usize) -> Worker {
        self.spawned += 1;
        worker(who, format!("w{who}.{}", self.spawned))
    }

    fn place(&mut self) -> Place {
        let module = self.random.below(3);
        match self.random.below(6) {
            0 => Place::Static(module),
            1 | 2 => Place::Cached(module),
            3 => Place::Eager(module),
            4 => Place::Lazy(module),
            _ if self.resources.is_empty() => Place::Cached(module),
            _ => {
                let number = self.number();
                Place::Resource(number, Some(self.resources[number]))
            }
        }
    }

    /// Mostly one of the last resources.
    fn number(&mut self) -> usize {
        let last = self.resources.len() - 1;
        last - self.random.below(last.min(3) + 1)
    }

    fn op(&mut self, who: usize) -> Op {
        let depth = self.oracle.threads.iter().find(|thread| thread.who == who);
        let depth = depth.map_or(0, |thread| thread.levels.len());
        if self.oracle.life == Life::Stopped && self.random.one_in(4) {
            return Op::Start(STARTS[self.random.below(STARTS.len())]);
        }
        let module = self.random.below(3);
        let shared = |op: usize, random: &mut Random| match op {
            0..=2 => Op::Register(module),
            3..=5 => Op::Retire(module),
            6 => Op::AddResource(random.below(3)),
            7 => Op::Quiesce,
            8 => Op::Start(STARTS[random.below(STARTS.len())]),
            _ => Op::Shutdown,
        };
        if self.random.one_in(12) && !self.resources.is_empty() {
            let number = self.number();
            return Op::Release(number, self.resources[number]);
        }
        if who == DRIVER || self.random.one_in(4) {
            let ops = if self.random.one_in(3) { 10 } else { 8 };
            let op = self.random.below(ops);
            return shared(op, &mut self.random);
        }
        let op = self.random.below(18);
        match op {
            0..=2 if depth < 3 => Op::Enter { is_request: self.random.one_in(3) },
            3 | 4 if depth > 0 => Op::Leave,
            5 => Op::Detach,
            6 if depth > 0 && self.random.one_in(2) => Op::Unwind,
            7 if self.random.one_in(3) => Op::Exit,
            8 if depth > 0 => Op::TakeInterrupt,
            9 if depth > 0 => match self.place() {
                Place::Eager(module) | Place::Lazy(module) => Op::ForEach(Place::Static(module)),
                place => Op::ForEach(place),
            },
            _ => {
                let place = self.place();
                let write = self.random.one_in(2).then(|| 1 + self.random.below(999) as u64);
                Op::Touch(place, write)
            }
        }
    }

    fn step(&mut self, who: usize, op: Op) -> Answer {
        let fail = self.random.one_in(6).then(|| match op {
            Op::Touch(Place::Cached(module), _) => Fail::Thread(module),
            Op::Touch(Place::Resource(..), _) => Fail::Constructor,
            Op::Register(module) => Fail::Module(module),
            Op::Start(_) => Fail::Module(self.random.below(3)),
            _ => Fail::Thread(self.random.below(3)),
        });
        // Mostly the present runtime.
        let last = self.handles.len() - 1;
        let at = if self.random.one_in(8) { self.random.below(last + 1) } else { last };
        let (tsrm, handle) = self.handles[at];
        self.step_with(who, op, fail, tsrm, handle)
    }

    fn step_with(
        &mut self,
        who: usize,
        op: Op,
        fail: Option<Fail>,
        tsrm: Runtime,
        handle: u32,
    ) -> Answer {
        self.steps.push(format!("{who}: {op:?} of runtime {handle}, failing {fail:?}"));
        let (answer, made) = if who == DRIVER {
            FAIL.set(fail);
            let mut made = None;
            let answer = anywhere(op, tsrm, &mut made);
            (answer, made)
        } else {
            self.workers[who].commands.send(Command { op, tsrm, fail }).unwrap();
            if matches!(op, Op::Exit) {
                let new = self.spawn(who);
                let old = std::mem::replace(&mut self.workers[who], new);
                self.oracle.name.clone_from(&old.name);
                old.thread.join().unwrap();
                (Answer::Gone, None)
            } else {
                self.workers[who].answers.recv().expect("the worker has ended")
            }
        };
        match made {
            Some(Made::Resource(resource)) => self.resources.push(resource),
            Some(Made::Runtime(tsrm)) => {
                self.handles.push((tsrm, self.oracle.generation + 1));
            }
            None => {}
        }
        self.oracle.who = who;
        self.oracle.fail = fail;
        if who != DRIVER {
            self.oracle.name.clone_from(&self.workers[who].name);
        }
        let expected = self.oracle.predict(op, handle, made);
        assert_eq!(answer, expected, "the answer");
        self.compare();
        answer
    }

    fn compare(&mut self) {
        let happened = normal(std::mem::take(&mut *LOG.lock().unwrap()));
        let predicted = normal(std::mem::take(&mut self.oracle.log));
        assert_eq!(happened, predicted, "what happened, and what should have");
        let Some((tsrm, generation)) = self.handles.last() else { return };
        let threads: Vec<_> =
            tsrm.threads().iter().map(|t| (t.name().unwrap().to_owned(), t.depth())).collect();
        let expected = self.oracle.stragglers(|thread| thread.generation == *generation);
        assert_eq!(Answer::Stragglers(threads), expected, "the threads");
        let report = tsrm.report();
        let states: Vec<_> = NAMES
            .iter()
            .map(|name| {
                let mut modules = report.modules.iter().filter(|module| module.name == *name);
                let module = modules.next().unwrap();
                assert!(modules.next().is_none());
                (module.started, module.retiring)
            })
            .collect();
        let expected: Vec<_> = [A, B, C]
            .iter()
            .map(|module| {
                let is_it = |r: &&Registration| {
                    r.module == *module && r.generation == *generation && r.state != State::Down
                };
                let state = self.oracle.list.iter().find(is_it).map(|r| r.state);
                (state == Some(State::Up), state.is_some_and(|state| state > State::Up))
            })
            .collect();
        assert_eq!(states, expected, "(started, retiring) of the modules");
        let values: usize = report.resources.iter().map(|resource| resource.values).sum();
        let is_resource = |(owner, _): &&(Owner, u64)| match owner {
            Owner::Resource(number, _) => self.oracle.resources[*number].1,
            Owner::Cached(..) => false,
        };
        let threads = self.oracle.threads.iter();
        let expected: usize =
            threads.map(|thread| thread.values.iter().filter(is_resource).count()).sum();
        assert_eq!(values, expected, "the values of resources");
    }

    fn whole(&mut self, steps: usize) {
        FAIL.set(None);
        let tsrm = Runtime::start([model_a::MODULE]).unwrap();
        self.handles.push((tsrm, 1));
        self.oracle.who = DRIVER;
        let started = self.oracle.start(&[A]);
        assert_eq!(started, Ok(Answer::Done));
        self.compare();
        for _ in 0..steps {
            let who = self.random.below(WORKERS + 1);
            let who = if who == WORKERS { DRIVER } else { who };
            let op = self.op(who);
            let answer = self.step(who, op);
            // What was refused is often tried again.
            let is_again =
                matches!((op, answer), (Op::Touch(..) | Op::Enter { .. }, Answer::Refused(_)));
            if is_again && self.random.one_in(2) {
                self.step(who, op);
            }
        }
        // Everybody goes; nothing is left but what had to leak.
        for who in 0..WORKERS {
            self.step(who, Op::Exit);
        }
        assert_eq!(self.oracle.threads.len(), 0);
        if self.oracle.life == Life::Running {
            let (tsrm, handle) = *self.handles.last().unwrap();
            self.step_with(DRIVER, Op::Shutdown, None, tsrm, handle);
        }
        assert_eq!(self.oracle.list.len(), 0);
    }
}

/// A thread drops the statics of modules that it has not begun with in no particular order.
fn normal(mut log: Vec<(usize, Event)>) -> Vec<(usize, Event)> {
    let is_static = |event: &(usize, Event)| matches!(event.1, Event::Dropped(Kind::Static(_), _));
    for run in log.chunk_by_mut(|one, two| is_static(one) && is_static(two)) {
        run.sort_unstable();
    }
    log
}

#[tsrm::test(model_a)]
fn against_an_oracle(tsrm: Runtime) {
    let _none = NoRuntime::now(tsrm);
    WHO.set(Some(DRIVER));
    LOG.lock().unwrap().clear();
    for seed in seeds(1200) {
        let mut run = Run::new(seed);
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run.whole(60))) {
            LOG.clear_poison();
            LOG.lock().unwrap().clear();
            println!("seed {seed} (TSRM_MODEL_SEEDS=1 TSRM_MODEL_FIRST={seed}):");
            run.steps.iter().for_each(|step| println!("  {step}"));
            resume_unwind(payload);
        }
        for worker in run.workers {
            drop(worker.commands);
            worker.thread.join().unwrap();
        }
    }
}
