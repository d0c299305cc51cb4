//! Resources that are registered at run time, typed and raw.

mod others;

use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use tsrm::{RawResource, Resource, ResourceError, ResourceId, Runtime};
use tsrm_tests::{Ledger, Tracked};

use super::shared::own::{LONG, Loud, Own, Worker, alone, log, logged, me};

alone!(a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12);

/// Where in the tables it is, and which use of that place.
fn parts(id: ResourceId) -> (u32, u32) {
    (id.to_bits() as u32, (id.to_bits() >> 32) as u32)
}

/// Which resource was refused.
fn released<T>(answer: Result<T, ResourceError>) -> ResourceId {
    match answer.map(|_| ()) {
        Err(ResourceError::Released(id)) => id,
        other => panic!("{other:?}"),
    }
}

#[tsrm::test(a1)]
fn one_value_for_each_thread_that_asks(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    // Neither `Send` nor `Sync`.
    let names = tsrm.register_resource("names", || {
        log(format!("names on {}", me()));
        Ok(Rc::new(RefCell::new(vec![me()])))
    });
    let names: Resource<Rc<RefCell<Vec<String>>>> = names.unwrap();
    let loud = tsrm.register_resource("loud", || Ok(Loud::new("loud"))).unwrap();
    assert_eq!(logged(), [""; 0]);
    for (number, worker) in (1..).zip(Worker::several(*tsrm, 4)) {
        worker.attach(|_| ());
        assert_eq!(logged(), [""; 0], "nobody has asked");
        worker.attach(move |here| {
            let mine = Rc::clone(names.get(here));
            mine.borrow_mut().push("more".into());
            assert!(Rc::ptr_eq(&mine, names.try_get(here).unwrap()));
        });
        worker.attach(move |here| {
            assert_eq!(*names.get(here).borrow(), [me(), "more".into()]);
            assert_eq!(loud.get(here).look(), "loud");
            assert_eq!(loud.id().get(here).unwrap().as_ptr().cast_const(), {
                std::ptr::from_ref(loud.get(here)).cast::<c_void>()
            });
        });
        assert_eq!(logged(), [&format!("names on worker {number}"), "build loud"]);
        worker.detach();
        assert_eq!(logged(), ["drop loud"]);
        worker.attach(move |here| assert_eq!(names.get(here).borrow().len(), 1, "afresh"));
        drop(worker);
        assert_eq!(logged(), [format!("names on worker {number}")]);
    }
    assert_eq!(format!("{loud:?} {}", loud.id()), {
        let (place, generation) = parts(loud.id());
        format!("Resource(ResourceId({place}.{generation})) resource {place}.{generation}")
    });
}

/// What the C functions of raw resources saw.
static RAW_SIZE: AtomicUsize = AtomicUsize::new(0);
static RAW_MADE: AtomicUsize = AtomicUsize::new(0);
static RAW_ENDED: AtomicUsize = AtomicUsize::new(0);
static RAW_DIRTY: AtomicUsize = AtomicUsize::new(0);

/// The bytes of a value.
///
/// # Safety
/// A value of a raw resource of this test, during this call.
unsafe fn bytes<'v>(value: *mut c_void) -> &'v mut [u8] {
    let size = RAW_SIZE.load(Ordering::SeqCst);
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(value.cast(), size) }
}

unsafe extern "C" fn make(value: *mut c_void) {
    RAW_MADE.fetch_add(1, Ordering::SeqCst);
    // SAFETY: called with one.
    let bytes = unsafe { bytes(value) };
    let dirty = bytes.iter().filter(|byte| **byte != 0).count();
    RAW_DIRTY.fetch_add(dirty, Ordering::SeqCst);
    bytes.fill(0x11);
}

unsafe extern "C" fn end(value: *mut c_void) {
    RAW_ENDED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: called with one.
    let bytes = unsafe { bytes(value) };
    let dirty = bytes.iter().filter(|byte| **byte != 0x11).count();
    RAW_DIRTY.fetch_add(dirty, Ordering::SeqCst);
    // The allocator will give it out again.
    bytes.fill(0xff);
}

