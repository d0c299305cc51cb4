//! Modules in function bodies and in generic functions; modules made by a macro.
#![forbid(unsafe_code)]
#![deny(warnings)]

macro_rules! counters {
    ($($name:ident: $value:expr),*) => {
        $(
            #[tsrm::module]
            mod $name {
                use std::cell::Cell;

                #[global]
                pub static COUNT: Cell<u64> = const { Cell::new($value) };

                #[global]
                pub static LATER: Cell<u64> = Cell::new($value);

                #[thread_startup]
                fn born(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
                    COUNT.set(here, COUNT.get(here).get() + 1);
                    Ok(())
                }
            }
        )*
    };
}

counters!(first: 1, second: 2);

fn of<T>(tsrm: tsrm::Runtime) -> u64 {
    #[tsrm::module(name = "late")]
    mod local {
        #[global]
        pub static LOCAL: u64 = const { 9 };

        #[shared(lazy)]
        pub static SHARED: u64 = 1;
    }
    tsrm.register(local::MODULE).unwrap();
    tsrm.attach(|here| *local::LOCAL.get(here) + *local::SHARED.get(here))
}

fn main() -> Result<(), tsrm::StartError> {
    #[tsrm::module]
    mod local {
        #[global]
        pub static LOCAL: u64 = const { 20 };
    }
    let tsrm = tsrm::Runtime::start([first::MODULE, second::MODULE, local::MODULE])?;
    let sum = tsrm.attach(|here| {
        first::COUNT.get(here).get() + second::LATER.get(here).get() + *local::LOCAL.get(here)
    });
    assert_eq!(sum + of::<u8>(tsrm), 34);
    Ok(())
}
