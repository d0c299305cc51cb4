//! What the exporters write, and what others read in it: `promtool` and the parsers of Prometheus's client
//! for Python.
#![allow(dead_code, reason = "of some statistics only the names are looked at")]

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tsrm::stats::{ExportError, OwnedStatistics, SetState, Snapshot, open_metrics, prometheus};

#[test]
fn mode() {
    println!("mode: {}", tsrm::MODE);
}

// Sets are the process's: what a test counts in, is its own.

#[tsrm::module]
mod client {
    #[derive(tsrm::Statistics)]
    pub enum Client {
        /// Bytes sent to "the server", not to C:\nul.
        #[stat(counter, unit = "bytes")]
        BytesSent,
        #[stat(counter)]
        Requests,
        /// Time spent waiting.
        ///
        /// Not a part of the help.
        #[stat(counter, unit = "milliseconds")]
        Waited,
        /// Connections open now.
        #[stat(gauge)]
        Connections,
        /// Room of all buffers.
        #[stat(gauge, unit = "bytes")]
        Buffers,
        /// The slowest query.
        #[stat(peak, unit = "nanoseconds")]
        SlowestQuery,
        /// How long queries took.
        #[stat(histogram, unit = "microseconds", max = 2_000_000)]
        QueryTime,
        /// Rows of results.
        #[stat(histogram, unit = "rows", max = 7)]
        ResultRows,
    }

    #[statistics]
    pub static CLIENT: tsrm::Statistics<Client>;
}
use client::{CLIENT, Client};

#[tsrm::module]
mod idle {
    #[statistics]
    pub static CLIENT: tsrm::Statistics<super::Client>;
}

#[tsrm::module]
mod switched_off {
    #[derive(tsrm::Statistics)]
    #[stat(off)]
    pub enum Off {
        /// Not counted.
        #[stat(counter)]
        Uses,
    }

    #[statistics]
    pub static OFF: tsrm::Statistics<Off>;
}

const CLASSIC: &str = r#"# HELP client_bytes_sent_total Bytes sent to "the server", not to C:\\nul.
# TYPE client_bytes_sent_total counter
client_bytes_sent_total 18446744073709551615
# HELP client_requests_total Requests.
# TYPE client_requests_total counter
client_requests_total 3
# HELP client_waited_seconds_total Time spent waiting.
# TYPE client_waited_seconds_total counter
client_waited_seconds_total 12.34
# HELP client_connections Connections open now.
# TYPE client_connections gauge
client_connections 1
# HELP client_buffers_bytes Room of all buffers.
# TYPE client_buffers_bytes gauge
client_buffers_bytes 4096
# HELP client_slowest_query_seconds The slowest query.
# TYPE client_slowest_query_seconds gauge
client_slowest_query_seconds 2.000000001
# HELP client_query_time_seconds How long queries took.
# TYPE client_query_time_seconds histogram
client_query_time_seconds_bucket{le="0.0"} 1
client_query_time_seconds_bucket{le="1e-06"} 2
client_query_time_seconds_bucket{le="3e-06"} 3
client_query_time_seconds_bucket{le="7e-06"} 3
client_query_time_seconds_bucket{le="1.5e-05"} 3
client_query_time_seconds_bucket{le="3.1e-05"} 3
client_query_time_seconds_bucket{le="6.3e-05"} 3
client_query_time_seconds_bucket{le="0.000127"} 3
client_query_time_seconds_bucket{le="0.000255"} 3
client_query_time_seconds_bucket{le="0.000511"} 3
client_query_time_seconds_bucket{le="0.001023"} 4
client_query_time_seconds_bucket{le="0.002047"} 5
client_query_time_seconds_bucket{le="0.004095"} 5
client_query_time_seconds_bucket{le="0.008191"} 5
client_query_time_seconds_bucket{le="0.016383"} 5
client_query_time_seconds_bucket{le="0.032767"} 5
client_query_time_seconds_bucket{le="0.065535"} 5
client_query_time_seconds_bucket{le="0.131071"} 5
client_query_time_seconds_bucket{le="0.262143"} 5
client_query_time_seconds_bucket{le="0.524287"} 5
client_query_time_seconds_bucket{le="1.048575"} 5
client_query_time_seconds_bucket{le="2.0"} 6
client_query_time_seconds_bucket{le="+Inf"} 8
client_query_time_seconds_sum 7.00205
client_query_time_seconds_count 8
# HELP client_result_rows Rows of results.
# TYPE client_result_rows histogram
client_result_rows_bucket{le="0.0"} 0
client_result_rows_bucket{le="1.0"} 0
client_result_rows_bucket{le="3.0"} 0
client_result_rows_bucket{le="7.0"} 0
client_result_rows_bucket{le="+Inf"} 0
client_result_rows_sum 0
client_result_rows_count 0
"#;

