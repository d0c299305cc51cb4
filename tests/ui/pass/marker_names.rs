//! ATTACK: a global and a shared value that are called as the macro calls its markers. Were
//! they to share a descriptor, one would be read as the other's type.
#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(non_upper_case_globals)]

#[tsrm::module]
mod executor {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    #[global]
    pub static Foo: Mutex<Vec<String>> = Mutex::new(vec![String::from("a")]);

    #[global]
    pub static Marker: u8 = const { 1 };

    #[shared]
    pub static __TsrmFoo: u32 = 3;

    #[global]
    pub static Value: u16 = 1;

    #[global]
    pub static __Tsrm__TsrmFoo: [AtomicUsize; 16] = const { [const { AtomicUsize::new(7) }; 16] };
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        executor::Foo.get(here);
        assert_eq!(*executor::__TsrmFoo.get(here), 3);
        executor::__Tsrm__TsrmFoo.for_each_thread(here, |_thread, words| {
            assert!(words.iter().all(|word| word.load(std::sync::atomic::Ordering::Relaxed) == 7));
        });
    });
}
