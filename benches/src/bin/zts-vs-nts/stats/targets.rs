//! What the project promises of these rows, and whether it holds.
//!
//! All of it with link-time optimisation. Peers are judged by their inlined rows, and the called ones are told
//! beside them: where a call costs half as much as a locked instruction, those differ by less than the counts
//! do. Nothing is taken off either number of a ratio.

use super::checks::Check;
use super::results::Results;
use super::rows::{CONNECTION, Form, PROCESS};
use crate::builds::{Mode, Profile};
use crate::targets::Target;

/// A count, ZTS to NTS, in time and in instructions.
const ZTS_TO_NTS: f64 = 1.05;

/// A peer to ours.
struct Peer {
    name: &'static str,
    ours: &'static str,
    /// With how many threads it takes at least how often as much.
    limits: &'static [(u32, f64)],
}

const PEERS: [Peer; 4] = [
    Peer { name: "fetch_add", ours: PROCESS, limits: &[(1, 4.0), (2, 15.0), (16, 12.0)] },
    Peer { name: "mutex", ours: PROCESS, limits: &[(1, 10.0), (2, 25.0), (16, 60.0)] },
    Peer { name: "fetch_add-twice", ours: CONNECTION, limits: &[(1, 6.0), (2, 12.0), (16, 12.0)] },
    Peer {
        name: "prometheus-handle",
        ours: PROCESS,
        limits: &[(1, 4.0), (2, 8.0), (8, 8.0), (16, 8.0)],
    },
];
/// Of 64 threads and 163 counters.
const SNAPSHOT_NS: f64 = 10_000.0;

/// All promises.
pub(super) fn of(results: &Results, checks: &[Check]) -> Vec<Target> {
    let find =
        |name: &str, form, threads| results.find(Profile::FatLto, Mode::Zts, name, form, threads);
    let inlined = |name: &str, threads| find(name, Form::Inlined, threads);
    let (called, local) = (find(PROCESS, Form::Called, 1), inlined("local", 1));
    let mut targets: Vec<_> = [
        ("process, ZTS/NTS", called.and_then(|row| row.zts_to_nts)),
        ("process, ZTS to hand-written `+=`", called.and_then(|row| row.ratio)),
        ("process, instructions ZTS/NTS", called.and_then(|row| row.instructions_zts_to_nts)),
        ("local, inlined, ZTS/NTS", local.and_then(|row| row.zts_to_nts)),
    ]
    .map(|(what, ratio)| Target::at_most(what, ratio, ZTS_TO_NTS, "", 3))
    .into();
    // What eight counts without anything between them show, and hardly a program: the processor forwards
    // stores faster where the address is in a register.
    if let Some(ratio) = inlined(PROCESS, 1).and_then(|row| row.zts_to_nts) {
        targets[0].measured.push_str(&format!("; inlined: {ratio:.3}"));
    }
    for Peer { name, ours, limits } in PEERS {
        for &(threads, limit) in limits {
            let what = format!("{name} / {ours}, threads: {threads}");
            let ratio = inlined(name, threads).and_then(|row| row.ratio);
            let mut target = Target::at_least(&what, ratio, limit, " ×", 1);
            let called = find(name, Form::Called, threads).and_then(|row| row.ratio);
            if let Some(called) = called {
                target.measured.push_str(&format!("; called: {called:.1} ×"));
            }
            targets.push(target);
        }
    }
    let snapshot = inlined("snapshot", 64).map(|row| row.ns);
    targets.push(Target::at_most("snapshot of 64 threads", snapshot, SNAPSHOT_NS, " ns", 0));
    targets.push(nothing_lost(checks));
    targets
}

fn nothing_lost(checks: &[Check]) -> Target {
    let ours = || checks.iter().filter(|check| !check.is_racy()).map(|check| &check.outcome);
    let lost: u64 = ours().map(|outcome| outcome.expected.abs_diff(outcome.counted)).sum();
    let backward: u64 = ours().map(|outcome| outcome.backward).sum();
    Target {
        promise: "nothing is lost, and nothing goes backwards".to_owned(),
        measured: format!("lost: {lost}, steps back: {backward}"),
        is_met: ours().next().map(|_| (lost, backward) == (0, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_neither_met_nor_missed() {
        let nothing = Results { rows: Vec::new(), cores: Vec::new() };
        assert!(of(&nothing, &[]).iter().all(|target| target.is_met.is_none()));
    }
}
