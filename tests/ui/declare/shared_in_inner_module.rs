//! A shared value in a plain module inside the module.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    mod inner {
        use std::sync::RwLock;

        #[shared]
        pub static NAMES: RwLock<Vec<String>> = RwLock::new(vec![String::from("a")]);
    }

    #[allow(unused_imports)]
    use inner::NAMES;
}

fn main() {}
