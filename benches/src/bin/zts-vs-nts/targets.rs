//! Promises, and whether they hold.

use std::fmt;

use crate::table;

/// One promise.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) promise: String,
    /// What was measured.
    pub(crate) measured: String,
    /// `None` if it was not measured.
    pub(crate) is_met: Option<bool>,
}

impl Target {
    /// The limit is still met.
    pub(crate) fn at_most(
        what: &str,
        value: Option<f64>,
        limit: f64,
        unit: &str,
        digits: usize,
    ) -> Self {
        Self {
            promise: format!("{what} ≤ {limit}{unit}"),
            measured: value
                .map_or_else(|| table::number(None), |value| format!("{value:.digits$}{unit}")),
            is_met: value.map(|value| value <= limit),
        }
    }

    /// The limit is still met.
    pub(crate) fn at_least(
        what: &str,
        value: Option<f64>,
        limit: f64,
        unit: &str,
        digits: usize,
    ) -> Self {
        Self {
            promise: format!("{what} ≥ {limit}{unit}"),
            measured: value
                .map_or_else(|| table::number(None), |value| format!("{value:.digits$}{unit}")),
            is_met: value.map(|value| value >= limit),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.is_met {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "not measured",
        };
        write!(f, "{verdict}: {} ({})", self.promise, self.measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_still_met_and_nothing_is_neither() {
        let target = |value| Target::at_most("x", value, 1.005, "", 4);
        assert_eq!(target(Some(1.005)).to_string(), "met: x ≤ 1.005 (1.0050)");
        assert_eq!(target(Some(1.0051)).to_string(), "MISSED: x ≤ 1.005 (1.0051)");
        assert_eq!(target(None).to_string(), "not measured: x ≤ 1.005 (–)");
        assert_eq!(target(Some(1.0)).measured, "1.0000");
        let target = |value| Target::at_least("x", value, 4.0, " ×", 1);
        assert_eq!(target(Some(4.0)).to_string(), "met: x ≥ 4 × (4.0 ×)");
        assert_eq!(target(Some(3.9)).to_string(), "MISSED: x ≥ 4 × (3.9 ×)");
        assert_eq!(target(None).is_met, None);
    }
}
