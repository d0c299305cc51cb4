//! The machine code of an access and of a count, on x86-64 Linux with fat link-time optimisation.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

/// Builds the program in this mode and disassembles it; `None` with a word where that is not possible.
fn disassemble() -> Option<Program> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        eprintln!("skipped: these shapes are those of x86-64 Linux");
        return None;
    }
    if Command::new("objdump").arg("--version").output().is_err() {
        eprintln!("skipped: `objdump` is missing");
        return None;
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("shape/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shape-{}", tsrm::MODE));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--profile", "fat-lto", "--no-default-features"]);
    if !tsrm::SINGLE_THREADED {
        cargo.args(["--features", "zts"]);
    }
    // Flags of the test run (coverage, sanitizers) change the shapes.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let built =
        cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target).status();
    assert!(built.unwrap().success());
    Some(Program { path: target.join("fat-lto/tsrm-shape") })
}

struct Program {
    path: PathBuf,
}

impl Program {
    /// The instructions of a function, each with the displacement of a static's address left out.
    /// (The linker fills those in; all else is what the compiler wrote.)
    fn function(&self, name: &str) -> Vec<String> {
        self.listing(name).into_iter().map(|(_, instruction)| instruction).collect()
    }

    /// The same, each with where it is.
    fn listing(&self, name: &str) -> Vec<(u64, String)> {
        let mut objdump = Command::new("objdump");
        objdump.arg(format!("--disassemble={name}")).arg("--no-show-raw-insn").arg(&self.path);
        let output = objdump.output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().skip_while(|line| !line.ends_with(&format!("<{name}>:"))).skip(1);
        let code: Vec<_> = lines
            .take_while(|line| !line.is_empty())
            .map(|line| {
                let (address, instruction) = line.split_once(":\t").unwrap();
                let instruction = instruction.split(" #").next().unwrap();
                let instruction = instruction.split_whitespace().collect::<Vec<_>>().join(" ");
                (u64::from_str_radix(address.trim(), 16).unwrap(), instruction)
            })
            .collect();
        assert!(!code.is_empty(), "no function {name}");
        code
    }

    /// What a function does where a lock is free: nothing jumps aside, but when a first exchange succeeds.
    fn free_path(&self, name: &str) -> Vec<String> {
        let listing = self.listing(name);
        let mut path: Vec<String> = Vec::new();
        let mut index = 0;
        loop {
            assert!(path.len() <= listing.len(), "{name} goes in a circle: {path:?}");
            let (_, instruction) = &listing[index];
            path.push(instruction.clone());
            let has_exchanged = || path.iter().rev().nth(1).unwrap().starts_with("lock cmpxchg");
            index = match instruction.split_once(' ') {
                None if instruction == "ret" => return path,
                Some(("je", target)) if has_exchanged() => place(&listing, target),
                Some(("jmp", target)) => place(&listing, target),
                _ => index + 1,
            };
        }
    }

    fn address(&self, name: &str) -> String {
        let output = Command::new("nm").arg(&self.path).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.ends_with(&format!(" {name}"))).unwrap();
        line.split(' ').next().unwrap().to_owned()
    }
}

/// Which instruction a jump goes to: `1d592 <name+0x22>`.
fn place(listing: &[(u64, String)], target: &str) -> usize {
    let address = u64::from_str_radix(target.split(' ').next().unwrap(), 16).unwrap();
    listing.iter().position(|(at, _)| *at == address).expect("it stays in the function")
}

/// What differs from link to link: `0x1234(%rip)` → `(%rip)`, `%fs:0xfff0` → `%fs:`, and the target
/// of a jump.
fn without_addresses(instruction: &str) -> String {
    let hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == 'x');
    let operand = |operand: &str| match operand.split_once("(%rip)").or(operand.split_once("%fs:"))
    {
        Some((address, "")) if hex(address) => "(%rip)".to_owned(),
        Some(("", address)) if hex(address) => "%fs:".to_owned(),
        _ => operand.to_owned(),
    };
    match instruction.split_once(' ') {
        Some((name, _)) if name.starts_with('j') => name.to_owned(),
        Some((name, operands)) => {
            format!("{name} {}", operands.split(',').map(operand).collect::<Vec<_>>().join(","))
        }
        None => instruction.to_owned(),
    }
}

