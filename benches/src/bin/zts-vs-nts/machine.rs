//! Where the numbers come from.

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

use crate::callgrind;

/// What is worth knowing of a machine when its numbers are compared with another's.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: Option<usize>,
    pub(crate) os: String,
    pub(crate) rustc: Option<String>,
    pub(crate) valgrind: Option<String>,
}

impl Machine {
    /// This one, with the compiler of that workspace.
    pub(crate) fn here(workspace: &Path) -> Self {
        Self {
            cpu: cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            os: os(),
            rustc: rustc(workspace),
            valgrind: callgrind::version(),
        }
    }
}

/// In one line.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, os, .. } = self;
        let cores = self.cores.map_or_else(String::new, |cores| format!(", {cores} cores"));
        let rustc = self.rustc.as_deref().unwrap_or("an unknown compiler");
        write!(f, "{cpu}{cores}, {os}, {rustc}")
    }
}

fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(name.trim_start_matches([' ', '\t', ':']).trim_end().to_owned())
}

fn os() -> String {
    let name = std::env::consts::OS;
    match std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(release) => format!("{name} {}", release.trim()),
        Err(_) => name.to_owned(),
    }
}

fn rustc(workspace: &Path) -> Option<String> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).arg("--version").current_dir(workspace).output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
