//! ATTACK: traits in scope whose methods are called as those that the expansion might call.
#![deny(warnings)]
#![forbid(unsafe_code)]

use std::thread::LocalKey;

use tsrm::private::{CachedSlot, StaticSlot};

pub trait ForStatic {
    fn with(self, f: fn(&StaticSlot<String>) -> *const String) -> *const String;
}

impl ForStatic for LocalKey<StaticSlot<String>> {
    fn with(self, _: fn(&StaticSlot<String>) -> *const String) -> *const String {
        std::ptr::without_provenance(8)
    }
}

pub trait ForCached: Sized {
    fn with<R>(self, f: impl FnOnce(&CachedSlot<u64>) -> R) -> R;
}

impl ForCached for LocalKey<CachedSlot<u64>> {
    fn with<R>(self, f: impl FnOnce(&CachedSlot<u64>) -> R) -> R {
        f(&CachedSlot::new())
    }
}

pub trait Everything: Sized {
    fn as_ptr(self) -> *const Self {
        std::ptr::without_provenance(8)
    }

    fn is_null(self) -> bool {
        true
    }
}

impl<T> Everything for T {}

#[tsrm::module]
mod executor {
    #[allow(unused_imports, reason = "what the attack hopes for")]
    use super::{Everything, ForCached, ForStatic};

    #[global]
    pub static STATIC: String = const { String::new() };
    #[global]
    pub static CACHED: u64 = 7;
}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(executor::STATIC.get(here), "");
        assert_eq!(*executor::CACHED.get(here), 7);
    });
}