/// What stands above the samples in OpenMetrics, with `…` for those.
const OPEN_METRICS_HEADS: &str = r##"# TYPE client_bytes_sent counter
# HELP client_bytes_sent Bytes sent to \"the server\", not to C:\\nul.
…
# TYPE client_requests counter
# HELP client_requests Requests.
…
# TYPE client_waited_seconds counter
# UNIT client_waited_seconds seconds
# HELP client_waited_seconds Time spent waiting.
…
# TYPE client_connections gauge
# HELP client_connections Connections open now.
…
# TYPE client_buffers_bytes gauge
# UNIT client_buffers_bytes bytes
# HELP client_buffers_bytes Room of all buffers.
…
# TYPE client_slowest_query_seconds gauge
# UNIT client_slowest_query_seconds seconds
# HELP client_slowest_query_seconds The slowest query.
…
# TYPE client_query_time_seconds histogram
# UNIT client_query_time_seconds seconds
# HELP client_query_time_seconds How long queries took.
…
# TYPE client_result_rows histogram
# UNIT client_result_rows rows
# HELP client_result_rows Rows of results.
…
# EOF
"##;

/// What both parsers read, one line for each family and for each of its samples.
const READ: &str = r#"client_bytes_sent counter: Bytes sent to "the server", not to C:\nul.
  client_bytes_sent_total 1.8446744073709552e+19
client_requests counter: Requests.
  client_requests_total 3.0
client_waited_seconds counter: Time spent waiting.
  client_waited_seconds_total 12.34
client_connections gauge: Connections open now.
  client_connections 1.0
client_buffers_bytes gauge: Room of all buffers.
  client_buffers_bytes 4096.0
client_slowest_query_seconds gauge: The slowest query.
  client_slowest_query_seconds 2.000000001
client_query_time_seconds histogram: How long queries took.
  client_query_time_seconds_bucket le=0.0 1.0
  client_query_time_seconds_bucket le=1e-06 2.0
  client_query_time_seconds_bucket le=3e-06 3.0
  client_query_time_seconds_bucket le=7e-06 3.0
  client_query_time_seconds_bucket le=1.5e-05 3.0
  client_query_time_seconds_bucket le=3.1e-05 3.0
  client_query_time_seconds_bucket le=6.3e-05 3.0
  client_query_time_seconds_bucket le=0.000127 3.0
  client_query_time_seconds_bucket le=0.000255 3.0
  client_query_time_seconds_bucket le=0.000511 3.0
  client_query_time_seconds_bucket le=0.001023 4.0
  client_query_time_seconds_bucket le=0.002047 5.0
  client_query_time_seconds_bucket le=0.004095 5.0
  client_query_time_seconds_bucket le=0.008191 5.0
  client_query_time_seconds_bucket le=0.016383 5.0
  client_query_time_seconds_bucket le=0.032767 5.0
  client_query_time_seconds_bucket le=0.065535 5.0
  client_query_time_seconds_bucket le=0.131071 5.0
  client_query_time_seconds_bucket le=0.262143 5.0
  client_query_time_seconds_bucket le=0.524287 5.0
  client_query_time_seconds_bucket le=1.048575 5.0
  client_query_time_seconds_bucket le=2.0 6.0
  client_query_time_seconds_bucket le=+Inf 8.0
  client_query_time_seconds_sum 7.00205
  client_query_time_seconds_count 8.0
