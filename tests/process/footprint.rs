//! What a thread costs that has attached and uses nothing, with 100 globals declared.
#![allow(dead_code, reason = "declared, but not used, is what is measured")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use tsrm::Runtime;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::SeqCst);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::SeqCst);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

macro_rules! ten_globals {
    ($($module:ident)*) => {$(
        #[tsrm::module]
        mod $module {
            use super::*;
            #[global]
            pub static G0: Cell<u64> = const { Cell::new(0) };
            #[global]
            pub static G1: Cell<u64> = const { Cell::new(1) };
            #[global]
            pub static G2: Cell<u64> = const { Cell::new(2) };
            #[global]
            pub static G3: Cell<u64> = const { Cell::new(3) };
            #[global]
            pub static G4: Cell<u64> = const { Cell::new(4) };
            #[global]
            pub static G5: Vec<u64> = Vec::with_capacity(1000);
            #[global]
            pub static G6: Vec<u64> = Vec::with_capacity(1000);
            #[global]
            pub static G7: Vec<u64> = Vec::with_capacity(1000);
            #[global]
            pub static G8: Vec<u64> = Vec::with_capacity(1000);
            #[global]
            pub static G9: Vec<u64> = Vec::with_capacity(1000);
        }
    )*};
}

ten_globals!(m0 m1 m2 m3 m4 m5 m6 m7 m8 m9);

fn live() -> usize {
    LIVE.load(Ordering::SeqCst)
}

fn main() {
    let modules = [
        m0::MODULE,
        m1::MODULE,
        m2::MODULE,
        m3::MODULE,
        m4::MODULE,
        m5::MODULE,
        m6::MODULE,
        m7::MODULE,
        m8::MODULE,
        m9::MODULE,
    ];
    let tsrm = Runtime::start(modules).unwrap();
    // The registry's own first allocation is not the thread's.
    tsrm.attach(|_| ());
    tsrm.detach().unwrap();
    // A rendezvous allocates nothing while it is used.
    let (go, steps) = channel::<()>();
    let (says, measured) = channel::<()>();
    let thread = std::thread::Builder::new().name("idle".into()).spawn(move || {
        // Whatever std allocates at a first `recv` is not ours.
        steps.recv().unwrap();
        let before = live();
        tsrm.attach(|_| ());
        let first = live() - before;
        tsrm.attach(|_| ());
        let again = live() - before - first;
        says.send(()).unwrap();
        steps.recv().unwrap();
        let registered = live();
        tsrm.detach().unwrap();
        (first, again, first - (registered - live()))
    });
    go.send(()).unwrap();
    measured.recv().unwrap();
    go.send(()).unwrap();
    let (first, again, left) = thread.unwrap().join().unwrap();
    assert!(first <= 2048, "{first} bytes");
    eprintln!("first attach: {first} bytes");
    println!("first attach: at most 2048 bytes");
    println!("next attach: {again} bytes");
    println!("idle thread left: {left} bytes");
}