#[tsrm::test(a2)]
fn raw_resources_of_all_layouts(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let layouts =
        [(0, 1), (0, 4096), (1, 1), (7, 1), (24, 8), (100, 64), (4096, 4096), (1 << 20, 16)];
    for (size, align) in layouts {
        let layout = Layout::from_size_align(size, align).unwrap();
        RAW_SIZE.store(size, Ordering::SeqCst);
        let before = [&RAW_MADE, &RAW_ENDED].map(|count| count.load(Ordering::SeqCst));
        for with in [[true, true], [false, false]] {
            let [constructor, destructor] = with;
            let raw = RawResource {
                name: "raw",
                layout,
                constructor: constructor.then_some(make),
                destructor: destructor.then_some(end),
            };
            // SAFETY: the functions make and end such values.
            let id = unsafe { tsrm.register_raw_resource(raw) }.unwrap();
            let expected = if constructor { 0x11 } else { 0 };
            for _ in 0..3 {
                tsrm.attach(|here| {
                    let value = id.get(here).unwrap();
                    assert_eq!(value, id.get(here).unwrap());
                    assert_eq!(value.addr().get() % align, 0, "{layout:?}");
                    // SAFETY: alive during the attach.
                    let bytes = unsafe { bytes(value.as_ptr()) };
                    assert!(bytes.iter().all(|byte| *byte == expected), "{layout:?}");
                    if !constructor {
                        bytes.fill(0xff);
                    }
                    let mut seen = 0;
                    id.for_each_thread(here, |_, other| {
                        assert_eq!(other, value);
                        seen += 1;
                    });
                    assert_eq!(seen, 1);
                });
                tsrm.detach().unwrap();
            }
            assert!(id.release());
        }
        let after = [&RAW_MADE, &RAW_ENDED].map(|count| count.load(Ordering::SeqCst));
        assert_eq!(after, before.map(|count| count + 3), "{layout:?}");
        assert_eq!(RAW_DIRTY.load(Ordering::SeqCst), 0, "{layout:?}");
    }
}

static FAIL: AtomicUsize = AtomicUsize::new(0);

#[tsrm::test(a3)]
fn constructors_that_fail_are_tried_again(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let moody = tsrm.register_resource("moody", || match FAIL.load(Ordering::SeqCst) {
        0 => Ok(Loud::new("moody")),
        1 => Err("no value today".into()),
        _ => panic!("no value ever"),
    });
    let moody = moody.unwrap();
    tsrm.attach(|here| {
        FAIL.store(1, Ordering::SeqCst);
        for _ in 0..2 {
            let error = moody.try_get(here).map(Loud::look).unwrap_err();
            assert!(matches!(error, ResourceError::Constructor { resource: "moody", .. }));
            assert_eq!(
                error.to_string(),
                "the constructor of resource `moody` failed: no value today"
            );
            let source = std::error::Error::source(&error).unwrap();
            assert_eq!(source.to_string(), "no value today");
        }
        let panic = catch_unwind(AssertUnwindSafe(|| moody.get(here).look())).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().ends_with("failed: no value today"));
        FAIL.store(2, Ordering::SeqCst);
        for _ in 0..2 {
            let panic = catch_unwind(AssertUnwindSafe(|| moody.try_get(here).map(Loud::look)));
            assert_eq!(*panic.unwrap_err().downcast_ref::<&str>().unwrap(), "no value ever");
        }
        moody.for_each_thread(here, |_, _| panic!("there is none"));
        FAIL.store(0, Ordering::SeqCst);
        assert_eq!(moody.get(here).look(), "moody");
    });
    tsrm.detach().unwrap();
    assert_eq!(logged(), ["build moody", "drop moody"]);
}

static ONE: Mutex<Option<Resource<u64>>> = Mutex::new(None);
static TWO: Mutex<Option<Resource<u64>>> = Mutex::new(None);

