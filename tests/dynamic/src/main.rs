//! A program whose crates are shared objects: modules are seen wherever they are.
#![forbid(unsafe_code)]

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use plug::{engine, unlisted};

#[tsrm::module]
mod mine {
    use super::*;

    #[global]
    pub static TEXT: Mutex<Option<Box<String>>> = const { Mutex::new(None) };
}

fn main() {
    let tsrm = tsrm::Runtime::start([engine::MODULE, mine::MODULE]).unwrap();
    for round in 1..=3 {
        let fresh = tsrm.attach(|here| {
            let old = mine::TEXT.get(here).lock().unwrap().replace(Box::new("hello".repeat(100)));
            let mut seen = Vec::new();
            mine::TEXT.for_each_thread(here, |_, text| {
                seen.push(text.lock().unwrap().as_ref().map(|text| text.len()));
            });
            assert_eq!(seen, [Some(500)]);
            old.is_none() && engine::NUMBER.get(here).swap(1, Ordering::Relaxed) == 0x4141
        });
        tsrm.detach().unwrap();
        let drops = unlisted::DROPS.load(Ordering::Relaxed);
        println!("{} round {round}: fresh {fresh}, unlisted drops {drops}", tsrm::MODE);
    }
}
