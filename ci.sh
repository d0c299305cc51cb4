#!/usr/bin/env bash
# One command for everything that is checked: ./ci.sh PART…, without a part all but `full`.
#
#   fmt lint tidy test locks examples doc loom forced valgrind   what the CI runs
#   full                                                         what takes long or needs more: run by hand
#
# Installs missing Debian packages when it may; otherwise names them.
set -euo pipefail
cd "$(dirname "$0")"
export RUST_BACKTRACE=0

ZTS=(--features zts)
NTS=(--no-default-features)
LIBRARIES=(--workspace --exclude tsrm-model)
WATCHED=(--features deadlock-detection,lock-statistics)

# need COMMAND PACKAGE: the command, or false with a word. python:MODULE is a module for Python.
need() {
  is_there "$1" && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "ci.sh: installing $2"
    { apt-get update -qq && apt-get install -y -qq "$2"; } >/dev/null 2>&1 || true
  fi
  is_there "$1" || { echo "ci.sh: \`$1\` is missing (Debian package $2)"; return 1; }
}

# Debian's modules are there for Debian's own Python, which may not be the first one.
is_there() {
  case $1 in
    python:*) python3 -c "import ${1#python:}" || /usr/bin/python3 -c "import ${1#python:}" ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# The same for one program of a package that is not to be installed: as a whole it would start a server.
need_alone() {
  local tools=${CARGO_TARGET_DIR:-target}/tools
  mkdir -p "$tools" && tools=$(cd "$tools" && pwd)
  [[ :$PATH: == *":$tools:"* ]] || PATH=$PATH:$tools
  is_there "$1" && return
  if command -v apt-get >/dev/null; then
    echo "ci.sh: fetching $1 out of $2"
    {
      [ "$(id -u)" != 0 ] || apt-get update -qq
      (cd "$tools" && apt-get download -qq "$2" && dpkg-deb --fsys-tarfile "$2"_*.deb | tar -xO "./usr/bin/$1" >"$1" && chmod +x "$1") ||
        rm -f "$tools/$1"
      rm -f "$tools/$2"_*.deb
    } >/dev/null 2>&1
  fi
  is_there "$1" || { echo "ci.sh: \`$1\` is missing (Debian package $2)"; return 1; }
}

part_fmt() { cargo fmt --all --check; }

part_lint() {
  cargo clippy "${LIBRARIES[@]}" --all-targets -- -D warnings
  cargo clippy "${LIBRARIES[@]}" --all-targets "${NTS[@]}" -- -D warnings
  cargo clippy -p tsrm-locks --all-targets "${WATCHED[@]}" -- -D warnings
  cargo clippy -p tsrm-core --lib "${WATCHED[@]}" -- -D warnings
  cargo clippy -p tsrm-core --lib "${WATCHED[@]}" --no-default-features -- -D warnings
  RUSTFLAGS="--cfg tsrm_no_futex" cargo clippy -p tsrm-core --lib --target-dir "${CARGO_TARGET_DIR:-target}/no-futex" -- -D warnings
  RUSTFLAGS="--cfg loom" cargo clippy -p tsrm-model --all-targets --target-dir "${CARGO_TARGET_DIR:-target}/loom" -- -D warnings
}

# Each kind of cfg stays in its one home.
part_tidy() {
  local found=0
  stays() { # PATTERN HOME
    if git grep -nE "$1" -- 'tsrm-core/src/*.rs' 'tsrm-macros/src/*.rs' ":!$2" | grep -vE '^[^:]+:[0-9]+: *//'; then
      echo "ci.sh: the above belongs into $2"; found=1
    fi
  }
  stays 'cfg.*feature *=' tsrm-core/src/mode
  stays 'cfg.*(unix|target_os|target_arch|target_family)' tsrm-core/src/sys
  stays 'cfg.*\(loom\)' tsrm-core/src/primitive.rs
  if git grep -nE '\b(todo!|unimplemented!|TODO|FIXME|XXX)' -- '*.rs'; then found=1; fi
  if git ls-files '*.rs' | xargs wc -l 2>/dev/null | awk '$2 != "total" && $1 > 700 { print; bad = 1 } END { exit !bad }'; then
    echo "ci.sh: the above are too long for one subject"; found=1
  fi
  return "$found"
}

