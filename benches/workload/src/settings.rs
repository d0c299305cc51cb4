//! The struct that all threads read, as a shared value.

pub mod peers;

/// As an engine would have it: a struct of several fields, of which one is read. Nobody changes it.
#[derive(Debug)]
pub struct Settings {
    /// Not read; puts `limit` at an offset other than 0.
    pub precision: i64,
    /// What the rows read.
    pub limit: u64,
}

impl Settings {
    /// With its initial values.
    pub const fn new() -> Self {
        Self { precision: 14, limit: 256 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

/// The measured values. Registered late, by who needs them.
#[tsrm::module]
pub mod configuration {
    use super::Settings;

    /// Built when the module starts.
    #[shared]
    pub static SHARED: Settings = Settings::new();

    /// Built by its first use.
    #[shared(lazy)]
    pub static LAZY: Settings = Settings::new();
}
