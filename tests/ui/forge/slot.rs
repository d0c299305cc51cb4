//! ATTACK: the slot of a global, reached from its own initialiser.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    #[global]
    pub static NAMES: Vec<String> = {
        __tsrm_fill(std::ptr::dangling());
        Vec::new()
    };
}

fn main() {}