fn ask(other: &'static Mutex<Option<Resource<u64>>>) -> Result<u64, tsrm::Error> {
    let other = other.lock().unwrap().unwrap();
    let tsrm = Runtime::current().unwrap();
    Ok(tsrm.attach(|here| other.try_get(here).copied())? + 1)
}

#[tsrm::test(a4)]
fn a_constructor_that_asks_for_its_own_value(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let one = tsrm.register_resource("one", || ask(&ONE)).unwrap();
    let two = tsrm.register_resource("two", || ask(&TWO)).unwrap();
    let initialising = |error: ResourceError| match error {
        ResourceError::Constructor { resource, error } => {
            let inner = error.downcast::<ResourceError>().unwrap();
            (resource, inner.to_string())
        }
        other => panic!("{other}"),
    };
    *ONE.lock().unwrap() = Some(one);
    *TWO.lock().unwrap() = Some(one);
    tsrm.attach(|here| {
        for _ in 0..2 {
            let (resource, inner) = initialising(one.try_get(here).unwrap_err());
            assert_eq!(resource, "one");
            assert_eq!(inner, "resource `one` was asked for by its own constructor");
        }
        // By way of another one.
        *ONE.lock().unwrap() = Some(two);
        let (resource, inner) = initialising(one.try_get(here).unwrap_err());
        assert_eq!(resource, "one");
        assert!(inner.starts_with("the constructor of resource `two` failed"), "{inner}");
        // One that asks for another one that is there is fine.
        let base = tsrm.register_resource("base", || Ok(40)).unwrap();
        *ONE.lock().unwrap() = Some(base);
        assert_eq!((*two.get(here), *one.get(here)), (42, 41));
    });
    (*ONE.lock().unwrap(), *TWO.lock().unwrap()) = (None, None);
}

#[tsrm::test(a5)]
fn released_values_go_at_depth_0_of_their_own_thread(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    struct Named(Loud);
    impl Drop for Named {
        fn drop(&mut self) {
            log(format!("on {}", me()));
        }
    }
    let resource = tsrm.register_resource("named", || Ok(Named(Loud::new("named")))).unwrap();
    let workers = Worker::several(*tsrm, 3);
    for worker in &workers {
        worker.attach(move |here| resource.get(here).0.look());
    }
    let (go_on, told) = mpsc::channel::<()>();
    let (inside, is_inside) = mpsc::channel();
    let handle = *tsrm;
    let held = workers[0].begin(move || {
        handle.attach(|here| {
            let value = resource.get(here);
            inside.send(()).unwrap();
            told.recv().unwrap();
            // It stays, and is found, until the end of this attach.
            assert!(std::ptr::eq(resource.get(here), value));
            value.0.look()
        })
    });
    is_inside.recv().unwrap();
    logged();
    assert!(resource.release());
    assert!(!resource.release() && !resource.id().release(), "there is nothing to end any more");
    assert_eq!(logged(), [""; 0], "every thread drops its own");
    let young = (!tsrm::SINGLE_THREADED).then(|| Worker::new(*tsrm, "young"));
    if let Some(young) = &young {
        let id = young.attach(move |here| released(resource.try_get(here).map(|_| ())));
        assert_eq!(id, resource.id(), "nobody begins with it");
    }
    go_on.send(()).unwrap();
    assert_eq!(held.recv().unwrap(), "named");
    workers[0].run(|| ());
    assert_eq!(logged(), ["on worker 1", "drop named"]);
    for (number, worker) in (2..).zip(&workers[1..]) {
        let id = worker.attach(move |here| released(resource.try_get(here).map(|_| ())));
        assert_eq!(id, resource.id());
        assert_eq!(logged(), [&format!("on worker {number}"), "drop named"]);
    }
    let error = ResourceError::Released(resource.id()).to_string();
    assert!(error.contains(&resource.id().to_string()), "{error}");
    drop((workers, young));
    assert_eq!(logged(), [""; 0]);
    // The caller's own goes at once, if it is at depth 0.
    let resource = tsrm.register_resource("named", || Ok(Named(Loud::new("named")))).unwrap();
    tsrm.attach(|here| resource.get(here).0.look());
    logged();
    assert!(resource.release());
    assert_eq!(logged(), [&format!("on {}", me()), "drop named"]);
    tsrm.attach(|here| {
        let panic = catch_unwind(AssertUnwindSafe(|| resource.get(here).0.look())).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("was released"));
    });
}

