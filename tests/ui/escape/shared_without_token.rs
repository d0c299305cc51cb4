//! ATTACK: a shared value without the token.
#![forbid(unsafe_code)]

use globals::{LIMIT, TITLES};

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(_tsrm: tsrm::Runtime) {
    TITLES.get().lock().unwrap().clear();
    TITLES.try_get().unwrap().lock().unwrap().clear();
    TITLES.lock().unwrap().clear();
    println!("{}", *LIMIT);
}
