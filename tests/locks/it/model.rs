//! Random operations of one thread against a naive oracle of the table: how many there are in each mode.

use std::time::Duration;

use tsrm::sync::raw::{RwLock, lock_api};
use tsrm::sync::{
    Exclusive, ExclusiveGuard, Guard, Recursive, RecursiveSuxLock, SharedGuard, SuxLock, Token,
    Update, UpdateGuard,
};
use tsrm::{Attached, Runtime};
use tsrm_locks::{Random, seeds};

use crate::table::{EXCLUSIVE, Entries, FREE, SHARED, UPDATE, entries, entries_raw};
use crate::together;

const STEPS: u64 = 200;

/// Who has the lock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Holds {
    shared: u32,
    update: u32,
    exclusive: u32,
}

impl Holds {
    fn entries(self) -> Entries {
        match self {
            Self { exclusive: 1, .. } => EXCLUSIVE,
            Self { update: 1, .. } => UPDATE,
            Self { shared: 0, .. } => FREE,
            _ => SHARED,
        }
    }
}

enum Held<'t, 'l> {
    Shared(SharedGuard<'t, &'l SuxLock<u32>>),
    Update(UpdateGuard<'t, &'l SuxLock<u32>>),
    Exclusive(ExclusiveGuard<'t, &'l SuxLock<u32>>),
}

/// Does something with one of the guards, which may become another one, or none.
fn change<'t, 'l>(
    held: Held<'t, 'l>,
    here: Attached<'t>,
    others: Holds,
    random: &mut Random,
) -> Option<Held<'t, 'l>> {
    let is_alone = others.shared == 0;
    match (held, random.below(5)) {
        (_, 0) => None,
        (Held::Shared(guard), 1 | 2) => Some(match guard.try_into_update() {
            Ok(guard) => {
                assert_eq!((others.update, others.exclusive), (0, 0));
                Held::Update(guard)
            }
            Err(guard) => {
                assert_eq!(others.update, 1);
                Held::Shared(guard)
            }
        }),
        (Held::Update(guard), 1) => Some(Held::Shared(guard.downgrade())),
        (Held::Update(guard), way) => {
            let upgraded = match way {
                2 => guard.try_upgrade(),
                3 => guard.upgrade_timeout(Duration::ZERO),
                _ if is_alone => Ok(guard.upgrade()),
                _ => Err(guard),
            };
            assert_eq!(upgraded.is_ok(), is_alone);
            Some(upgraded.map_or_else(Held::Update, Held::Exclusive))
        }
        (Held::Exclusive(guard), 1) => Some(Held::Shared(guard.downgrade())),
        (Held::Exclusive(guard), 2) => Some(Held::Update(guard.downgrade_to_update())),
        (Held::Exclusive(mut guard), 3) => {
            *guard += 1;
            Some(Held::Exclusive(guard))
        }
        // By a token.
        (Held::Shared(guard), _) => Some(Held::Shared(Guard::from_token(here, guard.into_token()))),
        (Held::Exclusive(guard), _) => {
            Some(Held::Exclusive(Guard::from_token(here, guard.into_token())))
        }
    }
}

fn count(held: &[Held<'_, '_>]) -> Holds {
    held.iter().fold(Holds::default(), |Holds { shared, update, exclusive }, held| match held {
        Held::Shared(_) => Holds { shared: shared + 1, update, exclusive },
        Held::Update(_) => Holds { shared, update: update + 1, exclusive },
        Held::Exclusive(_) => Holds { shared, update, exclusive: exclusive + 1 },
    })
}

