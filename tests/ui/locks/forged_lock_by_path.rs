//! ATTACK: the trait of locks by its path, and the words behind them.
#![forbid(unsafe_code)]

use tsrm::sync::held::Lock;
use tsrm::sync::raw::{SrwWord, SuxWord};
use tsrm::sync::{Lock as _, Watched};

fn main() {}
