//! Shared values without an initialiser.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::Mutex;

    /// The global `COUNT`.
    #[shared]
    pub static COUNT: Mutex<u64>;

    #[tsrm::shared(lazy)]
    pub static LATER: Mutex<u64>;
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| *executor::COUNT.get(here).lock().unwrap() += 1);
}
