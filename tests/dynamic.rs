//! Crates that are shared objects (`-C prefer-dynamic`), as some programs build for development.

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

#[cfg(target_os = "linux")]
#[test]
fn modules_in_other_shared_objects() {
    use std::path::Path;
    use std::process::Command;

    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("dynamic/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dynamic-{}", tsrm::MODE));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--no-default-features"]);
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
    let output = Command::new(binaries.join("tsrm-dynamic")).env("LD_LIBRARY_PATH", path).output();
    let output = output.unwrap();
    let mode = tsrm::MODE;
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!(
            "{mode} round 1: fresh true, unlisted drops 1\n\
             {mode} round 2: fresh true, unlisted drops 2\n\
             {mode} round 3: fresh true, unlisted drops 3\n"
        ),
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success());
}
