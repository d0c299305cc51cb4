//! A hundred globals that nobody uses: half of them static, half cached.
//!
//! A first attach notes the address of every static one and must not build any cached one.

macro_rules! module_of {
    (static: $($in_static:ident)*; cached: $($in_cached:ident)*;) => {
        /// The hundred globals.
        #[tsrm::module]
        pub mod unused {
            use crate::globals::ExecutorGlobals;

            $(
                /// In static storage.
                #[global]
                pub static $in_static: ExecutorGlobals = const { ExecutorGlobals::new() };
            )*
            $(
                /// In cached storage.
                #[global]
                pub static $in_cached: ExecutorGlobals = ExecutorGlobals::new();
            )*
        }
    };
}

module_of! {
    static:
        S00 S01 S02 S03 S04 S05 S06 S07 S08 S09
        S10 S11 S12 S13 S14 S15 S16 S17 S18 S19
        S20 S21 S22 S23 S24 S25 S26 S27 S28 S29
        S30 S31 S32 S33 S34 S35 S36 S37 S38 S39
        S40 S41 S42 S43 S44 S45 S46 S47 S48 S49;
    cached:
        C00 C01 C02 C03 C04 C05 C06 C07 C08 C09
        C10 C11 C12 C13 C14 C15 C16 C17 C18 C19
        C20 C21 C22 C23 C24 C25 C26 C27 C28 C29
        C30 C31 C32 C33 C34 C35 C36 C37 C38 C39
        C40 C41 C42 C43 C44 C45 C46 C47 C48 C49;
}
