//! The globals and shared values that the cases of `escape/` and `send/` attack.

tsrm::file_module! {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicU64;

    #[global]
    pub static COUNT: Cell<u64> = const { Cell::new(0) };

    #[global]
    pub static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());

    #[global]
    pub static SHARED: Rc<u64> = Rc::new(0);

    #[global]
    pub static TOTAL: AtomicU64 = const { AtomicU64::new(0) };

    #[shared]
    pub static TITLES: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[shared(lazy)]
    pub static LIMIT: u64 = 7;
}
