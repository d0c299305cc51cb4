//! Locks without a token: atomic in both builds, for code outside attaches.

mod api;
mod spin;
mod srw_word;
mod sux_word;

pub use api::{Mutex, RawSrwMutex, RawSuxLock, RwLock};
pub use lock_api;
pub(crate) use srw_word::SrwWord;
pub(crate) use sux_word::SuxWord;
