//! A hook attribute on something that is no function.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[thread_shutdown]
    static DIES: u8 = 0;

    #[global]
    #[thread_startup]
    static BORN: u8 = const { 0 };

    #[request_shutdown]
    struct End;
}

fn main() {}