client_result_rows histogram: Rows of results.
  client_result_rows_bucket le=0.0 0.0
  client_result_rows_bucket le=1.0 0.0
  client_result_rows_bucket le=3.0 0.0
  client_result_rows_bucket le=7.0 0.0
  client_result_rows_bucket le=+Inf 0.0
  client_result_rows_sum 0.0
  client_result_rows_count 0.0
"#;

#[tsrm::test(client, switched_off)]
fn all_kinds(tsrm: tsrm::Runtime) {
    let connection = tsrm.attach(|here| {
        CLIENT.add(here, Client::BytesSent, u64::MAX);
        for _ in 0..3 {
            CLIENT.inc(here, Client::Requests);
        }
        CLIENT.add(here, Client::Waited, 12_340);
        CLIENT.raise(here, Client::SlowestQuery, 2_000_000_001);
        for time in [0, 1, 2, 1023, 1024, 2_000_000, 2_000_001, 2_999_999] {
            CLIENT.record(here, Client::QueryTime, time);
        }
        switched_off::OFF.inc(here, switched_off::Off::Uses);
        CLIENT.open(here, Client::Connections)
    });
    let buffers = CLIENT.anywhere().open_many(Client::Buffers, 4096);
    let snapshots = [CLIENT.snapshot(), idle::CLIENT.snapshot(), switched_off::OFF.snapshot()];
    let states = snapshots.each_ref().map(Snapshot::state);
    assert_eq!(states, [SetState::Up, SetState::NotStarted, SetState::Up]);

    let classic = prometheus(&snapshots).unwrap();
    assert_eq!(classic, CLASSIC);
    let open = open_metrics(&snapshots).unwrap();
    assert_eq!(heads(&open), OPEN_METRICS_HEADS);
    assert_eq!(samples(&open), samples(&classic));

    check_by_promtool(&classic);
    // The classic format has no units.
    read_by_python("prometheus_client.parser", &classic, READ);
    let read = READ
        .lines()
        .map(|line| {
            let unit = |name| match name {
                "client_buffers_bytes" => "bytes",
                "client_result_rows" => "rows",
                name if name.ends_with("_seconds") => "seconds",
                _ => "",
            };
            match line.split_once(": ") {
                Some((family, help)) => {
                    let (name, kind) = family.split_once(' ').unwrap();
                    let unit = unit(name);
                    let space = if unit.is_empty() { "" } else { " " };
                    format!("{name} {kind}{space}{unit}: {help}\n")
                }
                None => format!("{line}\n"),
            }
        })
        .collect::<String>();
    read_by_python("prometheus_client.openmetrics.parser", &open, &read);

    // A set that was retired keeps its values, for readers too.
    drop((connection, buffers));
    assert!(tsrm.retire(client::MODULE, Duration::MAX).unwrap().is_done());
    let retired = CLIENT.snapshot();
    assert_eq!(retired.state(), SetState::Retired);
    let down = CLASSIC
        .replace("client_connections 1\n", "client_connections 0\n")
        .replace("client_buffers_bytes 4096\n", "client_buffers_bytes 0\n");
    assert_eq!(prometheus(&[retired]).unwrap(), down);
}

#[test]
fn nothing() {
    assert_eq!(prometheus(&[]).unwrap(), "");
    assert_eq!(open_metrics(&[]).unwrap(), "# EOF\n");
    read_by_python("prometheus_client.parser", "", "");
    read_by_python("prometheus_client.openmetrics.parser", "# EOF\n", "");
}

/// Some statistics of which all that is of interest is their names.
#[derive(tsrm::Statistics)]
pub enum Names {
    /// One.
    #[stat(counter)]
    One,
    /// Two.
    #[stat(histogram, unit = "hours", max = 1)]
    Two,
}

#[tsrm::module(name = "9 Lives/größe-\"x\"")]
mod odd {
    #[statistics]
    pub static FIRST: tsrm::Statistics<super::Names>;

    #[statistics]
    pub static SECOND: tsrm::Statistics<super::Names>;
}

