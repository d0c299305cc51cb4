//! An enum of 5,000 statistics: as a program that is written down and built here.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

/// Each kind in turn.
fn variants(count: usize) -> String {
    let mut variants = String::new();
    for number in 0..count {
        let kind = match number % 4 {
            0 => "counter",
            1 => "gauge",
            2 => "peak",
            _ => "histogram, max = 1",
        };
        writeln!(variants, "/// Number {number}.\n#[stat({kind})] V{number},").unwrap();
    }
    variants
}

const MAIN: &str = r##"
#[derive(Clone, Copy, tsrm::Statistics)]
pub enum Wide {
VARIANTS
}

#[tsrm::module]
mod wide {
    #[statistics]
    pub static WIDE: Statistics<super::Wide>;
}
use wide::WIDE;

#[tsrm::main(wide)]
fn main(tsrm: tsrm::Runtime) {
    let guard = tsrm.attach(|here| {
        WIDE.add(here, Wide::V0, 1);
        WIDE.add(here, Wide::V4996, 2);
        WIDE.raise(here, Wide::V4998, 3);
        WIDE.record(here, Wide::V4999, 4);
        WIDE.open_many(here, Wide::V4997, 5)
    });
    let now = WIDE.snapshot();
    let counted = now.iter().filter(|reading| reading.value.count() > 0);
    let counted: Vec<_> = counted.map(|reading| (reading.name, reading.value.count())).collect();
    println!("{} {counted:?}", now.iter().count());
    println!("{:?}", now.get("v4999").unwrap().help);
    drop(guard);
    tsrm.detach().unwrap();
    println!("{:?}", WIDE.snapshot().get("v4997").unwrap().value);
    let report = tsrm.report();
    println!("{} bytes", report.modules[0].statistics[0].bytes);
}
"##;

#[test]
fn five_thousand_statistics() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let here = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("wide-{}", tsrm::MODE));
    std::fs::create_dir_all(here.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"wide\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\ntsrm-core = {{ path = {:?}, default-features = false }}\n",
        crates.join("tsrm-core")
    );
    std::fs::write(here.join("Cargo.toml"), manifest).unwrap();
    // The same releases of what it depends on.
    std::fs::copy(crates.join("Cargo.lock"), here.join("Cargo.lock")).unwrap();
    std::fs::write(here.join("src/main.rs"), MAIN.replace("VARIANTS", &variants(5_000))).unwrap();

    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--offline", "--manifest-path"]).arg(here.join("Cargo.toml"));
    if !tsrm::SINGLE_THREADED {
        cargo.args(["--features", "tsrm-core/zts"]);
    }
    let output = cargo.env("CARGO_TARGET_DIR", here.join("target")).output().unwrap();
    // 1,250 of each kind: a counter is a cell, a gauge two, a peak one, such a histogram four.
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "5000 [(\"v0\", 1), (\"v4996\", 2), (\"v4997\", 5), (\"v4998\", 3), (\"v4999\", 1)]\n\
         \"Number 4999.\"\n\
         Gauge(0)\n\
         80000 bytes\n",
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success());
}
