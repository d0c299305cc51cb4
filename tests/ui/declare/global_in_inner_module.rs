//! A module in the module has to be one itself.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    mod inner {
        use std::cell::Cell;

        #[global]
        pub static COUNT: Cell<u64> = const { Cell::new(0) };

        #[thread_shutdown]
        fn dies(_here: tsrm::Attached<'_>) {}
    }

    #[allow(unused_imports)]
    use inner::COUNT;
}

fn main() {}
