//! A lint that is allowed at a global or at a hook is allowed in all that the macro makes of it;
//! what is expected of it is fulfilled by one of them.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[deprecated]
pub struct Old;

#[tsrm::module]
mod executor {
    use tsrm::Attached;

    #[global]
    #[allow(deprecated)]
    pub static STATIC: super::Old = const { super::Old };

    #[global]
    #[allow(deprecated)]
    pub static CACHED: super::Old = super::Old;

    #[global]
    #[expect(deprecated)]
    pub static EXPECTED: super::Old = const { super::Old };

    #[global]
    #[expect(dead_code, reason = "for later")]
    static UNUSED: u8 = const { 0 };

    #[global]
    #[cfg_attr(all(), expect(non_upper_case_globals))]
    pub static lower: u8 = 0;

    #[thread_shutdown]
    #[deprecated]
    fn dies(_here: Attached<'_>) {}
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        executor::STATIC.get(here);
        executor::CACHED.get(here);
        executor::EXPECTED.get(here);
        executor::lower.get(here);
    });
}
