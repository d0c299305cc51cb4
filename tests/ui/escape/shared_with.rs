//! ATTACK: references to shared values returned from `with` and `try_with`.
#![forbid(unsafe_code)]

use globals::{LIMIT, TITLES};

#[allow(dead_code)]
#[path = "../globals.rs"]
mod globals;

#[tsrm::main(globals)]
fn main(_tsrm: tsrm::Runtime) {
    let titles = TITLES.with(|titles| titles);
    let limit = LIMIT.try_with(|limit| limit).unwrap();
    titles.lock().unwrap().truncate(*limit as usize);
}