# The tests of one mode; then every binary must say that it is of that mode.
test_mode() { # NAME FLAGS…
  local name=$1; shift
  need objdump binutils || true
  need gcc gcc || true
  need g++ g++ || true
  need_alone promtool prometheus || true
  need python:prometheus_client python3-prometheus-client || true
  cargo test "${LIBRARIES[@]}" "$@"
  local said
  said=$(cargo test -q -p tsrm-tests -p tsrm-locks "$@" --test '*' -- --exact mode --nocapture | grep -o 'mode: .*' | sort | uniq -c)
  echo "$said"
  [ "$(echo "$said" | awk '{ print $2, $3 }')" = "mode: $name" ] ||
    { echo "ci.sh: a test binary is not of mode $name"; return 1; }
}

part_zts() { test_mode ZTS "${ZTS[@]}"; }
part_nts() { test_mode NTS "${NTS[@]}"; }
part_test() { part_zts; part_nts; }

# The locks once more: where threads sleep without futex, and where they are watched.
part_locks() {
  local mode
  for mode in "${ZTS[*]}" "${NTS[*]}"; do
    # shellcheck disable=SC2086
    RUSTFLAGS="--cfg tsrm_no_futex" cargo test -q -p tsrm-core --lib $mode --target-dir "${CARGO_TARGET_DIR:-target}/no-futex"
    # shellcheck disable=SC2086
    RUSTFLAGS="--cfg tsrm_no_futex" cargo test -q -p tsrm-locks $mode --target-dir "${CARGO_TARGET_DIR:-target}/no-futex"
    # shellcheck disable=SC2086
    cargo test -q -p tsrm-locks $mode "${WATCHED[@]}"
  done
}

part_examples() {
  local example
  for example in examples/examples/*; do
    example=$(basename "$example" .rs)
    for mode in "${ZTS[*]}" "${NTS[*]}"; do
      echo "example $example $mode"
      # shellcheck disable=SC2086
      cargo run -q -p tsrm-examples --example "$example" $mode >/dev/null
    done
  done
}

part_doc() {
  RUSTDOCFLAGS="-D warnings" cargo doc -q --no-deps -p tsrm-core -p tsrm-macros
  RUSTDOCFLAGS="-D warnings" cargo doc -q --no-deps -p tsrm-core "${NTS[@]}"
}

part_loom() { RUSTFLAGS="--cfg loom" cargo test -q -p tsrm-model --release --target-dir "${CARGO_TARGET_DIR:-target}/loom"; }

# Every global forced into one storage: the same behaviour.
part_forced() {
  local mode storage
  for mode in "${ZTS[*]}" "${NTS[*]}"; do
    for storage in force-cached force-table; do
      # shellcheck disable=SC2086
      cargo test -q -p tsrm-forced $mode --features $storage
    done
  done
}

# Memory errors and leaks, in both modes. Not the tests that are about great numbers, and for errors only
# what leaks by design (a panic's payload whose drop panics; shared values that stragglers may see).
part_valgrind() {
  need valgrind valgrind || return 0
  local memcheck=(valgrind -q --fair-sched=yes --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite)
  local mode story binary locks
  for mode in "${ZTS[*]}" "${NTS[*]}"; do
    # shellcheck disable=SC2086
    binary=$(cargo test -q -p tsrm-tests $mode --test it --no-run --message-format=json |
      sed -n 's/.*"executable":"\([^"]*\/it-[^"]*\)".*/\1/p')
    "${memcheck[@]}" "$binary" -q --test-threads 1 --skip thousand --skip random --skip churn \
      --skip late_interrupts --skip destructors_that_panic --skip lifecycle_model --skip statistics::
    "${memcheck[@]}" "$binary" -q --test-threads 1 statistics::kinds statistics::texts
    # shellcheck disable=SC2086
    locks=$(cargo test -q -p tsrm-locks $mode --test it --no-run --message-format=json |
      sed -n 's/.*"executable":"\([^"]*\/it-[^"]*\)".*/\1/p')
    "${memcheck[@]}" "$locks" -q --test-threads 1 --skip stress --skip model
    TSRM_MODEL_SEEDS=20 valgrind -q --fair-sched=yes --error-exitcode=99 "$binary" -q --test-threads 1 lifecycle_model
    # shellcheck disable=SC2086
    cargo build -q -p tsrm-tests $mode --bins
    for story in main-returns starting stragglers straggler-hooks shutdown-waits signals \
      'pthread-keys attached' stragglers-statistics signals-statistics 'exit-statistics returns' \
      'exit-statistics thread'; do
      # shellcheck disable=SC2086
      "${memcheck[@]}" "${CARGO_TARGET_DIR:-target}"/debug/story-$story >/dev/null
    done
  done
}

