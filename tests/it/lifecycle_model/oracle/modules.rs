//! What becomes of modules, and of the runtime that they are in: how they come up, retire when all threads are
//! quiet, and stop.

use tsrm::{Interrupt, QuiesceError, RegisterError, ShutdownError, StartError};

use super::{Life, Oracle, Outcome, Registration, State, Thread, hook_refused};
use crate::lifecycle_model::subject::{A, Answer, B, Event, Fail, Kind, M, NAMES, refused};

impl Oracle {
    fn change(&mut self) -> u64 {
        self.changes += 1;
        self.threads.iter_mut().for_each(|thread| thread.called = true);
        self.changes
    }

    fn look(&mut self) {
        for thread in self.threads.iter_mut().filter(|thread| thread.levels.is_empty()) {
            thread.quiet = self.changes;
        }
    }

    fn is_quiet_since(&self, change: u64) -> bool {
        self.threads.iter().all(|thread| thread.quiet >= change)
    }

    /// Moves retired modules on.
    pub(super) fn settle(&mut self) {
        loop {
            let next = self.list.iter().position(|r| match r.state {
                State::Up => false,
                State::Retiring => self.is_quiet_since(r.retired),
                State::Down => !self.threads.iter().any(|thread| thread.holds(r.key)),
            });
            let Some(index) = next else { return };
            match self.list[index].state {
                State::Retiring => self.stop(index, true),
                _ => drop(self.list.remove(index)),
            }
        }
    }

    /// `module_shutdown`, then the shared values in reverse.
    fn stop(&mut self, index: usize, is_out_of_use: bool) {
        let Registration { module, requires, eager, lazy, .. } = self.list[index];
        let seen = requires.map_or(eager, |key| self.registration(key).unwrap().eager);
        self.note(Event::ModuleDown(module, seen));
        if is_out_of_use {
            if let Some(lazy) = lazy {
                self.note(Event::Dropped(Kind::Lazy(module), lazy));
            }
            self.note(Event::Dropped(Kind::Eager(module), eager));
        }
        self.list[index].state = State::Down;
    }

    /// Brings a module up; it may be refused.
    pub(super) fn bring_up(&mut self, module: M, generation: u32) -> Outcome<()> {
        let present = |r: &&Registration| r.generation == generation && r.state != State::Down;
        let mut others = self.list.iter().filter(present);
        if let Some(other) = others.find(|other| other.module == module) {
            return Err(refused(if other.state == State::Up {
                RegisterError::AlreadyRegistered(NAMES[module])
            } else {
                RegisterError::Retiring(NAMES[module])
            }));
        }
        let is_a = |r: &&Registration| r.module == A && r.state == State::Up;
        let required = self.list.iter().filter(present).find(is_a).map(|r| (r.key, r.eager));
        if module == B && required.is_none() {
            let (module, requires) = (NAMES[B], NAMES[A]);
            return Err(refused(RegisterError::Missing { module, requires }));
        }
        let required = required.filter(|_| module == B);
        self.note(Event::Built(Kind::Eager(module)));
        let eager = required.map_or(0, |(_, eager)| eager);
        if self.fails(Fail::Module(module)) {
            self.note(Event::ModuleFails(module));
            self.note(Event::Dropped(Kind::Eager(module), eager));
            self.settle();
            return Err(hook_refused("Hook", module, "ModuleStartup"));
        }
        self.note(Event::ModuleUp(module));
        self.retired_in[module] = u32::MAX;
        let (key, up) = (self.next_key, self.change());
        self.next_key += 1;
        self.list.push(Registration {
            key,
            module,
            generation,
            state: State::Up,
            up,
            retired: 0,
            requires: required.map(|(key, _)| key),
            eager,
            lazy: None,
        });
        Ok(())
    }