#[tsrm::module(name = "cache")]
mod cache {
    #[statistics]
    pub static CACHE: tsrm::Statistics<super::Names>;

    #[statistics]
    pub static B_TWO: tsrm::Statistics<super::Names>;
}

#[tsrm::test(odd, cache)]
fn names_are_made_of_modules_sets_and_statistics(tsrm: tsrm::Runtime) {
    let _ = tsrm;
    let snapshots = [
        odd::SECOND.snapshot(),
        odd::FIRST.snapshot(),
        cache::CACHE.snapshot(),
        cache::B_TWO.snapshot(),
    ];
    let open = open_metrics(&snapshots).unwrap();
    let names: Vec<_> = open.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert_eq!(
        names,
        [
            "_9_Lives_gr__e__x__second_one counter",
            "_9_Lives_gr__e__x__second_two_hours histogram",
            "_9_Lives_gr__e__x__first_one counter",
            "_9_Lives_gr__e__x__first_two_hours histogram",
            "cache_one counter",
            "cache_two_hours histogram",
            "cache_b_two_one counter",
            "cache_b_two_two_hours histogram",
        ]
    );
    let classic = prometheus(&snapshots).unwrap();
    let read =
        "_9_Lives_gr__e__x__second_one counter: One.\n  _9_Lives_gr__e__x__second_one_total 0.0\n";
    read_by_python(
        "prometheus_client.parser",
        &classic.lines().take(3).collect::<Vec<_>>().join("\n"),
        read,
    );
    assert_eq!(samples(&open), samples(&classic));
}

/// `a_b_h`, `a_b_c`, and sets whose names come to one of those.
#[tsrm::module]
mod a_b {
    #[derive(tsrm::Statistics)]
    pub enum Both {
        /// A histogram.
        #[stat(histogram, max = 1)]
        H,
        /// A counter.
        #[stat(counter)]
        C,
    }
    #[statistics]
    pub static A_B: tsrm::Statistics<Both>;
}

#[tsrm::module]
mod a {
    /// `a_b_c`
    #[derive(tsrm::Statistics)]
    pub enum C {
        /// A counter.
        #[stat(counter)]
        C,
    }
    #[statistics]
    pub static B: tsrm::Statistics<C>;
}

#[tsrm::module(name = "a-b")]
mod a_dash_b {
    /// `a_b_c_d`, which is nobody else's.
    #[derive(tsrm::Statistics)]
    pub enum D {
        /// A gauge.
        #[stat(gauge)]
        D,
    }
    #[statistics]
    pub static C: tsrm::Statistics<D>;
}

/// A later version of the module `a_b`.
#[tsrm::module(name = "a_b")]
mod later {
    #[derive(tsrm::Statistics)]
    pub enum Later {
        /// A gauge now.
        #[stat(gauge)]
        C,
    }
    #[statistics]
    pub static A_B: tsrm::Statistics<Later>;
}

/// The name that both formats refuse to write twice, whichever snapshot comes first.
fn refused(one: &Snapshot, other: &Snapshot) -> String {
    let errors = [[one, other], [other, one]].map(|snapshots| {
        let snapshots = snapshots.map(Snapshot::clone);
        let error = prometheus(&snapshots).unwrap_err();
        assert_eq!(open_metrics(&snapshots).unwrap_err(), error);
        error
    });
    assert_eq!(errors[0], errors[1]);
    match &errors[0] {
        ExportError::Duplicate { name } => {
            assert!(errors[0].to_string().contains(&format!("`{name}` would be exported twice")));
            name.clone()
        }
        error => panic!("{error}"),
    }
}

