//! What becomes of a thread: how it attaches and begins with modules, enters and leaves requests, does at
//! depth 0 what it is called for, and lets go.

use tsrm::{AttachError, RequestError};

use super::{Begun, Life, Oracle, Outcome, Owner, Registration, State, Thread, hook_refused};
use crate::lifecycle_model::subject::{A, Answer, B, C, Event, Fail, Kind, refused};

impl Oracle {
    fn modules_are_up(&self, generation: u32) -> bool {
        matches!(self.life, Life::Running | Life::ShuttingDown) && self.generation == generation
    }

    /// Whether hooks of that registration run on a thread.
    fn runs_hooks(&self, generation: u32, key: usize) -> bool {
        self.modules_are_up(generation) && self.state(key) <= State::Retiring
    }

    /// A thread that was called does its part, at depth 0.
    fn visit(&mut self, index: usize) {
        if !self.threads[index].called {
            return;
        }
        let thread = &mut self.threads[index];
        (thread.called, thread.may_begin) = (false, true);
        let (seen, generation) = (thread.seen, thread.generation);
        let begun: Vec<_> = thread.begun.iter().map(|b| (b.key, b.module, b.has_failed)).collect();
        let going: Vec<_> = begun
            .into_iter()
            .filter(|(key, _, has_failed)| *has_failed || self.state(*key) > State::Up)
            .collect();
        for (key, module, has_failed) in going.iter().rev() {
            if !has_failed && self.runs_hooks(generation, *key) {
                self.note(Event::ThreadDown(*module, self.threads[index].statics[*module]));
            }
        }
        let (mut stays, mut goes) = (Vec::new(), Vec::new());
        for (owner, value) in std::mem::take(&mut self.threads[index].values) {
            let is_over = match owner {
                Owner::Cached(key, _) => going.iter().any(|(gone, ..)| *gone == key),
                Owner::Resource(number, _) => !self.resources[number].1,
            };
            if is_over { &mut goes } else { &mut stays }.push((owner, value));
        }
        self.threads[index].values = stays;
        for (owner, value) in goes.into_iter().rev() {
            self.note(Event::Dropped(owner.kind(), value));
        }
        // The statics of modules that came or went, but not of those that it has begun with.
        let has_changed = |r: &&Registration| r.up > seen || r.retired > seen;
        let changed = self.list.iter().filter(has_changed).map(|r| r.module);
        let changed: Vec<_> = changed.chain(going.iter().map(|(_, module, _)| *module)).collect();
        let begun = self.threads[index].begun.iter();
        let stays = begun.filter(|begun| !going.iter().any(|(key, ..)| *key == begun.key));
        let stays: Vec<_> = stays.map(|begun| begun.module).collect();
        for module in [A, B, C] {
            if changed.contains(&module) && !stays.contains(&module) {
                let value = std::mem::take(&mut self.threads[index].statics[module]);
                self.note(Event::Dropped(Kind::Static(module), value));
            }
        }
        let upto = self.changes;
        let thread = &mut self.threads[index];
        thread.begun.retain(|begun| !going.iter().any(|(key, ..)| *key == begun.key));
        (thread.seen, thread.quiet) = (upto, upto);
    }

    /// A thread lets go of everything.
    pub(super) fn leave(&mut self, index: usize) {
        let generation = self.threads[index].generation;
        let begun: Vec<_> = self.threads[index]
            .begun
            .iter()
            .filter(|begun| !begun.has_failed)
            .map(|begun| (begun.key, begun.module))
            .collect();
        for (key, module) in begun.into_iter().rev() {
            if self.runs_hooks(generation, key) {
                self.note(Event::ThreadDown(module, self.threads[index].statics[module]));
            }
        }
        let thread = self.threads.remove(index);
        for (owner, value) in thread.values.into_iter().rev() {
            self.note(Event::Dropped(owner.kind(), value));
        }
        for (module, value) in thread.statics.into_iter().enumerate() {
            self.note(Event::Dropped(Kind::Static(module), value));
        }
        self.settle();
    }

    pub(super) fn attach(&mut self, handle: u32) -> Outcome<()> {
        if let Some(index) = self.me() {
            let generation = self.threads[index].generation;
            if !self.threads[index].levels.is_empty() {
                if handle != generation {
                    return Err(refused(AttachError::Stale));
                }
                self.threads[index].levels.push(false);
                return Ok(());
            }
            if self.is_running(generation) {
                // Also if it is refused then.
                self.answer_calls(index);
                if handle != generation {
                    return Err(refused(AttachError::Stale));
                }
                return self.arrive(index);
            }
            self.leave(index);
        }
        if !self.is_running(handle) {
            return Err(refused(AttachError::Stale));
        }
        if tsrm::SINGLE_THREADED
            && let Some(holder) = self.threads.first()
        {
            return Err(Answer::Refused(format!("held by {}", holder.name)));
        }
        self.threads.push(Thread {
            who: self.who,
            name: self.name.clone(),
            generation: handle,
            levels: Vec::new(),
            called: false,
            may_begin: true,
            seen: self.changes,
            quiet: self.changes,
            begun: Vec::new(),
            values: Vec::new(),
            statics: [0; 3],
            reason: None,
        });
        let index = self.threads.len() - 1;
        let arrived = self.arrive(index);
        if arrived.is_err() {
            self.leave(index);
        }
        arrived
    }

