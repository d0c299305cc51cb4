//! ATTACK: a crate path to a look-alike, whose slot macro is the attacker's. Now: compiles, and
//! reads address 16.
#![forbid(unsafe_code)]

mod fake {
    pub(crate) use tsrm::*;

    pub(crate) mod private {
        pub(crate) use tsrm::private::*;

        macro_rules! mine {
            ($value:ty, $initial:path) => {
                fn slot() -> *const $value {
                    let _ = $initial;
                    std::ptr::without_provenance(16)
                }
            };
        }
        pub(crate) use mine as static_slot;
    }
}

#[tsrm::module(crate = crate::fake)]
mod executor {
    #[global]
    pub static VALUE: u64 = const { 7 };
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| *executor::VALUE.get(here));
}
