//! Statistics that are called the same when they are exported.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(histogram, unit = "microseconds")]
    QueryTime,
    #[stat(counter)]
    QueryTimeSeconds,
    #[stat(gauge, unit = "seconds")]
    WaitMilliseconds,
    #[stat(counter, unit = "bytes")]
    Sent,
    #[stat(counter, unit = "bytes")]
    SentBytes,
    #[stat(counter, unit = "milliseconds", name = "lost_milliseconds")]
    Lost,
    #[stat(counter, unit = "nanoseconds", name = "lost_nanoseconds")]
    AlsoLost,
}

fn main() {}
