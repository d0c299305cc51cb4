//! What the project promises of these rows, and whether it holds.

use super::results::Numbers;
use crate::builds::Mode;
use crate::targets::Target;

/// As in `access`: that threads can be waited for costs an attach nothing.
const ATTACH_AGAIN_NS: f64 = 4.0;
/// A shared `get` to `ArcSwap::load`.
const SHARED: f64 = 1.0;

/// All promises.
pub(super) fn of(results: &[Numbers]) -> Vec<Target> {
    let find = |mode, name: &str| results.iter().find(|row| row.mode == mode && row.name == name);
    let attach = |mode| find(mode, "attach-again").map(|row| row.ns);
    let ratio = find(Mode::Zts, "shared").and_then(|row| row.ratio);
    vec![
        Target::at_most("attach-again, NTS", attach(Mode::Nts), ATTACH_AGAIN_NS, " ns", 2),
        Target::at_most("attach-again, ZTS", attach(Mode::Zts), ATTACH_AGAIN_NS, " ns", 2),
        Target::at_most("shared get to ArcSwap::load", ratio, SHARED, "", 3),
    ]
}
