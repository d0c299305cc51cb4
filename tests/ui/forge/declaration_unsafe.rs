//! ATTACK: the same with `unsafe`, in a crate that forbids it.
#![forbid(unsafe_code)]

struct Forged;

unsafe impl tsrm::private::Declaration for Forged {
    type Value = u64;

    fn descriptor() -> &'static tsrm::private::GlobalDescriptor {
        loop {}
    }

    unsafe fn slot() -> *const u64 {
        std::ptr::dangling()
    }

    fn build() -> Result<*const u64, tsrm::AccessError> {
        loop {}
    }
}

fn main() {}
