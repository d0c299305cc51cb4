//! The locks that the cases of `locks/` attack.

tsrm::file_module! {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    use tsrm::sync::{RecursiveSuxLock, SrwMutex, SuxLock};

    #[shared]
    pub static PAGES: SuxLock<BTreeMap<u32, Page>> = SuxLock::new(BTreeMap::new());

    #[shared]
    pub static FREE: SrwMutex<Vec<u32>> = SrwMutex::new(Vec::new());

    #[shared]
    pub static TREE: RecursiveSuxLock<AtomicU32> = RecursiveSuxLock::new(AtomicU32::new(0));

    pub type Page = Arc<SuxLock<Vec<u8>>>;
}
