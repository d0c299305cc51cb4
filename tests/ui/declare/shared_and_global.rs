//! Both attributes on one `static`.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::sync::atomic::AtomicU64;

    #[global]
    #[shared]
    pub static COUNT: AtomicU64 = const { AtomicU64::new(0) };

    #[shared(lazy)]
    #[tsrm::global]
    pub static LATER: AtomicU64 = AtomicU64::new(0);
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        executor::COUNT.get(here);
        executor::LATER.get(here);
    });
}
