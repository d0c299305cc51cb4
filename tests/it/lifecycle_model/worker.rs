//! A worker: a thread that does the operations that it is sent, one by one, and answers each of them.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tsrm::{AttachError, Attached, QuiesceError, RequestError, Retired, Runtime, Straggler};

use super::Unwinds;
use super::subject::{
    Answer, CONSTRUCTORS, Canary, FAIL, Fail, Kind, MODULES, Made, Op, WHO, find, for_each,
    refused, touch,
};

pub(super) struct Command {
    pub(super) op: Op,
    pub(super) tsrm: Runtime,
    pub(super) fail: Option<Fail>,
}

fn attach_refused(error: AttachError) -> Answer {
    match error {
        AttachError::SingleThreaded { holder } => {
            Answer::Refused(format!("held by {}", holder.name.unwrap()))
        }
        other => refused(other),
    }
}

fn named(stragglers: &[Straggler]) -> Vec<(String, u32)> {
    stragglers.iter().map(|s| (s.thread.name.clone().unwrap(), s.depth)).collect()
}

/// What a thread does outside an attach, or in one that it does not look at.
pub(super) fn anywhere(op: Op, tsrm: Runtime, made: &mut Option<Made>) -> Answer {
    match op {
        Op::Register(module) => match tsrm.register(MODULES[module]) {
            Ok(()) => Answer::Done,
            Err(error) => refused(error),
        },
        Op::Retire(module) => match tsrm.retire(MODULES[module], Duration::ZERO) {
            Ok(Retired::Done) => Answer::Retired(true, Vec::new()),
            Ok(Retired::Down { threads }) => {
                assert!(!threads.is_empty());
                Answer::Retired(true, named(&threads))
            }
            Ok(Retired::Retiring { threads }) => Answer::Retired(false, named(&threads)),
            Err(error) => refused(error),
        },
        Op::AddResource(slot) => match tsrm.register_resource("canary", CONSTRUCTORS[slot]) {
            Ok(resource) => {
                *made = Some(Made::Resource(resource));
                Answer::Done
            }
            Err(error) => refused(error),
        },
        Op::Release(_, resource) => Answer::Flag(resource.release()),
        Op::Quiesce => match tsrm.quiesce(Duration::ZERO) {
            Ok(()) => Answer::Done,
            Err(QuiesceError::Busy { threads }) => Answer::Stragglers(named(&threads)),
            Err(error) => refused(error),
        },
        Op::Detach => match tsrm.detach() {
            Ok(()) => Answer::Done,
            Err(error) => refused(error),
        },
        Op::Shutdown => match tsrm.shutdown(Duration::ZERO) {
            Ok(report) => {
                assert!(report.unfinished.is_empty());
                Answer::Stragglers(named(&report.stragglers))
            }
            Err(error) => refused(error),
        },
        Op::Start(modules) => match Runtime::start(modules.iter().map(|m| MODULES[*m])) {
            Ok(tsrm) => {
                *made = Some(Made::Runtime(tsrm));
                Answer::Done
            }
            Err(error) => refused(error),
        },
        other => unreachable!("{other:?}"),
    }
}

/// A worker's side.
struct Side {
    inbox: Receiver<Command>,
    outbox: Sender<(Answer, Option<Made>)>,
}

enum End {
    Left,
    Exit,
}

impl Side {
    fn answer(&self, answer: Answer, made: Option<Made>) {
        let _ = self.outbox.send((answer, made));
    }

    fn next(&self) -> Option<Command> {
        let command = self.inbox.recv().ok()?;
        FAIL.set(command.fail);
        Some(command)
    }

    fn run(&self) {
        while let Some(Command { op, tsrm, .. }) = self.next() {
            let mut made = None;
            let answer = match op {
                Op::Exit => return,
                Op::Enter { is_request } => {
                    match catch_unwind(AssertUnwindSafe(|| self.enter(tsrm, is_request))) {
                        Ok(Ok(End::Exit)) => return,
                        Ok(Ok(End::Left)) => Answer::Left,
                        Ok(Err(refused)) => refused,
                        Err(payload) if payload.is::<Unwinds>() => Answer::Left,
                        Err(payload) => resume_unwind(payload),
                    }
                }
                Op::Touch(place, write) => tsrm
                    .try_attach(|here| find(place, here).map(|found| touch(found, write)))
                    .unwrap_or_else(|error| Err(attach_refused(error)))
                    .unwrap_or_else(|refused| refused),
                Op::Leave | Op::Unwind | Op::ForEach(_) | Op::TakeInterrupt => Answer::Gone,
                other => anywhere(other, tsrm, &mut made),
            };
            self.answer(answer, made);
        }
    }

    fn enter(&self, tsrm: Runtime, is_request: bool) -> Result<End, Answer> {
        let inside = |here: Attached<'_>| {
            self.answer(Answer::Entered, None);
            self.inside(here)
        };
        if is_request {
            tsrm.try_request(inside).map_err(|error| match error {
                RequestError::Attach(error) => attach_refused(error),
                other => refused(other),
            })
        } else {
            tsrm.try_attach(inside).map_err(attach_refused)
        }
    }

    fn inside(&self, here: Attached<'_>) -> End {
        // All that was ever seen in this attach has to stay.
        let mut held = Vec::new();
        while let Some(Command { op, tsrm, .. }) = self.next() {
            let mut made = None;
            let answer = match op {
                Op::Exit => return End::Exit,
                Op::Leave => {
                    held.iter().for_each(|(canary, kind): &(&Canary, Kind)| canary.check(*kind));
                    return End::Left;
                }
                Op::Unwind => resume_unwind(Box::new(Unwinds)),
                Op::Enter { is_request } => match self.enter(tsrm, is_request) {
                    Ok(End::Exit) => return End::Exit,
                    Ok(End::Left) => Answer::Left,
                    Err(refused) => refused,
                },
                Op::Touch(place, write) => match find(place, here) {
                    Ok(found) => {
                        held.push((found, found.kind));
                        touch(found, write)
                    }
                    Err(refused) => refused,
                },
                Op::ForEach(place) => for_each(place, here),
                Op::TakeInterrupt => Answer::Reason(here.take_interrupt()),
                other => anywhere(other, tsrm, &mut made),
            };
            held.iter().for_each(|(canary, kind)| canary.check(*kind));
            self.answer(answer, made);
        }
        End::Exit
    }
}

pub(super) struct Worker {
    pub(super) commands: Sender<Command>,
    pub(super) answers: Receiver<(Answer, Option<Made>)>,
    pub(super) thread: JoinHandle<()>,
    pub(super) name: String,
}

pub(super) fn worker(who: usize, name: String) -> Worker {
    let (commands, inbox) = channel();
    let (outbox, answers) = channel();
    let builder = std::thread::Builder::new().name(name.clone());
    let thread = builder.spawn(move || {
        WHO.set(Some(who));
        Side { inbox, outbox }.run();
    });
    Worker { commands, answers, thread: thread.unwrap(), name }
}
