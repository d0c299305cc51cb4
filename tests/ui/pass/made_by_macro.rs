//! A `macro_rules!` that makes whole modules.
#![forbid(unsafe_code)]
#![deny(warnings)]

macro_rules! counters {
    ($($module:ident $requires:tt: $value:ty = $initial:expr;)*) => {
        $(
            #[tsrm::module(requires = $requires)]
            mod $module {
                #[global]
                pub static CONSTANT: $value = const { $initial };

                #[global]
                pub static BUILT: $value = $initial;

                #[shared]
                pub static SHARED: $value = $initial;

                #[shared(lazy)]
                pub static LAZY: $value = $initial;

                #[thread_shutdown]
                fn dies(here: tsrm::Attached<'_>) {
                    assert_eq!(*CONSTANT.get(here), *BUILT.get(here));
                    assert_eq!(*SHARED.get(here), *LAZY.get(here));
                }
            }
        )*
    };
}

/// Passes the whole initialiser on, `const` or not.
macro_rules! passed_on {
    ($module:ident, $name:literal, $requires:expr, $constant:expr, $built:expr) => {
        #[tsrm::module(name = $name, requires = [$requires, "small"])]
        mod $module {
            #[global]
            pub static CONSTANT: u8 = $constant;

            #[global]
            pub static BUILT: u8 = $built;

            #[shared]
            pub static SHARED: u8 = $constant;
        }
    };
}

/// Passes the list on.
macro_rules! listed {
    ($module:ident, $requires:expr) => {
        #[tsrm::module(requires = $requires)]
        mod $module {}
    };
}

listed!(last, ["all", "small"]);
passed_on!(whole, "all", "name", const { 1 }, 2);

counters! {
    small []: u8 = 1;
    name ["small"]: &'static str = "name";
}

#[tsrm::main(last, small, name, whole)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*small::CONSTANT.get(here), 1);
        assert_eq!(*name::BUILT.get(here), "name");
        assert_eq!(*small::SHARED.get(here) + *whole::SHARED.get(here), 2);
        assert_eq!(*whole::CONSTANT.get(here) + *whole::BUILT.get(here), 3);
    });
    let report = tsrm.report();
    let whole = report.modules.iter().find(|module| module.name == "all").unwrap();
    let storages: Vec<_> = whole.globals.iter().map(|global| global.storage).collect();
    assert_eq!(storages, [tsrm::Storage::Static, tsrm::Storage::Cached]);
    tsrm.detach().expect("outside of all attaches");
}