#[tsrm::test(a6)]
fn places_are_used_again_and_ids_are_not(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let mut ids = Vec::new();
    let mut places = Vec::new();
    for _ in 0..1_000 {
        let resource = tsrm.register_resource("short", || Ok(Cell::new(1))).unwrap();
        tsrm.attach(|here| assert_eq!(resource.get(here).replace(2), 1, "nobody else's value"));
        assert_eq!(tsrm.report().resources.len(), 1);
        assert!(resource.release());
        assert_eq!(tsrm.report().resources.len(), 0);
        ids.push(resource.id());
        places.push(parts(resource.id()).0);
    }
    places.sort_unstable();
    places.dedup();
    assert!(places.len() <= 2, "{places:?}");
    let last = tsrm.register_resource("last", || Ok(7_u64)).unwrap();
    assert!(places.contains(&parts(last.id()).0));
    tsrm.attach(|here| {
        assert_eq!(*last.get(here), 7);
        for id in &ids {
            assert_eq!(released(id.get(here)), *id, "also one of the same place");
            id.for_each_thread(here, |_, _| panic!("it has no values"));
        }
    });
    assert!(ids.iter().all(|id| !id.release()));
    ids.sort_unstable_by_key(|id| id.to_bits());
    ids.dedup();
    assert_eq!(ids.len(), 1_000);
    // A place where a thread has something left is not given away.
    let worker = Worker::new(*tsrm, "worker");
    tsrm.detach().unwrap();
    worker.attach(move |here| *last.get(here));
    last.release();
    let other = tsrm.register_resource("other", || Ok(8_u64)).unwrap();
    assert_ne!(parts(other.id()).0, parts(last.id()).0);
    worker.attach(|_| ());
    let third = tsrm.register_resource("third", || Ok(9_u64)).unwrap();
    assert_eq!(parts(third.id()).0, parts(last.id()).0);
    worker.attach(move |here| {
        assert_eq!((*other.get(here), *third.get(here)), (8, 9));
        released(last.try_get(here));
    });
}

#[tsrm::test(a7)]
fn ids_as_numbers(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let resource = tsrm.register_resource("number", || Ok(5_u32)).unwrap();
    let bits = resource.id().to_bits();
    assert_ne!(bits, 0);
    assert_eq!(ResourceId::from_bits(bits), Some(resource.id()));
    assert_eq!(ResourceId::from_bits(0), None);
    assert_eq!(ResourceId::from_bits(3), None, "generations begin with 1");
    tsrm.attach(|here| {
        let value = ResourceId::from_bits(bits).unwrap().get(here).unwrap();
        // SAFETY: a value of that resource, alive during the attach.
        assert_eq!(unsafe { value.cast::<u32>().read() }, 5);
        // What never was one: another place, another generation, anything.
        let (place, generation) = (bits & 0xffff_ffff, bits >> 32);
        let wrong = [
            (generation + 1) << 32 | place,
            generation << 32 | (place + 1),
            generation << 32 | 0xffff_ffff,
            u64::MAX,
            1 << 63,
        ];
        for bits in wrong {
            let id = ResourceId::from_bits(bits).unwrap();
            assert_eq!(id.to_bits(), bits);
            assert_eq!(released(id.get(here)), id);
            assert!(!id.release());
            id.for_each_thread(here, |_, _| panic!("it has no values"));
        }
        assert_eq!(*resource.get(here), 5);
    });
}

