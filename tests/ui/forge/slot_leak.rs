//! ATTACK: an initialiser that leaks a way to its slot.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use std::cell::Cell;

    thread_local! {
        pub static FILL: Cell<Option<fn(*const u64)>> = const { Cell::new(None) };
    }

    #[global]
    pub static VALUE: u64 = {
        FILL.set(Some(|value| __TSRM_SLOT.with(|slot| slot.set(value))));
        7
    };
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        executor::VALUE.get(here);
        executor::FILL.get().unwrap()(std::ptr::without_provenance(16));
        assert_eq!(*executor::VALUE.get(here), 7);
    });
}
