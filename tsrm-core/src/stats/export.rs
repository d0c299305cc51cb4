//! Writing snapshots down as Prometheus reads them, in its own format and in OpenMetrics.
//!
//! Both are made of the same families, and have the same names and numbers in them.

#![deny(unsafe_code)]

use std::collections::HashSet;
use std::fmt;

use super::item::Kind;
use super::snapshot::{Histogram, Reading, SetState, Snapshot, Value};
use crate::error::ExportError;

/// The `Content-Type` of what [`prometheus`] writes.
pub const PROMETHEUS_CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The `Content-Type` of what [`open_metrics`] writes.
pub const OPEN_METRICS_CONTENT_TYPE: &str =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Writes snapshots in Prometheus's text format, version 0.0.4: see [`PROMETHEUS_CONTENT_TYPE`].
///
/// ```
/// #[tsrm::module]
/// mod client {
///     #[derive(tsrm::Statistics)]
///     pub enum Client {
///         /// Bytes sent to the server.
///         #[stat(counter, unit = "bytes")]
///         BytesSent,
///         /// How long queries took.
///         #[stat(histogram, unit = "microseconds", max = 4)]
///         QueryTime,
///     }
///
///     #[statistics]
///     pub static CLIENT: tsrm::Statistics<Client>;
/// }
/// use client::{CLIENT, Client};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tsrm = tsrm::Runtime::start([client::MODULE])?;
/// tsrm.attach(|here| {
///     CLIENT.add(here, Client::BytesSent, 512);
///     CLIENT.record(here, Client::QueryTime, 2);
/// });
/// assert_eq!(
///     tsrm::stats::prometheus(&tsrm::stats::all())?,
///     r#"# HELP client_bytes_sent_total Bytes sent to the server.
/// ## TYPE client_bytes_sent_total counter
/// client_bytes_sent_total 512
/// ## HELP client_query_time_seconds How long queries took.
/// ## TYPE client_query_time_seconds histogram
/// client_query_time_seconds_bucket{le="0.0"} 0
/// client_query_time_seconds_bucket{le="1e-06"} 0
/// client_query_time_seconds_bucket{le="3e-06"} 1
/// client_query_time_seconds_bucket{le="4e-06"} 1
/// client_query_time_seconds_bucket{le="+Inf"} 1
/// client_query_time_seconds_sum 0.000002
/// client_query_time_seconds_count 1
/// "#
/// );
/// # Ok(()) }
/// ```
///
/// A statistic is called after its module, its set (if that has another name than the module) and itself;
/// what is not a letter, a digit or `_` becomes `_`, and in front of a digit at the beginning there is one.
/// Times are written in seconds; other units as they are; and the unit becomes a part of the name, if it is
/// none yet, as [the derive macro](macro@crate::Statistics) says.
///
/// Counters are counters, gauges and peaks are gauges. Of a histogram there is not every bucket, but those up
/// to the powers of two less 1 and the one up to its maximum. Their bounds are written alike in both formats,
/// so that a series has the same labels whichever one is read.
///
/// A set whose module is gone is written with its last values, so that its counters do not vanish and begin
/// anew when the module comes back. One whose module has not been up, or which is compiled with
/// `#[stat(off)]`, writes nothing.
///
/// # Errors
/// A snapshot is one of an object's set, or two statistics come to the same name. What can be written in one
/// format can be written in the other.
pub fn prometheus(snapshots: &[Snapshot]) -> Result<String, ExportError> {
    write(snapshots, Format::Prometheus)
}

/// Writes snapshots as OpenMetrics 1.0: see [`OPEN_METRICS_CONTENT_TYPE`].
///
/// The same as [`prometheus`], and the units, if the names end in them.
///
/// ```
/// # fn main() -> Result<(), tsrm::stats::ExportError> {
/// assert_eq!(tsrm::stats::open_metrics(&[])?, "# EOF\n");
/// # Ok(()) }
/// ```
///
/// # Errors
/// As [`prometheus`].
pub fn open_metrics(snapshots: &[Snapshot]) -> Result<String, ExportError> {
    write(snapshots, Format::OpenMetrics)
}

