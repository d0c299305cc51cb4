//! The oracle: what it believes of the runtime, its modules and its threads; and which of its predictions an
//! operation asks for.

mod modules;
mod threads;
mod values;

use tsrm::{Interrupt, RegisterError};

use super::subject::{Answer, Event, Fail, Kind, M, Made, NAMES, Op, refused};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Up,
    Retiring,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Stopped,
    Running,
    ShuttingDown,
    Stopping,
}

/// One registration of a module.
#[derive(Debug)]
pub(super) struct Registration {
    key: usize,
    pub(super) module: M,
    pub(super) generation: u32,
    pub(super) state: State,
    up: u64,
    retired: u64,
    requires: Option<usize>,
    eager: u64,
    lazy: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Cached(usize, M),
    Resource(usize, usize),
}

impl Owner {
    fn kind(self) -> Kind {
        match self {
            Self::Cached(_, module) => Kind::Cached(module),
            Self::Resource(_, slot) => Kind::Resource(slot),
        }
    }
}

#[derive(Debug)]
struct Begun {
    key: usize,
    module: M,
    has_failed: bool,
    in_request: bool,
}

#[derive(Debug)]
pub(super) struct Thread {
    pub(super) who: usize,
    name: String,
    pub(super) generation: u32,
    /// One per attach: whether it is a request.
    pub(super) levels: Vec<bool>,
    called: bool,
    may_begin: bool,
    seen: u64,
    quiet: u64,
    begun: Vec<Begun>,
    /// In the order in which they were built.
    pub(super) values: Vec<(Owner, u64)>,
    statics: [u64; 3],
    reason: Option<Interrupt>,
}

impl Thread {
    fn holds(&self, key: usize) -> bool {
        self.begun.iter().any(|begun| begun.key == key)
    }

    fn in_request(&self) -> bool {
        self.levels.contains(&true)
    }
}

pub(super) struct Oracle {
    /// Of the present or last runtime.
    pub(super) generation: u32,
    pub(super) life: Life,
    changes: u64,
    next_key: usize,
    /// Registrations that are not forgotten, in order.
    pub(super) list: Vec<Registration>,
    /// Registered threads, in order.
    pub(super) threads: Vec<Thread>,
    /// Slot and whether it is there, by number.
    pub(super) resources: Vec<(usize, bool)>,
    retired_in: [u32; 3],
    pub(super) log: Vec<(usize, Event)>,
    pub(super) fail: Option<Fail>,
    /// Who does the step.
    pub(super) who: usize,
    pub(super) name: String,
}

type Outcome<T> = Result<T, Answer>;

impl Oracle {
    pub(super) fn new() -> Self {
        Self {
            generation: 0,
            life: Life::Stopped,
            changes: 0,
            next_key: 0,
            list: Vec::new(),
            threads: Vec::new(),
            resources: Vec::new(),
            retired_in: [u32::MAX; 3],
            log: Vec::new(),
            fail: None,
            who: 0,
            name: String::new(),
        }
    }

    fn note(&mut self, event: Event) {
        self.log.push((self.who, event));
    }

    fn fails(&mut self, what: Fail) -> bool {
        let fails = self.fail == Some(what);
        if fails {
            self.fail = None;
        }
        fails
    }

    /// The calling thread, if it is registered.
    fn me(&self) -> Option<usize> {
        self.threads.iter().position(|thread| thread.who == self.who)
    }

    fn is_running(&self, generation: u32) -> bool {
        self.life == Life::Running && self.generation == generation
    }

    fn registration(&self, key: usize) -> Option<&Registration> {
        self.list.iter().find(|registration| registration.key == key)
    }

    fn state(&self, key: usize) -> State {
        self.registration(key).map_or(State::Down, |registration| registration.state)
    }

    fn my_depth(&self) -> u32 {
        self.me().map_or(0, |index| self.threads[index].levels.len() as u32)
    }

    pub(super) fn stragglers(&self, which: impl Fn(&Thread) -> bool) -> Answer {
        let threads = self.threads.iter().filter(|thread| which(thread));
        Answer::Stragglers(threads.map(|t| (t.name.clone(), t.levels.len() as u32)).collect())
    }

    /// What the step answers.
    pub(super) fn predict(&mut self, op: Op, handle: u32, made: Option<Made>) -> Answer {
        self.try_predict(op, handle, made).unwrap_or_else(|refused| refused)
    }

    fn try_predict(&mut self, op: Op, handle: u32, made: Option<Made>) -> Outcome<Answer> {
        match op {
            Op::Enter { is_request } => self.enter(handle, is_request),
            Op::Leave => {
                self.leave_level();
                Ok(Answer::Left)
            }
            Op::Unwind | Op::Exit => {
                while self.my_depth() > 0 {
                    self.leave_level();
                }
                if let (Op::Exit, Some(index)) = (op, self.me()) {
                    self.leave(index);
                }
                Ok(if matches!(op, Op::Exit) { Answer::Gone } else { Answer::Left })
            }
            Op::Touch(place, write) => {
                let is_outside = self.my_depth() == 0;
                if is_outside {
                    self.attach(handle)?;
                }
                let answer = self.touch(self.me().unwrap(), place, write);
                if is_outside {
                    self.leave_level();
                }
                answer
            }
            Op::ForEach(place) => Ok(self.for_each(place)),
            Op::TakeInterrupt => {
                let index = self.me().unwrap();
                Ok(Answer::Reason(self.threads[index].reason.take()))
            }
            Op::Register(module) => {
                if !self.is_running(handle) {
                    return Err(refused(RegisterError::NotRunning));
                }
                self.bring_up(module, handle).map(|()| Answer::Done)
            }
            Op::Retire(module) => self.retire(handle, module),
            Op::AddResource(slot) => {
                if !self.is_running(handle) {
                    return Err(refused(RegisterError::NotRunning));
                }
                assert!(made.is_some());
                self.resources.push((slot, true));
                Ok(Answer::Done)
            }
            Op::Release(number, _) => Ok(self.release(number)),
            Op::Quiesce => self.quiesce(handle),
            Op::Detach => self.detach(handle),
            Op::Shutdown => self.shutdown(handle),
            Op::Start(modules) => self.start(modules),
        }
    }
}

fn hook_refused(variant: &str, module: M, hook: &str) -> Answer {
    Answer::Refused(format!(
        "{variant}(HookError {{ module: {:?}, hook: {hook}, cause: Returned(\"refused\") }})",
        NAMES[module]
    ))
}
