//! A `macro_rules!` that makes whole modules.
#![forbid(unsafe_code)]
#![deny(warnings)]

macro_rules! counters {
    ($($module:ident: $value:ty = $initial:expr;)*) => {
        $(
            #[tsrm::module]
            mod $module {
                #[global]
                pub static CONSTANT: $value = const { $initial };

                #[global]
                pub static BUILT: $value = $initial;

                #[thread_shutdown]
                fn dies(here: tsrm::Attached<'_>) {
                    assert_eq!(*CONSTANT.get(here), *BUILT.get(here));
                }
            }
        )*
    };
}

/// Passes the whole initialiser on, `const` or not.
macro_rules! passed_on {
    ($module:ident, $constant:expr, $built:expr) => {
        #[tsrm::module]
        mod $module {
            #[global]
            pub static CONSTANT: u8 = $constant;

            #[global]
            pub static BUILT: u8 = $built;
        }
    };
}

passed_on!(whole, const { 1 }, 2);

counters! {
    small: u8 = 1;
    name: &'static str = "name";
}

#[tsrm::main(small, name, whole)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*small::CONSTANT.get(here), 1);
        assert_eq!(*name::BUILT.get(here), "name");
        assert_eq!(*whole::CONSTANT.get(here) + *whole::BUILT.get(here), 3);
    });
    let report = tsrm.report();
    let whole = report.modules.iter().find(|module| module.name == "whole").unwrap();
    let storages: Vec<_> = whole.globals.iter().map(|global| global.storage).collect();
    assert_eq!(storages, [tsrm::Storage::Static, tsrm::Storage::Cached]);
    tsrm.detach().expect("outside of all attaches");
}