fn write(snapshots: &[Snapshot], format: Format) -> Result<String, ExportError> {
    let families = families(snapshots)?;
    Ok(Exposition { families: &families, format }.to_string())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Prometheus,
    OpenMetrics,
}

/// One statistic, as it is exported.
struct Family {
    name: String,
    /// Empty if there is none.
    unit: String,
    /// How many digits of its values stand behind the point.
    places: usize,
    reading: Reading,
}

/// What is to be written, if all names in it differ.
fn families(snapshots: &[Snapshot]) -> Result<Vec<Family>, ExportError> {
    let mut families = Vec::new();
    let mut names = HashSet::new();
    for (index, snapshot) in snapshots.iter().enumerate() {
        let (Some(module), Some(set)) = (snapshot.module(), snapshot.name()) else {
            return Err(ExportError::Unnamed { index });
        };
        if snapshot.state() == SetState::NotStarted {
            continue;
        }
        let prefix = prefix(module, set);
        for reading in snapshot.iter() {
            let family = Family::new(&prefix, reading);
            if let Some(name) = family.names().find(|name| !names.insert(name.clone())) {
                return Err(ExportError::Duplicate { name });
            }
            families.push(family);
        }
    }
    Ok(families)
}

impl Family {
    fn new(prefix: &str, reading: Reading) -> Self {
        let own = sanitized(reading.name);
        let unit = sanitized(reading.unit.unwrap_or_default());
        let places = places(&unit).unwrap_or(0);
        let name = format!("{prefix}_{}", family(&own, &unit));
        Self { name, unit: exported(&unit).to_owned(), places, reading }
    }

    /// All names that it takes: its own, and those that either format makes of it or reserves for its kind.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let endings: &[&str] = match self.reading.value.kind() {
            Kind::Counter => &["", "_total", "_created"],
            Kind::Gauge | Kind::Peak => &[""],
            Kind::Histogram => &["", "_bucket", "_sum", "_count", "_created"],
        };
        endings.iter().map(|ending| format!("{}{ending}", self.name))
    }

    fn decimal(&self, number: u64) -> Decimal {
        Decimal { number, places: self.places }
    }
}

/// Units that are exported as seconds.
const TIMES: [&str; 4] = ["nanoseconds", "microseconds", "milliseconds", "seconds"];

/// How many digits of a time stand behind the point, when it is in seconds.
fn places(unit: &str) -> Option<usize> {
    let time = TIMES.iter().position(|time| *time == unit)?;
    Some(9 - 3 * time)
}

fn exported(unit: &str) -> &str {
    if TIMES.contains(&unit) { "seconds" } else { unit }
}

/// What a statistic is called, before module and set and what its kind asks for (`_total`, `_bucket`).
///
/// Times are exported in seconds. A name that ends in its unit ends in the exported one instead; the exported
/// unit is added to any other that does not have it among its words.
///
/// The macros do the same, to find names that clash: see `tsrm-macros/src/statistics/names.rs`.
fn family(name: &str, unit: &str) -> String {
    let exported = exported(unit);
    let whole_words = |text: &str| format!("_{text}_");
    match name.strip_suffix(unit) {
        _ if unit.is_empty() => name.to_owned(),
        Some(before) if before.is_empty() || before.ends_with('_') => format!("{before}{exported}"),
        _ if whole_words(name).contains(&whole_words(exported)) => name.to_owned(),
        _ => format!("{name}_{exported}"),
    }
}

/// What the names of a set's statistics begin with.
fn prefix(module: &str, set: &str) -> String {
    let (module, set) = (sanitized(module), sanitized(set));
    let in_front = if module.starts_with(|first: char| first.is_ascii_digit()) { "_" } else { "" };
    if module == set { format!("{in_front}{module}") } else { format!("{in_front}{module}_{set}") }
}

