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

counters! {
    small: u8 = 1;
    name: &'static str = "name";
}

#[tsrm::main(small, name)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*small::CONSTANT.get(here), 1);
        assert_eq!(*name::BUILT.get(here), "name");
    });
    tsrm.detach().expect("outside of all attaches");
}
