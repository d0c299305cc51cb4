//! Inner attributes belong to the file.
#![forbid(unsafe_code)]

mod executor {
    tsrm::file_module! {
        //! Documentation.
        #![allow(dead_code)]
        #![module(name = "execute")]

        #[global]
        pub static COUNT: u64 = const { 0 };
    }
}

fn main() {}