#[tsrm::test(a8)]
fn a_shutdown_ends_all_of_them(_tsrm: Runtime) {
    logged();
    let tsrm = Own::start([]).unwrap();
    let resource = tsrm.register_resource("loud", || Ok(Loud::new("loud"))).unwrap();
    tsrm.attach(|here| resource.get(here).look());
    tsrm.end();
    assert_eq!(logged(), ["build loud", "drop loud"]);
    assert!(!resource.release());
    for others in [false, true] {
        let tsrm = Own::start([]).unwrap();
        let other = others.then(|| tsrm.register_resource("new", || Ok(Loud::new("new"))).unwrap());
        tsrm.attach(|here| {
            assert_eq!(released(resource.try_get(here)), resource.id());
            if let Some(other) = other {
                assert_eq!(other.get(here).look(), "new");
                assert_ne!(other.id(), resource.id());
            }
            assert_eq!(released(resource.try_get(here)), resource.id());
        });
        assert!(!resource.release());
        assert_eq!(tsrm.report().resources.len(), usize::from(others));
    }
    logged();
}

#[tsrm::test(a9)]
fn ten_thousand_of_them_while_somebody_looks(_tsrm: Runtime) {
    const COUNT: usize = 10_000;
    static LEDGER: Ledger = Ledger::new();
    struct Value(AtomicU64, Mutex<Tracked>);
    let tsrm = Own::start([]).unwrap();
    let handle = *tsrm;
    let before = LEDGER.both();
    let resources: Mutex<Vec<Resource<Value>>> = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    // A value is there with its own number, or not yet.
    let look = |here: tsrm::Attached<'_>| {
        let known = resources.lock().unwrap().clone();
        for (number, resource) in known.iter().enumerate().step_by(1 + known.len() / 50) {
            let mut seen = 0;
            resource.for_each_thread(here, |_, value| {
                let value = value.0.load(Ordering::Acquire);
                assert!(value == 0 || value == number as u64 + 1, "{value} {number}");
                seen += 1;
            });
            assert!(seen <= 1);
        }
    };
    std::thread::scope(|scope| {
        if !tsrm::SINGLE_THREADED {
            scope.spawn(|| {
                handle.detach_after(|| {
                    while !stop.load(Ordering::Relaxed) {
                        handle.attach(look);
                    }
                });
            });
        }
        handle.attach(|here| {
            for number in 1..=COUNT {
                let resource = handle.register_resource("one of many", || {
                    Ok(Value(AtomicU64::new(0), Mutex::new(Tracked::new(&LEDGER))))
                });
                let resource = resource.unwrap();
                resources.lock().unwrap().push(resource);
                let value = resource.get(here);
                assert_eq!(value.0.swap(number as u64, Ordering::Release), 0);
                if number % 1_000 == 0 {
                    look(here);
                }
            }
            // None has moved or changed.
            for (number, resource) in (1..).zip(&*resources.lock().unwrap()) {
                let Value(value, tracked) = resource.get(here);
                assert_eq!(value.load(Ordering::Relaxed), number);
                assert_eq!(tracked.lock().unwrap().cell.get(), 0);
            }
        });
        stop.store(true, Ordering::Relaxed);
    });
    let report = tsrm.report();
    assert_eq!(report.resources.len(), COUNT);
    assert!(report.resources.iter().all(|resource| resource.values == 1));
    assert_eq!(LEDGER.both(), (before.0 + COUNT, before.1));
    // Half of them are released, the others go with the thread.
    assert!(resources.lock().unwrap().iter().step_by(2).all(|resource| resource.release()));
    assert_eq!(LEDGER.both(), (before.0 + COUNT, before.1 + COUNT / 2));
    tsrm.detach().unwrap();
    assert_eq!(LEDGER.both(), (before.0 + COUNT, before.1 + COUNT));
    assert_eq!(tsrm.report().resources.len(), COUNT / 2);
}

struct Bomb(&'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        log(format!("drop {}", self.0));
        panic!("{} goes off", self.0);
    }
}

#[tsrm::module]
mod beside {
    use super::*;

    #[global]
    pub(super) static FIRST: Loud = Loud::new("first global");
    #[global]
    pub(super) static LAST: Loud = Loud::new("last global");
}

