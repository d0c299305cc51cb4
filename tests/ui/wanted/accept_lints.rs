//! A lint that is allowed at a global or at a hook is allowed in all that the macro makes of it.
//! Now: warnings.
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

    #[thread_shutdown]
    #[deprecated]
    fn dies(_here: Attached<'_>) {}
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        executor::STATIC.get(here);
        executor::CACHED.get(here);
    });
}
