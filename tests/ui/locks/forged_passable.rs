//! ATTACK: recursive holds that can always be passed on.
#![forbid(unsafe_code)]

use tsrm::sync::{Passable, Recursive, Update};

enum Mode {}

impl Passable for Recursive<Update> {}
impl Passable for Recursive<Mode> {}

fn main() {}
