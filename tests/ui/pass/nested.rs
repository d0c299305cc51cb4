//! Modules in modules, each with its globals, whatever the attribute is called there.
#![forbid(unsafe_code)]
#![deny(warnings)]

use tsrm::module as globals;

#[tsrm::module]
mod outer {
    #[global]
    pub static DEPTH: u8 = const { 0 };

    #[tsrm::module]
    pub mod inner {
        #[global]
        pub static DEPTH: u8 = const { 1 };
    }

    #[crate::globals(name = "other")]
    pub mod other {
        #[global]
        pub static DEPTH: u8 = const { 2 };
    }

    /// Without globals.
    #[allow(dead_code)]
    pub mod plain {
        pub static DEPTH: u8 = 3;
    }
}

#[tsrm::main(outer, outer::inner, outer::other)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*outer::DEPTH.get(here), 0);
        assert_eq!(*outer::inner::DEPTH.get(here), 1);
        assert_eq!(*outer::other::DEPTH.get(here), 2);
    });
}