fn shape(code: &[String]) -> Vec<String> {
    code.iter().map(|instruction| without_addresses(instruction)).collect()
}

#[test]
fn a_static_access_is_one_instruction() {
    let Some(program) = disassemble() else { return };
    let code = shape(&program.function("shape_static"));
    if tsrm::SINGLE_THREADED {
        assert_eq!(code, ["incq (%rip)", "ret"]);
        assert_eq!(code, shape(&program.function("shape_by_hand")));
    } else {
        assert_eq!(code, ["incq %fs:", "ret"]);
    }

    // One load and one predicted branch before the access itself; the rest is the cold path.
    let code = shape(&program.function("shape_cached"));
    let aligns_stack =
        |code: &&String| ["push %rax", "pop %rax", "pop %rcx"].contains(&code.as_str());
    let hot: Vec<_> = code.iter().filter(|code| !aligns_stack(code)).take(5).collect();
    let load = if tsrm::SINGLE_THREADED { "mov (%rip),%rax" } else { "mov %fs:,%rax" };
    assert_eq!(hot, [load, "test %rax,%rax", "je", "incq 0x8(%rax)", "ret"], "{code:?}");

    // A shared value: the same, by a plain static, in both modes. No fence, no counting.
    let code = shape(&program.function("shape_shared"));
    let hot: Vec<_> = code.iter().filter(|code| !aligns_stack(code)).take(5).collect();
    assert_eq!(
        hot,
        ["mov (%rip),%rax", "test %rax,%rax", "je", "mov 0x8(%rax),%rax", "ret"],
        "{code:?}"
    );

    // A token costs nothing to pass. (The compiler may see that, and emit the function once.)
    if program.address("shape_with_token") != program.address("shape_without_token") {
        assert_eq!(program.function("shape_with_token"), program.function("shape_without_token"));
    }
}

/// What a count is in each mode, with the memory operand in place of `MEMORY`.
fn in_memory(code: &[&str]) -> Vec<String> {
    let memory = if tsrm::SINGLE_THREADED { "(%rip)" } else { "%fs:" };
    code.iter().map(|instruction| instruction.replace("MEMORY", memory)).collect()
}

#[test]
fn a_count_is_one_instruction() {
    let Some(program) = disassemble() else { return };
    let code = |name: &str| shape(&program.function(name));
    assert_eq!(code("shape_inc"), in_memory(&["incq MEMORY", "ret"]));
    assert_eq!(code("shape_add"), in_memory(&["add %rdi,MEMORY", "ret"]));
    let two = in_memory(&["add %rdi,MEMORY", "incq MEMORY", "ret"]);
    assert_eq!(code("shape_add_all"), two);
    // No store where it is not higher.
    let raise = ["mov MEMORY,%rax", "cmp %rax,%rdi", "jbe", "mov %rdi,MEMORY", "ret"];
    assert_eq!(code("shape_raise"), in_memory(&raise));
    // As by hand, where that can be.
    let by_hand = |name: &str| -> Vec<String> {
        let memory = if tsrm::SINGLE_THREADED { "(%rip)" } else { "%fs:" };
        code(name).iter().map(|code| code.replace("(%rip)", memory)).collect()
    };
    assert_eq!(code("shape_inc"), by_hand("shape_inc_by_hand"));
    assert_eq!(code("shape_add"), by_hand("shape_add_by_hand"));
    // In a loop: the address once, and nothing but the addition (and what the function does to have a number
    // each time).
    let local = code("shape_local");
    let is_address = |code: &&String| code.contains("%fs:") || code.contains("(%rip)");
    assert_eq!(local.iter().filter(is_address).count(), 1, "{local:?}");
    let is_count = |code: &&String| code.starts_with("add %r") && code.ends_with(')');
    assert_eq!(local.iter().filter(is_count).count(), 1, "{local:?}");
    assert!(!local.iter().any(|code| code.starts_with("call")), "{local:?}");

    // An object's and the process's.
    let owned = code("shape_owned");
    assert!(owned[0].starts_with("incq 0x") && owned[0].ends_with("(%rdi)"), "{owned:?}");
    assert_eq!(owned[1..], in_memory(&["incq MEMORY", "ret"]));

    // The switch is looked at once, also for several counters; if it is on, no jump is taken.
    let look = ["movzbl (%rip),%eax", "test %al,%al", "je"];
    let with = |rest: Vec<String>| [in_memory(&look), rest].concat();
    assert_eq!(code("shape_switched"), with(in_memory(&["incq MEMORY", "ret"])));
    assert_eq!(code("shape_switched_all"), with(two));
}

