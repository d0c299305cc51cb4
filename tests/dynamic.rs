//! Crates that are shared objects (`-C prefer-dynamic`), as some programs build for development.

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

/// Builds the programs and their libraries; runs one of them, which says that, and nothing else goes wrong.
#[cfg(target_os = "linux")]
fn tell(program: &str, expected: &str) {
    use std::path::Path;
    use std::process::Command;

    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("dynamic/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dynamic-{}", tsrm::MODE));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--no-default-features"]);
    if !tsrm::SINGLE_THREADED {
        cargo.args(["--features", "zts"]);
    }
    cargo.env("RUSTFLAGS", "-C prefer-dynamic").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let built =
        cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target).status();
    assert!(built.unwrap().success());

    let libraries = Command::new("rustc").args(["--print", "target-libdir"]).output().unwrap();
    let libraries = String::from_utf8(libraries.stdout).unwrap();
    let binaries = target.join("debug");
    let path = format!("{}:{}/deps:{0}", libraries.trim(), binaries.display());
    let mut program = Command::new(binaries.join(program));
    program.arg(binaries.join("liblate.so")).env("LD_LIBRARY_PATH", path);
    let output = program.output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        expected,
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn modules_in_other_shared_objects() {
    let mode = tsrm::MODE;
    tell(
        "tsrm-dynamic",
        &format!(
            "{mode} round 1: fresh true, unlisted drops 1\n\
             {mode} round 2: fresh true, unlisted drops 2\n\
             {mode} round 3: fresh true, unlisted drops 3\n"
        ),
    );
}

#[cfg(target_os = "linux")]
#[test]
fn statistics_in_other_shared_objects() {
    let threads = if tsrm::SINGLE_THREADED { "[2]" } else { "[2, 1]" };
    tell(
        "loads",
        &format!(
            "linked: 111 bytes\n\
             linked: 222 bytes, 2 open\n\
             linked: 0 open\n\
             known: [\"traffic\"]\n\
             registered: 0 but for main\n\
             at rest: 2 but for main, {threads}\n\
             joined: 2 but for main\n\
             left: 2 but for main, []\n"
        ),
    );
}
