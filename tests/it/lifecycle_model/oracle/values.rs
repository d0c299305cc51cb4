//! What a thread finds: values of its own, shared ones and those of resources, which are built at their first
//! use, looked at, and released.

use tsrm::ResourceError;

use super::{Oracle, Outcome, Owner, Registration, State, Thread};
use crate::lifecycle_model::subject::{Answer, Event, Fail, Kind, M, NAMES, Place, refused};

impl Oracle {
    /// The registration whose shared values a thread finds: the present one, or one that is being retired if
    /// the thread is in the attach that it was in then.
    fn serving(&mut self, index: usize, module: M) -> Option<&mut Registration> {
        let (quiet, generation) = (self.threads[index].quiet, self.generation);
        self.list.iter_mut().find(|r| {
            let is_open = match r.state {
                State::Up => true,
                State::Retiring => quiet < r.retired,
                _ => false,
            };
            r.module == module && r.generation == generation && is_open
        })
    }

    /// A thread's cached value, which is built if it is not there.
    pub(super) fn cached(&mut self, index: usize, key: usize, module: M) -> &mut u64 {
        let owner = Owner::Cached(key, module);
        if !self.threads[index].values.iter().any(|(other, _)| *other == owner) {
            self.note(Event::Built(Kind::Cached(module)));
            self.threads[index].values.push((owner, 0));
        }
        self.value(index, owner)
    }

    fn value(&mut self, index: usize, owner: Owner) -> &mut u64 {
        let values = &mut self.threads[index].values;
        &mut values.iter_mut().find(|(other, _)| *other == owner).unwrap().1
    }

    fn not_there(&self, module: M, generation: u32) -> Answer {
        let was_retired = self.retired_in[module] == generation;
        refused((if was_retired { "retired" } else { "not started" }, NAMES[module]))
    }

    /// The value that the thread finds.
    fn find(&mut self, index: usize, place: Place) -> Outcome<&mut u64> {
        match place {
            Place::Static(module) => Ok(&mut self.threads[index].statics[module]),
            Place::Cached(module) => {
                let thread = &self.threads[index];
                let generation = thread.generation;
                let mut begun = thread.begun.iter().rev();
                let key = match begun.find(|begun| begun.module == module && !begun.has_failed) {
                    Some(begun) => begun.key,
                    None => {
                        let quiet = thread.quiet;
                        let is_up = |r: &&Registration| {
                            let is_open = r.state == State::Up
                                || (r.state == State::Retiring && quiet < r.retired);
                            r.module == module && r.generation == generation && is_open
                        };
                        let Some(up) = self.list.iter().find(is_up) else {
                            return Err(self.not_there(module, generation));
                        };
                        let key = up.key;
                        self.begin(index, key)?;
                        key
                    }
                };
                Ok(self.cached(index, key, module))
            }
            Place::Eager(module) => {
                let missing = self.not_there(module, self.generation);
                self.serving(index, module).map(|r| &mut r.eager).ok_or(missing)
            }
            Place::Lazy(module) => {
                let missing = self.not_there(module, self.generation);
                let Some(serving) = self.serving(index, module) else { return Err(missing) };
                if serving.lazy.is_none() {
                    serving.lazy = Some(0);
                    self.note(Event::Built(Kind::Lazy(module)));
                }
                Ok(self.serving(index, module).unwrap().lazy.as_mut().unwrap())
            }
            Place::Resource(number, _) => {
                let (slot, is_there) = self.resources[number];
                let owner = Owner::Resource(number, slot);
                if !self.threads[index].values.iter().any(|(other, _)| *other == owner) {
                    if !is_there {
                        return Err(refused("released"));
                    }
                    if self.fails(Fail::Constructor) {
                        let error = "refused".into();
                        return Err(refused(ResourceError::Constructor {
                            resource: "canary",
                            error,
                        }));
                    }
                    self.note(Event::Built(Kind::Resource(slot)));
                    self.threads[index].values.push((owner, 0));
                }
                Ok(self.value(index, owner))
            }
        }
    }

    pub(super) fn touch(
        &mut self,
        index: usize,
        place: Place,
        write: Option<u64>,
    ) -> Outcome<Answer> {
        let value = self.find(index, place)?;
        let old = *value;
        if let Some(write) = write {
            *value = write;
        }
        Ok(Answer::Value(old))
    }

    pub(super) fn for_each(&self, place: Place) -> Answer {
        let mut values = Vec::new();
        // A module's values are found while it has a number.
        let key = |module: M| {
            let mut numbered = self.list.iter().filter(|r| r.state <= State::Retiring);
            numbered.rfind(|r| r.module == module).map(|r| r.key)
        };
        for thread in &self.threads {
            let owned = |wanted: Owner| {
                thread.values.iter().find(|(owner, _)| *owner == wanted).map(|(_, value)| *value)
            };
            let value = match place {
                Place::Static(module) => Some(thread.statics[module]),
                Place::Cached(module) => key(module).and_then(|k| owned(Owner::Cached(k, module))),
                Place::Resource(number, _) => {
                    owned(Owner::Resource(number, self.resources[number].0))
                }
                other => unreachable!("{other:?}"),
            };
            values.extend(value.map(|value| (thread.name.clone(), value)));
        }
        Answer::Values(values)
    }

    pub(super) fn release(&mut self, number: usize) -> Answer {
        let (slot, was_there) = self.resources[number];
        self.resources[number].1 = false;
        if was_there {
            let owner = Owner::Resource(number, slot);
            let has = |thread: &&mut Thread| thread.values.iter().any(|(other, _)| *other == owner);
            self.threads.iter_mut().filter(has).for_each(|thread| thread.called = true);
        }
        self.come_by();
        self.settle();
        Answer::Flag(was_there)
    }
}
