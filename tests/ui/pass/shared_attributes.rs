//! Attributes stay with shared values: documentation, `cfg` true and false, lints, `deprecated`.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

/// Out of use.
#[deprecated]
pub struct Old;

/// The module.
#[tsrm::module]
pub mod executor {
    use std::sync::atomic::AtomicU64;

    /// There.
    #[shared]
    #[cfg(all())]
    pub static HERE: AtomicU64 = AtomicU64::new(1);

    /// Not there; its type does not exist either.
    #[cfg(any())]
    #[shared]
    pub static NOT_HERE: Missing = Missing;

    #[cfg(any())]
    #[shared(lazy)]
    pub static NOT_HERE: Missing = Missing::new();

    /// One of two, of which the other one is of another kind.
    #[cfg(not(any()))]
    #[shared(lazy)]
    pub static EITHER: u64 = 2;

    /// One of two.
    #[cfg(any())]
    #[global]
    pub static EITHER: u64 = const { 3 };

    #[shared]
    #[cfg_attr(all(), doc = "By `cfg_attr`.", allow(non_upper_case_globals))]
    pub static lower: u64 = 3;

    #[shared]
    #[cfg_attr(all(), doc = "Not there.", cfg(any()))]
    pub static GONE: u64 = 4;

    #[shared]
    #[cfg_attr(all(), cfg_attr(true, cfg(any()), allow(dead_code)))]
    pub static GONE: Missing = 4;

    #[doc(hidden)]
    #[shared]
    #[allow(deprecated)]
    pub static ALLOWED: super::Old = super::Old;

    /// Expected once.
    #[shared(lazy)]
    #[expect(deprecated)]
    pub static EXPECTED: super::Old = super::Old;

    /// Out of use.
    #[shared]
    #[deprecated = "use `HERE`"]
    pub static OUT: u64 = 5;

    #[shared]
    #[expect(dead_code, reason = "for later")]
    static UNUSED: u64 = 6;
}

/// The program.
#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(executor::HERE.get(here).load(std::sync::atomic::Ordering::Relaxed), 1);
        assert_eq!(*executor::EITHER.get(here) + *executor::lower.get(here), 5);
        executor::ALLOWED.get(here);
        executor::EXPECTED.get(here);
        #[allow(deprecated)]
        let out = *executor::OUT.get(here);
        assert_eq!(out, 5);
    });
}