#[tsrm::test(a_b, a, a_dash_b)]
fn no_name_is_written_twice(tsrm: tsrm::Runtime) {
    let both = a_b::A_B.snapshot();
    assert_eq!(refused(&both, &a::B.snapshot()), "a_b_c");
    assert_eq!(refused(&both, &both), "a_b_h");
    assert!(open_metrics(&[both, a_dash_b::C.snapshot()]).is_ok());

    // The module comes back with other statistics; the old ones are the first handle's.
    assert!(tsrm.retire(a_b::MODULE, Duration::MAX).unwrap().is_done());
    tsrm.register(later::MODULE).unwrap();
    assert_eq!(refused(&a_b::A_B.snapshot(), &later::A_B.snapshot()), "a_b_c");
    let current = tsrm::stats::all();
    let current: Vec<_> = current.into_iter().filter(|set| set.name() == Some("a_b")).collect();
    assert_eq!(
        prometheus(&current).unwrap(),
        "# HELP a_b_c A gauge now.\n# TYPE a_b_c gauge\na_b_c 0\n"
    );
}

#[test]
fn the_sets_of_objects_have_no_name() {
    let object = OwnedStatistics::<Client>::new().snapshot();
    let off = OwnedStatistics::<switched_off::Off>::new().snapshot();
    for snapshots in [[idle::CLIENT.snapshot(), object], [idle::CLIENT.snapshot(), off]] {
        let error = prometheus(&snapshots).unwrap_err();
        assert_eq!(error, ExportError::Unnamed { index: 1 });
        assert_eq!(open_metrics(&snapshots), Err(error.clone()));
        assert!(
            error
                .to_string()
                .starts_with("snapshot 1 is one of an object's set, which has no name")
        );
    }
}

#[tsrm::module]
mod many {
    #[derive(tsrm::Statistics)]
    pub enum Many {
        /// Any value.
        #[stat(histogram)]
        All,
        /// A power of two less 1.
        #[stat(histogram, max = 0x3ff_ffff)]
        Round,
        /// A power of two.
        #[stat(histogram, max = 0x400_0000)]
        Behind,
        /// So great that floating point numbers do not tell it from the one before.
        #[stat(histogram, max = 0x4000_0000_0000_0000)]
        Great,
        /// Of a time.
        #[stat(histogram, unit = "nanoseconds", max = 1_000_000_007)]
        Time,
    }

    #[statistics]
    pub static MANY: tsrm::Statistics<Many>;
}

#[tsrm::test(many)]
fn buckets_count_what_is_not_beyond_them(tsrm: tsrm::Runtime) {
    use many::Many;
    let mut random = 1_u64;
    let mut values = vec![0, 1, 2, u64::MAX];
    for _ in 0..2_000 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let value = random >> (random % 64);
        // And what is next to a bound.
        let bound = (1_u64 << (value % 64)) - 1;
        values.extend([value, bound, bound + 1]);
    }
    tsrm.attach(|here| {
        for &value in &values {
            many::MANY.record(here, Many::All, value);
            many::MANY.record(here, Many::Round, value);
            many::MANY.record(here, Many::Behind, value);
            many::MANY.record(here, Many::Great, value);
            many::MANY.record(here, Many::Time, value);
        }
    });
    let text = open_metrics(&[many::MANY.snapshot()]).unwrap();
    let powers = |bits| (0..=bits).map(|bit| ((1_u128 << bit) - 1) as u64);
    let sum = values.iter().fold(0_u64, |sum, value| sum.wrapping_add(*value));
    let cases: [(&str, f64, Vec<u64>); 5] = [
        ("many_all", 1.0, powers(64).collect()),
        ("many_round", 1.0, powers(26).collect()),
        ("many_behind", 1.0, powers(26).chain([1 << 26]).collect()),
        ("many_great", 1.0, powers(61).chain([1 << 62]).collect()),
        ("many_time_seconds", 1e9, powers(29).chain([1_000_000_007]).collect()),
    ];
    for (name, scale, bounds) in cases {
        let samples = text.lines().filter_map(|line| line.strip_prefix(&format!("{name}_")));
        let mut samples = samples.map(|sample| sample.split_once(' ').unwrap());
        for bound in bounds {
            let (label, count) = samples.next().unwrap();
            let le = label.strip_prefix("bucket{le=\"").and_then(|label| label.strip_suffix("\"}"));
            assert_eq!(
                le.unwrap().parse::<f64>().unwrap(),
                bound as f64 / scale,
                "{name}, {label}"
            );
            let expected = values.iter().filter(|value| **value <= bound).count();
            assert_eq!(count.parse::<usize>().unwrap(), expected, "{name}, {label}");
        }
        let count = values.len().to_string();
        assert_eq!(samples.next(), Some(("bucket{le=\"+Inf\"}", &*count)));
        let (_, written) = samples.next().unwrap();
        assert_eq!(written.parse::<f64>().unwrap(), sum as f64 / scale, "{name}");
        assert_eq!(samples.next(), Some(("count", &*count)));
        assert_eq!(samples.next(), None);
    }
    check_by_promtool(&prometheus(&[many::MANY.snapshot()]).unwrap());
    let count = "import sys\n\
                 from prometheus_client.openmetrics.parser import text_string_to_metric_families\n\
                 print(sum(len(f.samples) for f in text_string_to_metric_families(sys.stdin.read())))";
    let lines = samples(&text).len();
    run_python(count, &text, &format!("{lines}\n"));
}