#[tsrm::test(a10)]
fn in_reverse_with_the_globals_whatever_panics(_tsrm: Runtime) {
    let tsrm = Own::start([beside::MODULE]).unwrap();
    let below = tsrm.register_resource("below", || Ok(Loud::new("below"))).unwrap();
    let bomb = tsrm.register_resource("bomb", || Ok(Bomb("bomb"))).unwrap();
    let above = tsrm.register_resource("above", || Ok(Loud::new("above"))).unwrap();
    let build = || {
        tsrm.attach(|here| {
            beside::FIRST.get(here);
            below.get(here);
            bomb.get(here);
            above.get(here);
            beside::LAST.get(here);
        });
        logged();
    };
    let faults = tsrm.report().faults;
    build();
    tsrm.detach().unwrap();
    let fault = "fault: - bomb -: bomb goes off";
    assert_eq!(
        logged(),
        ["drop last global", "drop above", "drop bomb", fault, "drop below", "drop first global"]
    );
    build();
    // Released from inside one attach: dropped together, in reverse, the others stay.
    tsrm.attach(|_| assert!(below.release() && bomb.release() && above.release()));
    assert_eq!(logged(), ["drop above", "drop bomb", fault, "drop below"]);
    assert_eq!(tsrm.report().faults, faults + 2);
    tsrm.detach().unwrap();
    assert_eq!(logged(), ["drop last global", "drop first global"]);
}

#[tsrm::test(a11)]
fn what_is_said_of_a_fault_of_a_resource(_tsrm: Runtime) {
    static TOLD: Mutex<Vec<(Option<String>, String)>> = Mutex::new(Vec::new());
    drop(Own::start([]).unwrap());
    let builder = Runtime::builder().on_fault(|fault| {
        assert_eq!((fault.module, fault.global, fault.hook), (None, Some("bomb"), None));
        let thread = fault.thread.as_ref().and_then(|thread| thread.name.clone());
        TOLD.lock().unwrap().push((thread, fault.to_string()));
    });
    let tsrm = builder.start().unwrap();
    let worker = Worker::new(tsrm, "worker");
    let bomb = tsrm.register_resource("bomb", || Ok(Bomb("bomb"))).unwrap();
    let id = worker.attach(move |here| {
        bomb.get(here);
        here.thread().id()
    });
    drop(worker);
    let _ = tsrm.shutdown(LONG).unwrap();
    let text = format!(
        "the destructor of resource `bomb` panicked on thread {id} `worker`: bomb goes off"
    );
    assert_eq!(*TOLD.lock().unwrap(), [(Some("worker".to_owned()), text)]);
    logged();
}

#[tsrm::test(a12)]
fn the_report_lists_them(_tsrm: Runtime) {
    let tsrm = Own::start([]).unwrap();
    let typed = tsrm.register_resource("typed", || Ok([0_u16; 5])).unwrap();
    let raw = RawResource {
        name: "raw",
        layout: Layout::new::<u64>(),
        constructor: None,
        destructor: None,
    };
    // SAFETY: there are no functions.
    let raw = unsafe { tsrm.register_raw_resource(raw) }.unwrap();
    let workers = Worker::several(*tsrm, 3);
    for worker in &workers {
        assert_eq!(worker.attach(move |here| *typed.get(here)), [0; 5]);
    }
    let look = || {
        let report = tsrm.report();
        let mut all: Vec<_> = report
            .resources
            .iter()
            .map(|r| (r.id, r.name, r.type_name, r.bytes, r.values))
            .collect();
        all.sort_by_key(|resource| std::cmp::Reverse(resource.1));
        all
    };
    assert_eq!(
        look(),
        [(typed.id(), "typed", "[u16; 5]", 10, workers.len()), (raw, "raw", "(raw)", 8, 0)]
    );
    let table = tsrm.report().to_string();
    assert!(table.contains(&format!("raw ({raw})")), "{table}");
    let heap = tsrm.report().threads[0].heap_bytes;
    assert_eq!(heap, 10);
    typed.release();
    assert_eq!(look(), [(raw, "raw", "(raw)", 8, 0)]);
    workers[0].attach(|here| assert_eq!(here.thread().depth(), 1));
    assert_eq!(tsrm.report().threads[0].heap_bytes, 0);
}
