//! Whatever the module's own items are called: the macro's own names do not meet them.
#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(non_camel_case_types, dead_code)]

#[tsrm::module]
mod executor {
    use ::tsrm::Attached;

    pub struct Option;
    pub struct Result;
    pub struct Box;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct String;
    pub struct str;
    pub struct bool;
    pub struct u8;
    pub struct usize;
    pub struct Cell;
    pub struct Global;
    pub struct Shared;
    pub struct Module;
    pub struct Declaration;
    pub trait Sized {}
    pub trait Copy {}
    pub trait Send {}
    pub trait Sync {}
    pub mod core {}
    pub mod std {}
    pub mod tsrm {}
    pub mod linkme {}
    pub mod private {}

    pub static SLOT: u32 = 1;
    pub static IMAGE: u32 = 2;
    pub const INIT: u32 = 3;
    pub const NAME: u32 = 4;
    pub const LINKED: u32 = 5;
    pub fn slot() {}
    pub fn fill() {}
    pub fn initial() {}
    pub fn build() {}
    pub fn descriptor() {}
    pub fn image() {}
    pub fn kind() {}

    macro_rules! thread_local {
        () => {};
    }
    macro_rules! panic {
        () => {};
    }
    thread_local!();
    panic!();

    #[global]
    pub static VALUE: u32 = const { SLOT_OF + INIT };

    const SLOT_OF: u32 = 1;

    #[global]
    pub static INITIAL: u32 = SLOT + IMAGE + NAME;

    #[global]
    pub static DESCRIPTOR: u32 = const { LINKED };

    #[global]
    pub static HOOK: u32 = const { 6 };

    #[shared]
    pub static SHARED: u32 = SLOT + INIT;

    #[shared(lazy)]
    pub static LAZY: u32 = IMAGE;

    #[thread_shutdown]
    fn thread_shutdown(_here: Attached<'_>) {}

    #[request_shutdown]
    fn hook(_here: Attached<'_>) {}
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    use executor::{DESCRIPTOR, HOOK, INITIAL, LAZY, SHARED, VALUE};
    tsrm.request(|here| {
        assert_eq!(*VALUE.get(here) + *INITIAL.get(here) + *DESCRIPTOR.get(here), 16);
        assert_eq!(*SHARED.get(here) + *LAZY.get(here), 6);
        assert_eq!(*HOOK.get(here), 6);
    });
}
