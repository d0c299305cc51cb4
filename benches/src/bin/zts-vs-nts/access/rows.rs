//! The rows of `access`, in the order in which they are shown.

use crate::builds::Mode;

/// What a row measures, which says what it can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The harness with nothing in it.
    Empty,
    /// One increment of a global's field.
    Access,
    /// An attach that is over in nanoseconds.
    Attach,
    /// What a thread does once, timed on threads of its own.
    Once,
    /// One run of the interpreter's programs.
    Interpreter,
}

/// One row.
#[derive(Debug)]
pub(super) struct Row {
    /// As the workload calls it.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Which build has it.
    pub(super) mode: Mode,
    /// The row that its ratio is to.
    pub(super) baseline: &'static str,
    /// The harness of its build.
    pub(super) empty: &'static str,
}

impl Row {
    const fn nts(name: &'static str, kind: Kind, baseline: &'static str) -> Self {
        Self { name, kind, mode: Mode::Nts, baseline, empty: "nts-empty" }
    }

    const fn zts(name: &'static str, kind: Kind, baseline: &'static str) -> Self {
        Self { name, kind, mode: Mode::Zts, baseline, empty: "zts-empty" }
    }

    /// The row of that name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.name == name)
    }

    /// Whether the row is of interest only for what it takes from others.
    pub(super) fn is_harness(&self) -> bool {
        self.kind == Kind::Empty
    }

    /// Whether what the harness costs is a part of it worth mentioning.
    pub(super) fn has_net(&self) -> bool {
        matches!(self.kind, Kind::Access | Kind::Attach)
    }
}

/// All rows: accesses against the static NTS global, attaches against the same in NTS, interpreters
/// against the NTS interpreter with static globals.
pub(super) const ROWS: [Row; 24] = [
    Row::nts("nts-empty", Kind::Empty, "nts-empty"),
    Row::zts("zts-empty", Kind::Empty, "nts-empty"),
    Row::nts("nts-static", Kind::Access, "nts-static"),
    Row::zts("zts-static", Kind::Access, "nts-static"),
    Row::nts("nts-cached", Kind::Access, "nts-static"),
    Row::zts("zts-cached", Kind::Access, "nts-static"),
    Row::nts("nts-with", Kind::Access, "nts-static"),
    Row::zts("zts-with", Kind::Access, "nts-static"),
    Row::zts("std-const", Kind::Access, "nts-static"),
    Row::zts("std-lazy", Kind::Access, "nts-static"),
    Row::zts("thread_local-crate", Kind::Access, "nts-static"),
    Row::zts("pthread_getspecific", Kind::Access, "nts-static"),
    Row::nts("nts-attach-again", Kind::Attach, "nts-attach-again"),
    Row::zts("attach-again", Kind::Attach, "nts-attach-again"),
    Row::nts("nts-attach-nested", Kind::Attach, "nts-attach-nested"),
    Row::zts("attach-nested", Kind::Attach, "nts-attach-nested"),
    Row::nts("nts-attach-first", Kind::Once, "nts-attach-first"),
    Row::zts("attach-first", Kind::Once, "nts-attach-first"),
    Row::nts("nts-detach", Kind::Once, "nts-detach"),
    Row::zts("detach", Kind::Once, "nts-detach"),
    Row::nts("vm-nts", Kind::Interpreter, "vm-nts"),
    Row::zts("vm-zts-static", Kind::Interpreter, "vm-nts"),
    Row::nts("vm-nts-cached", Kind::Interpreter, "vm-nts"),
    Row::zts("vm-zts-cached", Kind::Interpreter, "vm-nts"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_what_they_refer_to_exists() {
        let named = |name| ROWS.iter().filter(|row| row.name == name).count();
        for row in &ROWS {
            assert_eq!([row.name, row.baseline, row.empty].map(named), [1, 1, 1], "{}", row.name);
        }
    }
}
