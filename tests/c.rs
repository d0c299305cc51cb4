//! A program in C that links a library with a runtime in it, and reads its statistics.

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    const HERE: &str = env!("CARGO_MANIFEST_DIR");

    /// What both builds of `c/reader.c` say, in both modes, behind which one it is.
    const SAID: &str = r#"-- nothing yet
start: done
-- what there is
client.client: 4 statistics in 16 cells
  bytes_sent: kind 1, unit "bytes", first 2, away 0, buckets 0, max 0; Bytes sent.
  connections: kind 2, unit "", first 1, away 0, buckets 0, max 0; Connections open now.
  largest_result: kind 3, unit "", first 15, away 0, buckets 0, max 0; Rows in the largest "result".
  query_time: kind 4, unit "microseconds", first 3, away 0, buckets 11, max 10; How long queries took.
client.off: 0 statistics in 0 cells
client.second: 1 statistics in 1 cells
  uses: kind 1, unit "", first 0, away 0, buckets 0, max 0; Größe.
bad arguments that are not refused: 0
count: done
-- this thread's part
  bytes_sent: 512
  connections: 1
  largest_result: 20
  query_time: 2, 1 from 8 to 9, 1 from 11 to 18446744073709551615, sum 1009
wrong here: 0; there: seen, steps back: 0, at the end: exact
attach: done
-- counted
client.client: state 1
  bytes_sent: 100000512
  connections: 1
  largest_result: 20
  query_time: 2, 1 from 8 to 9, 1 from 11 to 18446744073709551615, sum 1009
client.off: state 1
client.second: state 1
  uses: 1
detach: done
count on another thread: done
close here: done
-- counted on a thread that is gone
client.client: state 1
  bytes_sent: 100001024
  connections: 1
  largest_result: 20
  query_time: 4, 2 from 8 to 9, 2 from 11 to 18446744073709551615, sum 2018
client.off: state 1
client.second: state 1
  uses: 2
detach: done
retire: done
-- retired
client.client: state 2
  bytes_sent: 100001024
  connections: 1
  largest_result: 20
  query_time: 4, 2 from 8 to 9, 2 from 11 to 18446744073709551615, sum 2018
client.off: state 2
client.second: state 2
  uses: 2
close: done
register the later version: done
found: the later one
-- the later one
client.off: state 2
client.second: state 2
  uses: 2
client.client: state 1
  queries: 0
-- the older one
client.client: state 2
  bytes_sent: 100001024
  connections: 0
  largest_result: 20
  query_time: 4, 2 from 8 to 9, 2 from 11 to 18446744073709551615, sum 2018
shutdown: done
count: refused
-- shut down
client.off: state 2
client.second: state 2
  uses: 2
client.client: state 2
  queries: 0
start again: done
count: done
-- the older one again
client.client: state 1
  bytes_sent: 100001536
  connections: 1
  largest_result: 20
  query_time: 6, 3 from 8 to 9, 3 from 11 to 18446744073709551615, sum 3027
client.off: state 1
client.second: state 1
  uses: 3
detach: done
close: done
shutdown: done
-- at the end
client.client: state 2
  bytes_sent: 100001536
  connections: 0
  largest_result: 20
  query_time: 6, 3 from 8 to 9, 3 from 11 to 18446744073709551615, sum 3027
client.off: state 2
client.second: state 2
  uses: 3