/// As both formats take it behind the beginning of a name.
fn sanitized(text: &str) -> String {
    text.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

/// As a help text is written.
fn escaped(help: &str, format: Format) -> String {
    let help = help.replace('\\', r"\\").replace('\n', r"\n");
    match format {
        Format::Prometheus => help,
        Format::OpenMetrics => help.replace('"', r#"\""#),
    }
}

/// A number of which some digits stand behind the point; written as it is, without rounding.
#[derive(Clone, Copy)]
struct Decimal {
    number: u64,
    places: usize,
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:0>1$}", self.number, self.places + 1);
        let (whole, behind) = digits.split_at(digits.len() - self.places);
        match behind.trim_end_matches('0') {
            "" => f.write_str(whole),
            behind => write!(f, "{whole}.{behind}"),
        }
    }
}

/// The upper bound of a bucket. It is a label, so its text matters: this is the one that OpenMetrics asks
/// for, Go's `%g` with a point in it, which Prometheus makes of any other since its version 3.
struct Bound(Decimal);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Decimal { number, places } = self.0;
        let digits = number.to_string();
        // Of the first digit. (Numbers have 20 at most, places there are 9.)
        let exponent = digits.len() as i32 - 1 - places as i32;
        if number == 0 || (-4..6).contains(&exponent) {
            let fixed = self.0.to_string();
            let point = if fixed.contains('.') { "" } else { ".0" };
            return write!(f, "{fixed}{point}");
        }
        let (first, behind) = digits.split_at(1);
        match behind.trim_end_matches('0') {
            "" => write!(f, "{first}e{exponent:+03}"),
            behind => write!(f, "{first}.{behind}e{exponent:+03}"),
        }
    }
}

/// The bounds that are exported, and how many values are not beyond each.
fn cumulated(histogram: &Histogram) -> impl Iterator<Item = (u64, u64)> {
    let max = histogram.max();
    let mut count = 0_u64;
    histogram.buckets().filter_map(move |bucket| {
        count = count.wrapping_add(bucket.count);
        // To a reader's floating point numbers, a bound close below a great maximum is the same.
        let is_told_from_max = max.checked_sub(bucket.high).is_some_and(|less| less > max >> 50);
        let is_power_less_1 = bucket.high & bucket.high.wrapping_add(1) == 0;
        let is_exported = (is_power_less_1 && is_told_from_max) || bucket.high == max;
        is_exported.then_some((bucket.high, count))
    })
}

/// All that is written.
struct Exposition<'f> {
    families: &'f [Family],
    format: Format,
}

impl fmt::Display for Exposition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for family in self.families {
            self.describe(family, f)?;
            write_samples(family, f)?;
        }
        match self.format {
            Format::Prometheus => Ok(()),
            Format::OpenMetrics => writeln!(f, "# EOF"),
        }
    }
}

impl Exposition<'_> {
    /// What stands above the samples.
    fn describe(&self, family: &Family, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Family { name, unit, reading, .. } = family;
        let kind = match reading.value.kind() {
            Kind::Counter => "counter",
            Kind::Gauge | Kind::Peak => "gauge",
            Kind::Histogram => "histogram",
        };
        let help = escaped(reading.help, self.format);
        match self.format {
            Format::Prometheus => {
                let ending = if kind == "counter" { "_total" } else { "" };
                if !help.is_empty() {
                    writeln!(f, "# HELP {name}{ending} {help}")?;
                }
                writeln!(f, "# TYPE {name}{ending} {kind}")
            }
            Format::OpenMetrics => {
                writeln!(f, "# TYPE {name} {kind}")?;
                if !unit.is_empty() && name.ends_with(&format!("_{unit}")) {
                    writeln!(f, "# UNIT {name} {unit}")?;
                }
                if help.is_empty() { Ok(()) } else { writeln!(f, "# HELP {name} {help}") }
            }
        }
    }
}