    fn arrive(&mut self, index: usize) -> Outcome<()> {
        self.answer_calls(index);
        self.threads[index].levels.push(false);
        if self.threads[index].may_begin {
            let generation = self.threads[index].generation;
            while let Some(key) = self.next_module(index, generation) {
                if let Err(refused) = self.begin(index, key) {
                    self.leave_level();
                    return Err(refused);
                }
            }
            self.threads[index].may_begin = false;
        }
        Ok(())
    }

    fn next_module(&self, index: usize, generation: u32) -> Option<usize> {
        let thread = &self.threads[index];
        let mut up =
            self.list.iter().filter(|r| r.generation == generation && r.state == State::Up);
        up.find(|r| !thread.holds(r.key)).map(|r| r.key)
    }

    /// A thread begins with a module, unless it has.
    pub(super) fn begin(&mut self, index: usize, key: usize) -> Outcome<()> {
        let found = self.threads[index].begun.iter().position(|begun| begun.key == key);
        let registration = self.registration(key).unwrap();
        let (module, requires) = (registration.module, registration.requires);
        let at = match found {
            Some(at) if !self.threads[index].begun[at].has_failed => return Ok(()),
            Some(at) => at,
            None => {
                if let Some(required) = requires {
                    self.begin(index, required)?;
                }
                let begun = Begun { key, module, has_failed: false, in_request: false };
                self.threads[index].begun.push(begun);
                self.threads[index].begun.len() - 1
            }
        };
        if module == C {
            self.cached(index, key, module);
        }
        let fails = self.fails(Fail::Thread(module));
        self.threads[index].begun[at].has_failed = fails;
        if !fails {
            self.note(Event::ThreadUp(module));
            return Ok(());
        }
        self.note(Event::ThreadFails(module));
        self.threads[index].called = true;
        Err(hook_refused("Hook", module, "ThreadStartup"))
    }

    /// The innermost attach ends.
    pub(super) fn leave_level(&mut self) {
        let index = self.me().unwrap();
        if self.threads[index].levels.last() == Some(&true) {
            self.end_request(index);
        }
        let thread = &mut self.threads[index];
        thread.levels.pop();
        if !thread.levels.is_empty() {
            return;
        }
        let generation = thread.generation;
        if self.is_running(generation) {
            self.answer_calls(index);
        } else {
            self.leave(index);
        }
    }

    /// At depth 0: what the thread does may be what it is called for next.
    fn answer_calls(&mut self, index: usize) {
        while self.threads[index].called {
            self.visit(index);
            self.settle();
        }
    }

    fn end_request(&mut self, index: usize) {
        let generation = self.threads[index].generation;
        for at in (0..self.threads[index].begun.len()).rev() {
            let begun = &mut self.threads[index].begun[at];
            if std::mem::take(&mut begun.in_request) {
                let (key, module) = (begun.key, begun.module);
                if self.runs_hooks(generation, key) {
                    self.note(Event::RequestDown(module));
                }
            }
        }
        self.threads[index].reason = None;
    }

    pub(super) fn enter(&mut self, handle: u32, is_request: bool) -> Outcome<Answer> {
        self.attach(handle)?;
        if is_request {
            let index = self.me().unwrap();
            let thread = &self.threads[index];
            let refusal = if thread.in_request() {
                Some(refused(RequestError::Nested))
            } else if !self.is_running(thread.generation) {
                Some(refused(AttachError::ShuttingDown))
            } else {
                None
            };
            if let Some(refusal) = refusal {
                self.leave_level();
                return Err(refusal);
            }
            *self.threads[index].levels.last_mut().unwrap() = true;
            for at in 0..self.threads[index].begun.len() {
                let Begun { key, module, has_failed, .. } = self.threads[index].begun[at];
                // One whose thread_startup has failed has nothing to begin with.
                if !has_failed && self.state(key) == State::Up {
                    self.note(Event::RequestUp(module));
                    self.threads[index].begun[at].in_request = true;
                }
            }
        }
        Ok(Answer::Entered)
    }

    /// As `retire` and `release` do, of the calling thread.
    pub(super) fn come_by(&mut self) {
        if let Some(index) = self.me() {
            let thread = &self.threads[index];
            if thread.levels.is_empty() && self.is_running(thread.generation) {
                self.visit(index);
            }
        }
    }

    pub(super) fn detach(&mut self, handle: u32) -> Outcome<Answer> {
        use tsrm::DetachError::{Attached, Stale};
        let depth = self.my_depth();
        match self.me() {
            None => {}
            Some(index) if self.threads[index].generation > handle => return Err(refused(Stale)),
            Some(_) if depth > 0 => return Err(refused(Attached { depth })),
            Some(index) => self.leave(index),
        }
        Ok(Answer::Done)
    }
}
