//! The rows of `lifecycle`, in the order in which they are shown. Both builds call them the same.

/// What a row measures, which says where it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The harness with nothing in it.
    Empty,
    /// A read of a field, or an attach: nanoseconds.
    Read,
    /// Something that changes what is registered, or waits for threads.
    Operation,
    /// A time among very many, beside registrations. There is a row `…-control` of the same without.
    Reader,
    /// That one.
    Control,
}

/// One row.
#[derive(Debug)]
pub(super) struct Row {
    /// As the workload calls it.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

impl Row {
    const fn of(kind: Kind, name: &'static str) -> Self {
        Self { name, kind }
    }

    /// Whether the row is of interest only for what it takes from others.
    pub(super) fn is_harness(&self) -> bool {
        self.kind == Kind::Empty
    }

    /// Whether what the harness costs is a part of it worth mentioning.
    pub(super) fn has_net(&self) -> bool {
        self.kind == Kind::Read
    }
}

/// What a call costs.
pub(super) const EMPTY: &str = "empty";
/// What reads are compared with.
pub(super) const BASELINE: &str = "arc-swap";

/// All rows. A single-threaded build has neither those with other threads nor the peers.
pub(super) const ROWS: [Row; 43] = [
    Row::of(Kind::Empty, EMPTY),
    Row::of(Kind::Read, "static"),
    Row::of(Kind::Read, "cached"),
    Row::of(Kind::Read, "table"),
    Row::of(Kind::Read, "shared"),
    Row::of(Kind::Read, "shared-lazy"),
    Row::of(Kind::Read, BASELINE),
    Row::of(Kind::Read, "crossbeam-epoch"),
    Row::of(Kind::Read, "std-rwlock"),
    Row::of(Kind::Read, "once_cell"),
    Row::of(Kind::Read, "attach-again"),
    Row::of(Kind::Operation, "register"),
    Row::of(Kind::Operation, "register-16-asleep"),
    Row::of(Kind::Operation, "register-64-asleep"),
    Row::of(Kind::Operation, "register-16-busy"),
    Row::of(Kind::Operation, "register-64-busy"),
    Row::of(Kind::Operation, "retire"),
    Row::of(Kind::Operation, "retire-16-asleep"),
    Row::of(Kind::Operation, "retire-64-asleep"),
    Row::of(Kind::Operation, "retire-16-busy"),
    Row::of(Kind::Operation, "retire-64-busy"),
    Row::of(Kind::Operation, "touch-next-attach"),
    Row::of(Kind::Operation, "touch-inside"),
    Row::of(Kind::Operation, "resource"),
    Row::of(Kind::Operation, "resource-touched"),
    Row::of(Kind::Operation, "quiesce"),
    Row::of(Kind::Operation, "quiesce-1-asleep"),
    Row::of(Kind::Operation, "quiesce-16-asleep"),
    Row::of(Kind::Operation, "quiesce-64-asleep"),
    Row::of(Kind::Operation, "quiesce-1-busy"),
    Row::of(Kind::Operation, "quiesce-16-busy"),
    Row::of(Kind::Reader, "read-99.9"),
    Row::of(Kind::Reader, "read-longest"),
    Row::of(Kind::Reader, "read-longest-own"),
    Row::of(Kind::Reader, "attach-99.9"),
    Row::of(Kind::Reader, "attach-longest"),
    Row::of(Kind::Reader, "attach-longest-own"),
    Row::of(Kind::Control, "read-99.9-control"),
    Row::of(Kind::Control, "read-longest-control"),
    Row::of(Kind::Control, "read-longest-own-control"),
    Row::of(Kind::Control, "attach-99.9-control"),
    Row::of(Kind::Control, "attach-longest-control"),
    Row::of(Kind::Control, "attach-longest-own-control"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_reader_has_its_control() {
        let named = |name: &str| ROWS.iter().filter(|row| row.name == name).count();
        for row in &ROWS {
            assert_eq!(named(row.name), 1, "{}", row.name);
            if row.kind == Kind::Reader {
                assert_eq!(named(&format!("{}-control", row.name)), 1, "{}", row.name);
            }
        }
        assert_eq!([EMPTY, BASELINE].map(named), [1, 1]);
    }
}
