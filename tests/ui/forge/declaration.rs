//! ATTACK: a declaration made by hand, whose slot points nowhere.
#![forbid(unsafe_code)]

struct Forged;

impl tsrm::private::Declaration for Forged {
    type Value = u64;

    fn descriptor() -> &'static tsrm::private::GlobalDescriptor {
        loop {}
    }

    fn slot() -> *const u64 {
        std::ptr::dangling()
    }

    fn build() -> Result<*const u64, tsrm::AccessError> {
        loop {}
    }
}

fn main() {}