fn write_samples(family: &Family, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = &family.name;
    match &family.reading.value {
        Value::Counter(value) => writeln!(f, "{name}_total {}", family.decimal(*value)),
        Value::Gauge(value) | Value::Peak(value) => {
            writeln!(f, "{name} {}", family.decimal(*value))
        }
        Value::Histogram(histogram) => {
            for (bound, count) in cumulated(histogram) {
                let bound = Bound(family.decimal(bound));
                writeln!(f, "{name}_bucket{{le=\"{bound}\"}} {count}")?;
            }
            let count = histogram.count();
            writeln!(f, "{name}_bucket{{le=\"+Inf\"}} {count}")?;
            writeln!(f, "{name}_sum {}", family.decimal(histogram.sum()))?;
            writeln!(f, "{name}_count {count}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families() {
        // The same table as in `tsrm-macros/src/statistics/names.rs`.
        let cases = [
            ("requests", "", "requests"),
            ("bytes_sent", "bytes", "bytes_sent"),
            ("sent", "bytes", "sent_bytes"),
            ("sent_bytes", "bytes", "sent_bytes"),
            ("bytes", "bytes", "bytes"),
            ("largest_packet", "bytes", "largest_packet_bytes"),
            ("kilobytes_sent", "bytes", "kilobytes_sent_bytes"),
            ("megabytes", "bytes", "megabytes_bytes"),
            ("query_time", "microseconds", "query_time_seconds"),
            ("query_microseconds", "microseconds", "query_seconds"),
            ("microseconds", "microseconds", "seconds"),
            ("query_seconds", "microseconds", "query_seconds"),
            ("seconds_waited", "milliseconds", "seconds_waited"),
            ("microseconds_waited", "microseconds", "microseconds_waited_seconds"),
            ("query_milliseconds", "microseconds", "query_milliseconds_seconds"),
            ("uptime", "seconds", "uptime_seconds"),
            ("uptime", "nanoseconds", "uptime_seconds"),
            ("uptime", "minutes", "uptime_minutes"),
            ("read", "disk_blocks", "read_disk_blocks"),
            ("disk_blocks_read", "disk_blocks", "disk_blocks_read"),
            ("disk_blocks", "disk_blocks", "disk_blocks"),
        ];
        for (name, unit, exported) in cases {
            assert_eq!(family(name, unit), exported, "{name} in {unit}");
        }
    }

    #[test]
    fn prefixes() {
        let cases = [
            ("client", "client", "client"),
            ("client", "other", "client_other"),
            ("my-client", "my_client", "my_client"),
            ("a b/c:d", "größe", "a_b_c_d_gr__e"),
            ("9p", "9p", "_9p"),
            ("9p", "io", "_9p_io"),
            ("_", "io", "__io"),
            ("", "io", "_io"),
        ];
        for (module, set, expected) in cases {
            assert_eq!(prefix(module, set), expected, "{module}, {set}");
        }
    }

    #[test]
    fn helps() {
        let help = "a \\ b\n\"c\"";
        assert_eq!(escaped(help, Format::Prometheus), r#"a \\ b\n"c""#);
        assert_eq!(escaped(help, Format::OpenMetrics), r#"a \\ b\n\"c\""#);
    }

    #[test]
    fn decimals_and_bounds() {
        let cases = [
            (0, 0, "0", "0.0"),
            (0, 9, "0", "0.0"),
            (7, 0, "7", "7.0"),
            (1, 9, "0.000000001", "1e-09"),
            (1023, 9, "0.000001023", "1.023e-06"),
            (99_999, 9, "0.000099999", "9.9999e-05"),
            (100_000, 9, "0.0001", "0.0001"),
            (1500, 3, "1.5", "1.5"),
            (60_000_000, 6, "60", "60.0"),
            (65_535, 6, "0.065535", "0.065535"),
            (999_999, 0, "999999", "999999.0"),
            (1_000_000, 0, "1000000", "1e+06"),
            (1_048_575, 0, "1048575", "1.048575e+06"),
            (u64::MAX, 9, "18446744073.709551615", "1.8446744073709551615e+10"),
            (u64::MAX, 0, "18446744073709551615", "1.8446744073709551615e+19"),
        ];
        for (number, places, decimal, bound) in cases {
            let exact = Decimal { number, places };
            assert_eq!(exact.to_string(), decimal);
            assert_eq!(Bound(exact).to_string(), bound);
        }
        let places =
            ["nanoseconds", "microseconds", "milliseconds", "seconds", "minutes"].map(places);
        assert_eq!(places, [Some(9), Some(6), Some(3), Some(0), None]);
    }
}