    pub(super) fn retire(&mut self, handle: u32, module: M) -> Outcome<Answer> {
        use tsrm::RetireError::{NeededBy, NotRegistered, NotRunning};
        if !self.is_running(handle) {
            return Err(refused(NotRunning));
        }
        let is_it = |r: &&Registration| r.module == module && r.generation == handle;
        let Some(found) = self.list.iter().rfind(is_it) else {
            if self.retired_in[module] == handle {
                return Ok(Answer::Retired(true, Vec::new()));
            }
            return Err(refused(NotRegistered(NAMES[module])));
        };
        let key = found.key;
        if found.state == State::Up {
            let needs = |r: &&Registration| r.requires == Some(key) && r.state != State::Down;
            if let Some(other) = self.list.iter().find(needs) {
                let (module, by) = (NAMES[module], NAMES[other.module]);
                return Err(refused(NeededBy { module, by }));
            }
            let change = self.change();
            let found = self.list.iter_mut().find(|r| r.key == key).unwrap();
            (found.state, found.retired) = (State::Retiring, change);
            self.retired_in[module] = handle;
        }
        self.come_by();
        self.look();
        self.settle();
        let found = self.registration(key).map(|r| (r.state, r.retired));
        let (state, mark) = found.unwrap_or((State::Down, 0));
        let is_holder =
            |thread: &&Thread| thread.holds(key) || (state != State::Down && thread.quiet < mark);
        let holders = self.threads.iter().filter(is_holder);
        let holders = holders.map(|thread| (thread.name.clone(), thread.levels.len() as u32));
        Ok(Answer::Retired(state == State::Down, holders.collect()))
    }

    pub(super) fn quiesce(&mut self, handle: u32) -> Outcome<Answer> {
        let depth = self.my_depth();
        if depth > 0 {
            return Err(refused(QuiesceError::Attached { depth }));
        }
        if !self.is_running(handle) {
            return Err(refused(QuiesceError::NotRunning));
        }
        let change = self.change();
        self.look();
        if self.is_quiet_since(change) {
            return Ok(Answer::Done);
        }
        // Who waits does its own part meanwhile; a straggler leaves.
        self.come_by();
        if let Some(index) = self.me().filter(|me| !self.is_running(self.threads[*me].generation)) {
            self.leave(index);
        }
        if self.is_quiet_since(change) {
            return Ok(Answer::Done);
        }
        Ok(self.stragglers(|thread| thread.quiet < change))
    }

    pub(super) fn shutdown(&mut self, handle: u32) -> Outcome<Answer> {
        let depth = self.my_depth();
        if depth > 0 {
            let caller = tsrm::DetachError::Attached { depth };
            return Err(refused(ShutdownError::Caller(caller)));
        }
        if !self.is_running(handle) {
            return Err(refused(ShutdownError::NotRunning));
        }
        self.life = Life::ShuttingDown;
        for thread in self.threads.iter_mut().filter(|thread| thread.in_request()) {
            thread.reason.get_or_insert(Interrupt::SHUTDOWN);
        }
        self.detach(handle)?;
        let stragglers = self.stragglers(|thread| thread.generation == handle);
        self.stop_all(handle);
        Ok(stragglers)
    }

    fn stop_all(&mut self, generation: u32) {
        self.life = Life::Stopping;
        let change = self.change();
        let is_present = |r: &Registration| r.generation == generation && r.state != State::Down;
        self.resources.iter_mut().for_each(|resource| resource.1 = false);
        self.look();
        let is_out_of_use = self.is_quiet_since(change);
        while let Some(index) = self.list.iter().rposition(is_present) {
            self.stop(index, is_out_of_use);
        }
        self.settle();
        self.life = Life::Stopped;
    }

    pub(crate) fn start(&mut self, modules: &[M]) -> Outcome<Answer> {
        if modules.contains(&B) && !modules.contains(&A) {
            let (module, requires) = (NAMES[B], NAMES[A]);
            return Err(refused(StartError::Missing { module, requires }));
        }
        if self.life != Life::Stopped {
            return Err(refused(StartError::AlreadyStarted));
        }
        self.generation += 1;
        let generation = self.generation;
        let mut order = modules.to_vec();
        if let Some(before) = modules.iter().position(|module| *module == B) {
            // A is brought up in front of B if it is listed behind it.
            let at = modules.iter().position(|module| *module == A).unwrap();
            if at > before {
                order.remove(at);
                order.insert(before, A);
            }
        }
        for module in order {
            if let Err(refusal) = self.bring_up(module, generation) {
                self.stop_all(generation);
                return Err(refusal);
            }
        }
        self.life = Life::Running;
        Ok(Answer::Done)
    }
}