# By hand: what takes long, or a nightly toolchain, or another tool.
part_full() {
  if cargo deny --version >/dev/null 2>&1; then cargo deny check bans licenses sources
  else echo "ci.sh: skipped: cargo-deny is not installed"; fi
  part_msrv
  part_sanitizer
  # What a fork finds of the table of those that sleep.
  RUSTFLAGS="--cfg tsrm_no_futex" cargo test -q -p tsrm-tests --test process --target-dir "${CARGO_TARGET_DIR:-target}/no-futex" -- locks
  part_memcheck_loads
  local round
  for round in $(seq 20); do
    echo "soak: round $round"
    export TSRM_MODEL_FIRST=$((round * 100000)) TSRM_MODEL_SEEDS=5000
    cargo test -q -p tsrm-tests "${ZTS[@]}" --test it --test process
    cargo test -q -p tsrm-tests "${NTS[@]}" --test it --test process
    unset TSRM_MODEL_FIRST TSRM_MODEL_SEEDS
  done
}

# The oldest toolchain that the library promises, with its documentation's examples.
part_msrv() {
  if ! cargo +1.85.0 --version >/dev/null 2>&1; then echo "ci.sh: skipped: toolchain 1.85.0 is not installed"; return; fi
  cargo +1.85.0 test -q -p tsrm-core --target-dir "${CARGO_TARGET_DIR:-target}/msrv"
  cargo +1.85.0 test -q -p tsrm-core --target-dir "${CARGO_TARGET_DIR:-target}/msrv" "${NTS[@]}"
}

# The loads under valgrind: minutes each.
part_memcheck_loads() {
  need valgrind valgrind || return 0
  local mode binary
  for mode in "${ZTS[*]}" "${NTS[*]}"; do
    # shellcheck disable=SC2086
    binary=$(cargo test -q -p tsrm-tests $mode --test it --no-run --message-format=json |
      sed -n 's/.*"executable":"\([^"]*\/it-[^"]*\)".*/\1/p')
    valgrind -q --fair-sched=yes --error-exitcode=99 "$binary" -q --test-threads 1 load::ten_thousand load::churn load::readers
  done
}

# AddressSanitizer, on a nightly toolchain. (Leaks are valgrind's part; here some stories leak by
# design.)
part_sanitizer() {
  if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "ci.sh: skipped: the sanitizers need a nightly toolchain"; return
  fi
  local target mode
  target=$(rustc -vV | sed -n 's/^host: //p')
  for mode in "${ZTS[*]}" "${NTS[*]}"; do
    # shellcheck disable=SC2086
    RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=detect_leaks=0 cargo +nightly test -q -p tsrm-tests -p tsrm-locks $mode \
      --target "$target" --target-dir "${CARGO_TARGET_DIR:-target}/sanitizer" --test it --test process
  done
}

[ $# -gt 0 ] || set -- fmt lint tidy test locks examples doc loom forced valgrind
for part in "$@"; do
  declare -F "part_$part" >/dev/null || { echo "ci.sh: no part \`$part\`: see the head of this file"; exit 2; }
  echo "== $part"
  "part_$part"
done
echo "ci.sh: all parts passed: $*"
