//! What statistics are called.

/// Endings of names to which exporters give a meaning.
const SUFFIXES: [&str; 6] = ["_total", "_bucket", "_sum", "_count", "_created", "_info"];

/// Units that are exported as seconds.
const TIMES: [&str; 4] = ["nanoseconds", "microseconds", "milliseconds", "seconds"];

/// What [`is_name`] asks for, in messages.
pub(crate) const WORDS: &str =
    "consists of letters from a to z and digits, a letter first, with one `_` between words";

/// Whether it is `[a-z][a-z0-9]*(_[a-z0-9]+)*`: what every format takes as part of a name.
pub(crate) fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.bytes().next().is_some_and(|first| first.is_ascii_lowercase())
        && text.split('_').all(|word| !word.is_empty() && word.bytes().all(is_letter))
}

/// The words of a name in CamelCase, in lower case and with `_` between.
///
/// A word begins at an upper-case letter behind a lower-case one or a digit, and at the last one of
/// several if a lower-case letter follows: `BytesSent`, `HTTPRequests`, `Rows2Send` become
/// `bytes_sent`, `http_requests`, `rows2_send`.
pub(super) fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let is_followed = letters.get(index + 1).is_some_and(|after| after.is_lowercase());
        let begins = match index.checked_sub(1).map(|before| letters[before]) {
            Some(before) if before.is_uppercase() => is_followed,
            Some(before) => before.is_alphanumeric(),
            None => false,
        };
        if letter.is_uppercase() && begins {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// A name that was probably meant by what is none.
pub(super) fn similar(text: &str) -> Option<String> {
    let snake = snake_case(text);
    let words = snake.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    (snake.is_ascii() && is_name(&name)).then_some(name)
}

/// The ending to which exporters give a meaning, and what stands before it.
pub(super) fn suffix(name: &str) -> Option<(&str, &'static str)> {
    SUFFIXES.iter().find_map(|suffix| Some((name.strip_suffix(suffix)?, *suffix)))
}

/// Whether it would end in one of those where the set's name stands before it.
pub(super) fn is_suffix(name: &str) -> bool {
    SUFFIXES.iter().any(|suffix| suffix.strip_prefix('_') == Some(name))
}

/// What exporters call a statistic, before they add what its kind asks for (`_total`, `_bucket`).
///
/// Times are exported in seconds. A name that ends in its unit ends in the exported one instead; the
/// exported unit is added to any other that does not have it among its words.
///
/// The exporter does the same; here it is to find names that clash.
pub(super) fn family(name: &str, unit: &str) -> String {
    let exported = if TIMES.contains(&unit) { "seconds" } else { unit };
    let whole_words = |text: &str| format!("_{text}_");
    match name.strip_suffix(unit) {
        _ if unit.is_empty() => name.to_owned(),
        Some(before) if before.is_empty() || before.ends_with('_') => format!("{before}{exported}"),
        _ if whole_words(name).contains(&whole_words(exported)) => name.to_owned(),
        _ => format!("{name}_{exported}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["a", "bytes", "bytes_sent", "rows2_send", "a_2", "a1_2b_c"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["", "_", "_a", "a_", "a__b", "2a", "A", "aB", "a b", "a-b", "größe", "a\0"]
        {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn words() {
        let cases = [
            ("BytesSent", "bytes_sent"),
            ("HTTPRequests", "http_requests"),
            ("HTTP", "http"),
            ("SentHTTP", "sent_http"),
            ("Http2Requests", "http2_requests"),
            ("HTTP2Requests", "http2_requests"),
            ("Rows2Send", "rows2_send"),
            ("Rows2send", "rows2send"),
            ("A", "a"),
            ("AB", "ab"),
            ("ABc", "a_bc"),
            ("Bytes_Sent", "bytes_sent"),
            ("bytes_sent", "bytes_sent"),
            ("BYTES_SENT", "bytes_sent"),
            ("Größe", "größe"),
            ("ÄnderungÜber", "änderung_über"),
        ];
        for (variant, name) in cases {
            assert_eq!(snake_case(variant), name);
        }
    }

    #[test]
    fn similar_names() {
        let cases = [
            ("BytesSent", Some("bytes_sent")),
            ("bytes sent", Some("bytes_sent")),
            ("bytes-sent", Some("bytes_sent")),
            ("__bytes__", Some("bytes")),
            ("Bytes", Some("bytes")),
            ("", None),
            ("%", None),
            ("µs", None),
            ("2nd", None),
        ];
        for (text, name) in cases {
            assert_eq!(similar(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn suffixes() {
        assert_eq!(suffix("requests_total"), Some(("requests", "_total")));
        assert_eq!(suffix("build_info"), Some(("build", "_info")));
        for name in ["total", "count", "subtotal", "total_bytes", "info_sent"] {
            assert_eq!(suffix(name), None, "{name}");
        }
    }

    #[test]
    fn families() {
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
}
