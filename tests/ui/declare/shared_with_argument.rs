//! Arguments that `#[shared]` does not have.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[shared(eager)]
    pub static EAGER: u64 = 0;

    #[shared()]
    pub static EMPTY: u64 = 0;

    #[shared(lazy, static)]
    pub static BOTH: u64 = 0;

    #[shared = "lazy"]
    pub static TEXT: u64 = 0;

    #[tsrm::shared(lazy = true)]
    pub static TRUE: u64 = 0;
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| println!("{}", executor::EAGER.get(here)));
}