"#;

    const COMPILERS: [(&str, &[&str]); 2] =
        [("gcc", &["-std=c11"]), ("g++", &["-xc++", "-std=c++11"])];

    fn is_there(compiler: &str) -> bool {
        let is_there = Command::new(compiler).arg("--version").output().is_ok();
        if !is_there {
            eprintln!("skipped: `{compiler}` is missing");
        }
        is_there
    }

    /// With everything that a compiler finds fault with.
    fn compiler(name: &str, arguments: &[&str]) -> Command {
        let mut compiler = Command::new(name);
        compiler.args(["-Wall", "-Wextra", "-Werror", "-pedantic"]).args(arguments);
        compiler.arg("-I").arg(Path::new(HERE).join("../tsrm-core/include"));
        compiler
    }

    fn succeeds(command: &mut Command) -> String {
        let output = command.output().unwrap();
        let [out, error] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success(), "{command:?}: {}\n{out}\n{error}", output.status);
        out.into_owned()
    }

    /// Where the library is, in this mode; nothing in it is left undefined.
    fn library() -> PathBuf {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c-{}", tsrm::MODE));
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["rustc", "--quiet", "--lib", "--no-default-features"]);
        if !tsrm::SINGLE_THREADED {
            cargo.args(["--features", "zts"]);
        }
        cargo.arg("--manifest-path").arg(Path::new(HERE).join("c/Cargo.toml"));
        cargo.arg("--target-dir").arg(&target);
        cargo.args(["--", "-C", "link-arg=-Wl,--no-undefined"]);
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        succeeds(&mut cargo);
        target.join("debug")
    }

    #[test]
    fn a_program_reads_statistics() {
        let library = library();
        for (name, arguments) in COMPILERS {
            if !is_there(name) {
                continue;
            }
            let program = library.join(format!("reader-{name}"));
            let mut compiler = compiler(name, arguments);
            compiler
                .arg("-O1")
                .arg(Path::new(HERE).join("c/reader.c"))
                .args(["-xnone", "-pthread"]);
            compiler.arg("-L").arg(&library).arg("-ltsrm_c_host");
            compiler.arg(format!("-Wl,-rpath,{}", library.display())).arg("-o").arg(&program);
            succeeds(&mut compiler);
            // Cargo's path leads to another build of the library, where there is one.
            let said = succeeds(Command::new(&program).env_remove("LD_LIBRARY_PATH"));
            assert_eq!(said, format!("{} library\n{SAID}", tsrm::MODE), "{name}");
        }
    }

    /// What the header declares is there, and nothing else of ours.
    #[test]
    fn the_library_exports_what_the_header_declares() {
        if Command::new("nm").arg("--version").output().is_err() {
            eprintln!("skipped: `nm` is missing");
            return;
        }
        let header = include_str!("../tsrm-core/include/tsrm.h");
        let declared = header.lines().filter(|line| line.ends_with(");") && !line.starts_with(' '));
        let declared: BTreeSet<_> = declared
            .map(|line| line.split_once('(').unwrap().0)
            .map(|line| line.rsplit([' ', '*']).next().unwrap())
            .collect();
        assert_eq!(declared.len(), 5);
        let mut nm = Command::new("nm");
        let symbols = succeeds(nm.arg("-D").arg(library().join("libtsrm_c_host.so")));
        let exported = symbols.lines().filter_map(|line| line.split_once(" T "));
        let ours = exported.map(|(_, name)| name).filter(|name| name.starts_with("tsrm_"));
        assert_eq!(ours.collect::<BTreeSet<_>>(), declared);
    }

    /// The header by itself: in the oldest and the newest languages, to compilers that find fault with more.
    #[test]
    fn the_header_is_c_and_cxx() {
        const STRICT: [&str; 3] = ["-Wconversion", "-Wshadow", "-Wundef"];
        for (name, languages) in [("gcc", ["c99", "c17"]), ("g++", ["c++98", "c++20"])] {
            if !is_there(name) {
                continue;
            }
            for language in languages {
                let source = "#include \"tsrm.h\"\n#include \"tsrm.h\"\n";
                checks(name, &[&*format!("-std={language}")], &STRICT, source);
            }
        }
    }

    /// The layout that `tsrm-core/src/stats/description.rs` has, however a `uint64_t` is aligned.
    #[test]
    fn the_structs_are_the_library_s() {
        if !is_there("gcc") {
            return;
        }
        let source = "#include \"tsrm.h\"\n\
            _Static_assert(offsetof(tsrm_stat, name) == 24, \"\");\n\
            _Static_assert(offsetof(tsrm_set, module) == 24, \"\");\n\
            _Static_assert(sizeof(tsrm_set) == 24 + 3 * sizeof(void *), \"\");\n";
        checks("gcc", &["-std=c11"], &[], source);
        if cfg!(target_arch = "x86_64") {
            checks("gcc", &["-std=c11", "-m32", "-ffreestanding"], &[], source);
            checks("gcc", &["-std=c11", "-m32", "-ffreestanding", "-malign-double"], &[], source);
        }
    }

    fn checks(name: &str, language: &[&str], warnings: &[&str], source: &str) {
        let kind = if name == "g++" { "cc" } else { "c" };
        let file = format!("header{}.{kind}", language.join("").replace(['-', '=', '+'], "_"));
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        std::fs::write(&file, source).unwrap();
        succeeds(compiler(name, language).args(warnings).arg("-fsyntax-only").arg(file));
    }
}
