//! Endings to which exporters give a meaning.
#![forbid(unsafe_code)]

#[derive(tsrm::Statistics)]
pub enum Client {
    #[stat(counter)]
    RequestsTotal,
    #[stat(histogram, name = "time_bucket")]
    Time,
    #[stat(counter, name = "bytes_sum")]
    Bytes,
    #[stat(gauge, name = "open_count")]
    Open,
    #[stat(gauge)]
    WhenCreated,
    #[stat(gauge)]
    BuildInfo,
    #[stat(counter)]
    AllTotalTotal,
    #[stat(counter, unit = "total")]
    Answers,
    #[stat(counter, unit = "row_count")]
    Rows,
    #[stat(counter, name = "lost_total", unit = "total")]
    Lost,
    #[stat(gauge)]
    Total,
}

fn main() {}
