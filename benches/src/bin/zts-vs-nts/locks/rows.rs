//! The rows of `locks`, in the order in which they are shown. Both builds call them the same.

/// Whose lock it is, which says what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two locked instructions.
    Floor,
    /// Ours, to be compared with all peers.
    Sux,
    /// Ours, to be compared with those that are mutexes.
    Srw,
    /// A peer with shared access.
    RwLock,
    /// A peer without.
    Mutex,
}

/// One lock.
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

    pub(super) fn is_peer(&self) -> bool {
        matches!(self.kind, Kind::RwLock | Kind::Mutex)
    }

    /// What this lock is compared with.
    pub(super) fn peers(&self) -> impl Iterator<Item = &'static Self> {
        let kind = self.kind;
        let is_compared = move |peer: &&Self| match kind {
            Kind::Sux => peer.is_peer(),
            Kind::Srw => peer.kind == Kind::Mutex,
            Kind::Floor | Kind::RwLock | Kind::Mutex => false,
        };
        ROWS.iter().filter(is_compared)
    }
}

pub(super) const FLOOR: &str = "floor";
pub(super) const SUX: &str = "SuxLock";
pub(super) const PARKING_LOT: [&str; 2] = ["parking_lot-RwLock", "parking_lot-0.12-RwLock"];

/// All locks. A single-threaded build has ours only, and nobody waits there.
pub(super) const ROWS: [Row; 12] = [
    Row::of(Kind::Floor, FLOOR),
    Row::of(Kind::Sux, SUX),
    Row::of(Kind::Srw, "SrwMutex"),
    Row::of(Kind::Sux, "raw-RwLock"),
    Row::of(Kind::Srw, "raw-Mutex"),
    Row::of(Kind::RwLock, PARKING_LOT[0]),
    Row::of(Kind::RwLock, PARKING_LOT[1]),
    Row::of(Kind::RwLock, "std-RwLock"),
    Row::of(Kind::RwLock, "usync-RwLock"),
    Row::of(Kind::RwLock, "pthread-rwlock"),
    Row::of(Kind::Mutex, "parking_lot-Mutex"),
    Row::of(Kind::Mutex, "std-Mutex"),
];

/// What one thread does with a lock that is free.
pub(super) const FREE: [&str; 4] = ["S", "U", "X", UPGRADED];
pub(super) const UPGRADED: &str = "U-X-U";

/// What many threads do with one lock.
pub(super) const CONTENDED: [&str; 4] = ["99/1", HALF, "U-mix", "X-empty"];
pub(super) const HALF: &str = "50/50";
/// How many there are.
pub(super) const THREADS: [u32; 4] = [2, 4, 16, MANY];
pub(super) const MANY: u32 = 64;

/// How the workload calls one figure.
pub(super) fn key(name: &str, workload: &str, threads: u32, figure: &str) -> String {
    format!("{name} {workload} {threads} {figure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_each_of_ours_has_peers() {
        let named = |name| ROWS.iter().filter(|row| row.name == name).count();
        for row in &ROWS {
            assert_eq!(named(row.name), 1, "{}", row.name);
        }
        let peers = |name| {
            let row = ROWS.iter().find(|row| row.name == name).unwrap();
            row.peers().map(|peer| peer.name).collect::<Vec<_>>()
        };
        let mutexes = ["parking_lot-Mutex", "std-Mutex"];
        assert_eq!(peers("SrwMutex"), mutexes);
        assert_eq!(peers("std-RwLock"), [""; 0]);
        let locks = [
            PARKING_LOT[0],
            PARKING_LOT[1],
            "std-RwLock",
            "usync-RwLock",
            "pthread-rwlock",
            mutexes[0],
            mutexes[1],
        ];
        assert_eq!(peers(SUX), locks);
    }
}
