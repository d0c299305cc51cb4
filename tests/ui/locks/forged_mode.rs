//! ATTACK: modes of my own.
#![forbid(unsafe_code)]

use std::sync::Arc;

use tsrm::sync::{LockRef, Passable, SuxLock};

enum Mode {}

impl LockRef<Mode> for &'static SuxLock<u8> {}
impl LockRef<Mode> for Arc<SuxLock<u8>> {}

impl Passable for Mode {}

fn main() {}