#[test]
fn what_is_compiled_off_is_not_there() {
    let Some(program) = disassemble() else { return };
    assert_eq!(shape(&program.function("shape_off")), ["ret"]);
}

#[test]
fn a_gauge_that_is_compiled_off_is_not_there() {
    let Some(program) = disassemble() else { return };
    // The amounts of two guards.
    assert_eq!(shape(&program.function("shape_off_gauge")), ["xor %eax,%eax", "ret"]);
}

#[test]
fn what_is_compiled_off_is_not_there_without_a_token() {
    let Some(program) = disassemble() else { return };
    assert_eq!(shape(&program.function("shape_off_anywhere")), ["ret"]);
}

/// How often a free lock's path goes to memory that others may have, and how.
fn locked(path: &[String]) -> Vec<&str> {
    let locked = path.iter().filter_map(|code| code.strip_prefix("lock "));
    locked.map(|code| code.split(' ').next().unwrap()).collect()
}

/// Two locked instructions for each kind, four for an upgrade and back. None of them is the loop around a `cmpxchg` that
/// the compiler makes of what the processor has no instruction for.
const LOCKED: [(&str, &[&str]); 5] = [
    ("mutex", &["btsl", "decl"]),
    ("shared", &["cmpxchg", "xadd"]),
    ("update", &["btsl", "xadd"]),
    ("exclusive", &["cmpxchg", "subl"]),
    ("upgrade", &["btsl", "xadd", "xadd", "xadd"]),
];

#[test]
fn a_free_lock_is_two_locked_instructions() {
    let Some(program) = disassemble() else { return };
    let is_call = |code: &String| code.starts_with("call");
    for (kind, expected) in LOCKED {
        // Without a token they are atomic in both builds.
        let raw = program.free_path(&format!("shape_raw_{kind}"));
        assert_eq!(locked(&raw), expected, "{kind}: {raw:?}");
        assert!(!raw.iter().any(is_call), "{kind}: {raw:?}");
        // With one they are the same; and where there is one thread, plain loads and stores.
        let name = format!("shape_lock_{kind}");
        let path = program.free_path(&name);
        let expected = if tsrm::SINGLE_THREADED { &[] } else { expected };
        assert_eq!(locked(&path), expected, "{kind}: {path:?}");
        assert!(!path.iter().any(is_call), "{kind}: {path:?}");
        if tsrm::SINGLE_THREADED {
            let all = program.function(&name);
            // An exchange with memory is locked without the word.
            let is_locked = |code: &String| code.starts_with("lock") || code.starts_with("xchg");
            assert!(!all.iter().any(is_locked), "{kind}: {all:?}");
        }
    }
}

#[test]
fn a_free_mutex_as_a_whole() {
    let Some(program) = disassemble() else { return };
    let hot = |name: &str| shape(&program.free_path(name));
    let atomic =
        ["lock btsl $0x0,(%rdi)", "jb", "incq 0x8(%rdi)", "lock decl (%rdi)", "jne", "ret"];
    let plain = [
        "cmpl $0x0,(%rdi)",
        "movl $0x1,(%rdi)",
        "jne",
        "incq 0x8(%rdi)",
        "movl $0x0,(%rdi)",
        "ret",
    ];
    assert_eq!(hot("shape_raw_mutex"), atomic);
    assert_eq!(hot("shape_lock_mutex"), if tsrm::SINGLE_THREADED { plain } else { atomic });
}
