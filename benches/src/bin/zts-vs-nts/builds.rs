//! The builds of a workload: both modes, with and without link-time optimisation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::Value;

const PACKAGE: &str = "tsrm-workload";

/// Thread-safe or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    Nts,
    Zts,
}

impl Mode {
    pub(crate) const ALL: [Self; 2] = [Self::Nts, Self::Zts];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nts => "NTS",
            Self::Zts => "ZTS",
        })
    }
}

/// A cargo profile of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Profile {
    FatLto,
    NoLto,
}

impl Profile {
    pub(crate) const ALL: [Self; 2] = [Self::FatLto, Self::NoLto];
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FatLto => "fat-lto",
            Self::NoLto => "no-lto",
        })
    }
}

/// One way to build a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Build {
    pub(crate) mode: Mode,
    pub(crate) profile: Profile,
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mode, self.profile)
    }
}

impl Build {
    /// All four.
    pub(crate) fn all() -> Vec<Self> {
        Profile::ALL.into_iter().flat_map(Self::of_profile).collect()
    }

    /// Those of both modes.
    pub(crate) fn of_profile(profile: Profile) -> [Self; 2] {
        Mode::ALL.map(|mode| Self { mode, profile })
    }

    /// Builds that binary of the workload, with these features and the mode's, and returns its path.
    ///
    /// In a target directory of its own: the modes differ in a feature, so that in a common one
    /// they would overwrite each other.
    pub(crate) fn compile(
        &self,
        workspace: &Workspace,
        binary: &str,
        features: &[&str],
    ) -> Result<PathBuf> {
        let directory = format!("{}-{}", self.mode, self.profile).to_lowercase();
        let mut cargo = workspace.cargo();
        cargo
            .args(["build", "--message-format", "json-render-diagnostics"])
            .args(["--package", PACKAGE, "--bin", binary])
            .args(["--profile", &self.profile.to_string()])
            .arg("--no-default-features")
            .arg("--target-dir")
            .arg(workspace.target.join("zts-vs-nts").join(directory));
        let mode: &[&str] = if self.mode == Mode::Zts { &["zts"] } else { &[] };
        for feature in features.iter().chain(mode) {
            cargo.args(["--features", feature]);
        }
        let output = run(&mut cargo)?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr);
            bail!("the {self} build of `{binary}` failed:\n\n{}", messages.trim_end());
        }
        executable(&output.stdout)
            .with_context(|| format!("cargo built no binary in the {self} build of `{binary}`"))
    }
}

/// The last executable that cargo's messages name.
fn executable(messages: &[u8]) -> Option<PathBuf> {
    let messages = String::from_utf8_lossy(messages);
    messages.lines().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(message.get("executable")?.as_str()?.into())
    })
}

/// The workspace of this program.
#[derive(Debug)]
pub(crate) struct Workspace {
    manifest: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Asks cargo where its target directory is, as there are many ways to configure that.
    pub(crate) fn find() -> Result<Self> {
        // At run time it is set if cargo runs this program; a program that was moved asks the place
        // where it was built.
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.parent().context("this package is not in a workspace")?;
        let mut workspace = Self { manifest: root.join("Cargo.toml"), target: PathBuf::new() };
        let mut cargo = workspace.cargo();
        let output = run(cargo.args(["metadata", "--format-version", "1", "--no-deps"]))?;
        if !output.status.success() {
            bail!("cargo metadata failed:\n\n{}", String::from_utf8_lossy(&output.stderr));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .context("cargo metadata gave something else than JSON")?;
        workspace.target = metadata
            .get("target_directory")
            .and_then(Value::as_str)
            .context("cargo metadata names no target directory")?
            .into();
        Ok(workspace)
    }

    /// The directory of the workspace.
    pub(crate) fn root(&self) -> &Path {
        self.manifest.parent().unwrap_or(&self.manifest)
    }

    /// The cargo that runs this program, in the workspace.
    fn cargo(&self) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(self.root());
        cargo
    }
}

fn run(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("cannot run {}", command.get_program().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_among_cargo_s_messages() {
        let messages = br#"{"reason":"compiler-artifact","executable":null}
{"reason":"compiler-artifact","executable":"/target/x"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("/target/x")));
        assert_eq!(executable(b"{\"executable\":null}\nnot JSON"), None);
    }
}
