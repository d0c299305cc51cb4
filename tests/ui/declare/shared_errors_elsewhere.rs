//! One mistake in a module with shared values: what its users see.
#![forbid(unsafe_code)]

#[tsrm::module(requires = output)]
mod executor {
    use std::sync::Mutex;

    #[shared(late)]
    pub static mut COUNT: Mutex<u64> = Mutex::new(0);

    pub fn reset() {}
}

use executor::{COUNT, reset};

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    reset();
    tsrm.attach(|here| *COUNT.get(here).lock().unwrap() = 1);
}
