//! The rows of `stats`, in the order in which they are shown. Both builds call them the same.

use serde::Serialize;

/// What a row measures, which says where it is shown and what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The harness with nothing in it.
    Nothing,
    /// What a single-threaded program would write.
    Plain,
    /// A count by ours.
    Count,
    /// A count by a peer, to be compared with that row of ours.
    Peer(&'static str),
    /// Reading, and the life of a thread.
    Read,
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

    /// What the row's ratio is to: that row with so many threads. A count by ours is compared with what
    /// one thread of a single-threaded program would do; peers are compared with ours.
    pub(super) fn baseline(&self, threads: u32) -> Option<(&'static str, u32)> {
        match self.kind {
            Kind::Count => Some((PLAIN, 1)),
            Kind::Peer(ours) => Some((ours, threads)),
            Kind::Nothing | Kind::Plain | Kind::Read => None,
        }
    }
}

/// With how many threads there are rows.
pub(super) const THREADS: [u32; 4] = [1, 2, 8, 16];
/// With how many threads there are rows of reading.
pub(super) const READ_THREADS: [u32; 2] = [1, 64];

pub(super) const PLAIN: &str = "plain";
pub(super) const PROCESS: &str = "process";
pub(super) const CONNECTION: &str = "connection";

/// All rows. A single-threaded build has one thread, and not the peers.
pub(super) const ROWS: [Row; 28] = [
    Row::of(Kind::Nothing, "nothing"),
    Row::of(Kind::Plain, PLAIN),
    Row::of(Kind::Count, PROCESS),
    Row::of(Kind::Count, "local"),
    Row::of(Kind::Count, CONNECTION),
    Row::of(Kind::Count, "pool"),
    Row::of(Kind::Count, "switched-on"),
    Row::of(Kind::Count, "switched-off"),
    Row::of(Kind::Count, "compiled-off"),
    Row::of(Kind::Count, "add_all-two"),
    Row::of(Kind::Count, "add_all-three"),
    Row::of(Kind::Count, "histogram"),
    Row::of(Kind::Count, "gauge"),
    Row::of(Kind::Peer(PROCESS), "mutex"),
    Row::of(Kind::Peer(CONNECTION), "mutex-twice"),
    Row::of(Kind::Peer(PROCESS), "fetch_add"),
    Row::of(Kind::Peer(CONNECTION), "fetch_add-twice"),
    Row::of(Kind::Peer(PROCESS), "fetch_add-padded"),
    Row::of(Kind::Peer(PROCESS), "fetch_add-16-shards"),
    Row::of(Kind::Peer(PROCESS), "thread_local-crate"),
    Row::of(Kind::Peer(PROCESS), "prometheus-handle"),
    Row::of(Kind::Peer(PROCESS), "prometheus-family"),
    Row::of(Kind::Peer(PROCESS), "metrics-handle"),
    Row::of(Kind::Peer(PROCESS), "metrics-macro"),
    Row::of(Kind::Read, "snapshot"),
    Row::of(Kind::Read, "per_thread"),
    Row::of(Kind::Read, "attach-first"),
    Row::of(Kind::Read, "detach"),
];

/// How the operation is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    /// As a function that is never inlined, on one thread.
    Called,
    /// In the loop itself. Of [`Kind::Read`], in whatever form.
    Inlined,
}

/// How the workload calls what it measured.
pub(super) fn key(name: &str, form: Form, threads: u32) -> String {
    match form {
        Form::Called => format!("{name}/called"),
        Form::Inlined => format!("{name}/{threads}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_what_they_refer_to_exists() {
        let named = |name| ROWS.iter().filter(|row| row.name == name).count();
        for row in &ROWS {
            assert_eq!(named(row.name), 1, "{}", row.name);
            let baseline = row.baseline(8).map(|(name, _)| name);
            assert!(baseline.is_none_or(|name| named(name) == 1), "{}", row.name);
        }
    }
}