#[tsrm::test(together)]
fn of_a_lock(tsrm: Runtime) {
    for seed in seeds(100) {
        let mut random = Random::new(seed);
        let lock = SuxLock::new(0);
        tsrm.attach(|here| {
            let mut held = Vec::new();
            for step in 0..STEPS {
                let entered = match random.below(6) {
                    0 => lock.try_shared(here).map(Held::Shared),
                    1 => lock.try_update(here).map(Held::Update),
                    2 => lock.try_exclusive(here).map(Held::Exclusive),
                    _ if held.is_empty() => None,
                    _ => {
                        let one = held.swap_remove(random.index(held.len()));
                        change(one, here, count(&held), &mut random)
                    }
                };
                held.extend(entered);
                let holds = count(&held);
                assert_eq!(
                    entries(&lock, here),
                    holds.entries(),
                    "seed {seed}, step {step}: {holds:?}"
                );
            }
            drop(held);
            assert_eq!(entries(&lock, here), FREE, "seed {seed}");
        });
    }
}

enum HeldRaw<'l> {
    Read(lock_api::RwLockReadGuard<'l, tsrm::sync::raw::RawSuxLock, u32>),
    Upgradable(lock_api::RwLockUpgradableReadGuard<'l, tsrm::sync::raw::RawSuxLock, u32>),
    Write(lock_api::RwLockWriteGuard<'l, tsrm::sync::raw::RawSuxLock, u32>),
}

fn change_raw<'l>(held: HeldRaw<'l>, others: Holds, random: &mut Random) -> Option<HeldRaw<'l>> {
    use lock_api::{
        RwLockReadGuard as Read, RwLockUpgradableReadGuard as Upgradable, RwLockWriteGuard as Write,
    };
    let is_alone = others.shared == 0;
    match (held, random.below(5)) {
        (_, 0) => None,
        (HeldRaw::Read(guard), 1 | 2) => {
            let lock = Read::rwlock(&guard);
            // SAFETY: what is done with it below goes with the guard.
            let raw = unsafe { lock.raw() };
            // SAFETY: `guard` is held shared.
            let is_upgradable = unsafe { raw.try_shared_to_upgradable() };
            assert_eq!(is_upgradable, others.update == 0);
            if !is_upgradable {
                return Some(HeldRaw::Read(guard));
            }
            std::mem::forget(guard);
            // SAFETY: what that guard stood for is held for update now.
            Some(HeldRaw::Upgradable(unsafe { lock.make_upgradable_guard_unchecked() }))
        }
        (HeldRaw::Upgradable(guard), 1) => Some(HeldRaw::Read(Upgradable::downgrade(guard))),
        (HeldRaw::Upgradable(guard), way) => {
            let upgraded = match way {
                2 => Upgradable::try_upgrade(guard),
                3 => Upgradable::try_upgrade_for(guard, Duration::ZERO),
                _ if is_alone => Ok(Upgradable::upgrade(guard)),
                _ => Err(guard),
            };
            assert_eq!(upgraded.is_ok(), is_alone);
            Some(upgraded.map_or_else(HeldRaw::Upgradable, HeldRaw::Write))
        }
        (HeldRaw::Write(guard), 1 | 2) => Some(HeldRaw::Read(Write::downgrade(guard))),
        (HeldRaw::Write(guard), 3) => {
            Some(HeldRaw::Upgradable(Write::downgrade_to_upgradable(guard)))
        }
        (same, _) => Some(same),
    }
}

#[tsrm::test(together)]
fn of_a_raw_lock(_tsrm: Runtime) {
    for seed in seeds(100) {
        let mut random = Random::new(seed);
        let lock = RwLock::new(0);
        let mut held = Vec::new();
        for step in 0..STEPS {
            let count = |held: &[HeldRaw<'_>]| {
                let of = |is: fn(&HeldRaw<'_>) -> bool| {
                    held.iter().filter(|held| is(held)).count() as u32
                };
                Holds {
                    shared: of(|held| matches!(held, HeldRaw::Read(_))),
                    update: of(|held| matches!(held, HeldRaw::Upgradable(_))),
                    exclusive: of(|held| matches!(held, HeldRaw::Write(_))),
                }
            };
            let entered = match random.below(6) {
                0 => lock.try_read().map(HeldRaw::Read),
                1 => lock.try_upgradable_read().map(HeldRaw::Upgradable),
                2 => lock.try_write().map(HeldRaw::Write),
                _ if held.is_empty() => None,
                _ => {
                    let one = held.swap_remove(random.index(held.len()));
                    change_raw(one, count(&held), &mut random)
                }
            };
            held.extend(entered);
            let holds = count(&held);
            assert_eq!(entries_raw(&lock), holds.entries(), "seed {seed}, step {step}: {holds:?}");
        }
        drop(held);
        assert_eq!(entries_raw(&lock), FREE, "seed {seed}");
    }
}