/// What the macros forbid, since two names would come to one, is what the exporters would write as one.
#[test]
fn the_macros_know_what_names_are_exported() {
    let names = include_str!("../tsrm-macros/src/statistics/names.rs");
    let export = include_str!("../tsrm-core/src/stats/export.rs");
    let between = |text: &'static str, begin: &str, end: &str| {
        let (_, text) = text.split_once(begin).unwrap();
        text.split_once(end).unwrap().0
    };
    for (begin, end) in [
        ("const TIMES: ", ";\n"),
        ("let whole_words", "\n}\n"),
        ("let cases = [\n            (\"requests\", ", "];"),
    ] {
        assert_eq!(between(names, begin, end), between(export, begin, end));
    }
}

/// The lines that are no comments.
fn samples(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

/// The comments, with a `…` for all samples between two.
fn heads(text: &str) -> String {
    let mut heads = text.lines().map(|line| if line.starts_with('#') { line } else { "…" });
    let mut lines: Vec<_> = heads.by_ref().collect();
    lines.dedup_by(|one, other| (*one, *other) == ("…", "…"));
    lines.join("\n") + "\n"
}

/// Gives a program something to read, and takes what it says.
fn run(command: &mut Command, input: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // One that refuses it may not read to its end.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn says(output: &Output) -> String {
    let text = String::from_utf8_lossy;
    format!("{}: {}{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// It neither refuses the text nor finds anything bad in it.
fn check_by_promtool(classic: &str) {
    if Command::new("promtool").arg("--version").output().is_err() {
        eprintln!("skipped: `promtool` is missing");
        return;
    }
    let output = run(Command::new("promtool").args(["check", "metrics"]), classic);
    assert_eq!(says(&output), "exit status: 0: ");
}

/// Debian's packages are there for Debian's own Python.
fn python() -> Option<&'static str> {
    let has_client = |python: &&str| {
        let output = Command::new(python).args(["-c", "import prometheus_client"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let found = ["python3", "/usr/bin/python3"].into_iter().find(has_client);
    if found.is_none() {
        eprintln!("skipped: `prometheus_client` is missing, for Python");
    }
    found
}

fn run_python(script: &str, text: &str, expected: &str) {
    let Some(python) = python() else { return };
    let output = run(Command::new(python).args(["-X", "utf8", "-c", script]), text);
    assert_eq!(says(&output), format!("exit status: 0: {expected}"));
}

/// All that this parser makes of the text.
fn read_by_python(parser: &str, text: &str, expected: &str) {
    let script = format!(
        "import sys\n\
         from {parser} import text_string_to_metric_families\n\
         for f in text_string_to_metric_families(sys.stdin.read()):\n \
           print(f.name, f.type + (' ' + f.unit if f.unit else '') + ': ' + f.documentation)\n \
           for s in f.samples:\n  \
             labels = ''.join(' %s=%s' % label for label in sorted(s.labels.items()))\n  \
             print('  ' + s.name + labels, repr(float(s.value)))\n  \
             assert s.timestamp is None and s.exemplar is None\n"
    );
    run_python(&script, text, expected);
}