/// The owner's holds, or a token's, and the readers.
#[derive(Default)]
struct Books<'t, 'l> {
    shared: Vec<SharedGuard<'t, &'l RecursiveSuxLock<u32>>>,
    updates: Vec<Guard<'t, Recursive<Update>, &'l RecursiveSuxLock<u32>>>,
    exclusives: Vec<Guard<'t, Recursive<Exclusive>, &'l RecursiveSuxLock<u32>>>,
    update_token: Option<Token<Recursive<Update>, &'l RecursiveSuxLock<u32>>>,
    exclusive_token: Option<Token<Recursive<Exclusive>, &'l RecursiveSuxLock<u32>>>,
}

impl<'t, 'l> Books<'t, 'l> {
    fn entries(&self) -> Entries {
        let is_exclusive = !self.exclusives.is_empty();
        let is_owned = is_exclusive || !self.updates.is_empty();
        if self.exclusive_token.is_some() {
            EXCLUSIVE
        } else if self.update_token.is_some() {
            UPDATE
        } else if is_owned {
            [!is_exclusive, true, is_exclusive || self.shared.is_empty()]
        } else {
            [true, true, self.shared.is_empty()]
        }
    }

    fn step(&mut self, lock: &'l RecursiveSuxLock<u32>, here: Attached<'t>, random: &mut Random) {
        let is_only = self.updates.len() + self.exclusives.len() == 1;
        match random.below(10) {
            0 => self.shared.extend(lock.try_shared(here)),
            1 => self.updates.extend(lock.try_update(here)),
            2 => self.exclusives.extend(lock.try_exclusive(here)),
            3 => drop(self.shared.pop()),
            4 if !self.updates.is_empty() => {
                drop(self.updates.swap_remove(random.index(self.updates.len())));
            }
            5 if !self.exclusives.is_empty() => {
                drop(self.exclusives.swap_remove(random.index(self.exclusives.len())));
            }
            6 => match self.updates.pop().map(Guard::try_into_token) {
                None => {}
                Some(Ok(token)) => {
                    assert!(is_only);
                    self.update_token = Some(token);
                }
                Some(Err(guard)) => {
                    assert!(!is_only);
                    self.updates.push(guard);
                }
            },
            7 => match self.exclusives.pop().map(Guard::try_into_token) {
                None => {}
                Some(Ok(token)) => {
                    assert!(is_only);
                    self.exclusive_token = Some(token);
                }
                Some(Err(guard)) => {
                    assert!(!is_only);
                    self.exclusives.push(guard);
                }
            },
            8 => {
                let token = self.update_token.take();
                self.updates.extend(token.map(|token| Guard::from_token(here, token)));
            }
            _ => {
                let token = self.exclusive_token.take();
                self.exclusives.extend(token.map(|token| Guard::from_token(here, token)));
            }
        }
    }
}

#[tsrm::test(together)]
fn of_a_recursive_lock(tsrm: Runtime) {
    for seed in seeds(100) {
        let mut random = Random::new(seed);
        let lock = RecursiveSuxLock::new(0);
        tsrm.attach(|here| {
            let mut books = Books::default();
            for step in 0..STEPS {
                books.step(&lock, here, &mut random);
                let seen = crate::table::entries_recursive(&lock, here);
                assert_eq!(seen, books.entries(), "seed {seed}, step {step}");
            }
        });
    }
}
