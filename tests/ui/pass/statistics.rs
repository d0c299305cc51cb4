//! Statistics with all that there is: kinds, keys, documentation, attributes, sets of objects.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use tsrm::stats::{Kind, OwnedStatistics, SharedStatistics, Statistic, Switched};

/// What the client library counts.
#[derive(tsrm::Statistics)]
#[stat(switch)]
pub enum Client {
    /// Bytes sent
    /// to the server.
    ///
    /// Without headers.
    #[stat(counter, unit = "bytes")]
    BytesSent,
    /// Connections open now.
    #[stat(gauge)]
    ActiveConnections,
    /**
     * The largest packet,
     * with its header.
     *
     * (Of both directions.)
     */
    #[stat(unit = "bytes", peak, name = "largest_packet",)]
    Largest,
    /// How long a query took.
    #[stat(histogram)]
    #[stat(unit = "microseconds")]
    #[stat(max = 60_000_000u64)]
    QueryTime,
    #[doc = include_str!("statistics.rs")]
    #[doc(hidden)]
    #[stat(counter)]
    HTTPRequests,
    #[allow(missing_docs)]
    #[stat(counter, name = "rows2send")]
    Rows2Send,
    /// A raw identifier.
    #[stat(histogram, max = 1)]
    #[allow(non_camel_case_types)]
    r#type,
    /// Whole.
    #[stat(counter)]
    Whole,
    /// All values.
    #[stat(histogram, max = 18_446_744_073_709_551_615)]
    Everything,
}

/// Nothing at all.
#[derive(tsrm::Statistics, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nothing {}

/// One.
#[derive(tsrm::Statistics, Default)]
#[repr(u8)]
pub enum One {
    /// One.
    #[default]
    #[stat(counter)]
    One,
}

/// Not counted.
#[derive(tsrm::Statistics)]
#[stat(off)]
#[cfg_attr(all(), stat(switch))]
pub enum Off {
    /// Not counted.
    #[stat(counter)]
    Sent,
    /// Not there.
    #[cfg(any())]
    Missing,
    /// Not measured.
    #[cfg_attr(all(), stat(histogram))]
    Time,
}

/// The module.
#[tsrm::module]
pub mod client {
    use super::{Client, Nothing, Off, One};
    // Used, as it is written.
    use tsrm::Statistics;

    /// The client's.
    #[statistics]
    pub static CLIENT: Statistics<Client>;

    /// The same once more, by another path.
    #[tsrm::statistics]
    pub(crate) static SECOND_CLIENT: tsrm::Statistics<super::Client>;

    /// None.
    #[statistics]
    pub static NOTHING: Statistics<Nothing>;

    /// One.
    #[statistics]
    pub static ONE: Statistics<One>;

    /// Off.
    #[statistics]
    pub static OFF: Statistics<Off>;

    /// Counted by what is lazy, and when the module starts.
    #[shared(lazy)]
    pub static LENGTH: usize = CLIENT.snapshot().iter().count();

    #[thread_startup]
    fn born(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error> {
        ONE.inc(here, One::One);
        Ok(())
    }
}

/// In a file of its own.
pub mod server {
    tsrm::file_module! {
        #![module(name = "listener", requires = ["client"])]

        /// What the server counts.
        #[derive(tsrm::Statistics)]
        pub enum Server {
            /// Connections.
            #[stat(counter)]
            Accepted,
        }

        /// The server's. It need not be imported.
        #[statistics]
        pub static SERVER: Statistics<Server>;
    }
}

/// The program.
#[tsrm::main(client, server)]
fn main(tsrm: tsrm::Runtime) {
    use client::{CLIENT, LENGTH, NOTHING, OFF, ONE, SECOND_CLIENT};
    use server::{SERVER, Server};

    let guard = tsrm.attach(|here| {
        CLIENT.add(here, Client::BytesSent, 512);
        CLIENT.inc(here, Client::HTTPRequests);
        CLIENT.add_all(here, [(Client::Rows2Send, 3), (Client::Whole, 4)]);
        CLIENT.raise(here, Client::Largest, 20);
        CLIENT.record(here, Client::QueryTime, 1250);
        CLIENT.local(here).record(Client::r#type, 2);
        CLIENT.anywhere().add(Client::BytesSent, 8);
        SECOND_CLIENT.inc(here, Client::BytesSent);
        OFF.inc(here, Off::Sent);
        OFF.record(here, Off::Time, 7);
        SERVER.inc(here, Server::Accepted);
        let (owned, shared) = (OwnedStatistics::new(), SharedStatistics::new());
        owned.inc(here, &CLIENT, Client::BytesSent);
        shared.inc(here, &CLIENT, Client::BytesSent);
        assert_eq!(owned.snapshot().count(Client::BytesSent), 1);
        assert_eq!(shared.snapshot().count(Client::BytesSent), 1);
        assert_eq!(*LENGTH.get(here), 9);
        CLIENT.open(here, Client::ActiveConnections)
    });

    let now = CLIENT.snapshot();
    assert_eq!((now.module(), now.name()), (Some("client"), Some("client")));
    assert_eq!(now.count(Client::BytesSent), 522);
    assert_eq!(now.count(Client::ActiveConnections), 1);
    assert_eq!(now.count(Client::Whole), 4);
    drop(guard);
    let said: Vec<_> = now.iter().map(|one| (one.name, one.unit.unwrap_or(""), one.help)).collect();
    let expected = [
        ("bytes_sent", "bytes", "Bytes sent to the server."),
        ("active_connections", "", "Connections open now."),
        ("largest_packet", "bytes", "The largest packet, with its header."),
        ("query_time", "microseconds", "How long a query took."),
        ("http_requests", "", "Http requests."),
        ("rows2send", "", "Rows2 send."),
        ("type", "", "A raw identifier."),
        ("whole", "", "Whole."),
        ("everything", "", "All values."),
    ];
    assert_eq!(said, expected);
    let kinds: Vec<_> = now.iter().map(|one| one.value.kind()).collect();
    assert_eq!(kinds[..4], [Kind::Counter, Kind::Gauge, Kind::Peak, Kind::Histogram]);

    CLIENT.set_enabled(false);
    tsrm.attach(|here| CLIENT.inc(here, Client::BytesSent));
    assert_eq!(CLIENT.snapshot().count(Client::BytesSent), 522);
    assert!(!CLIENT.is_enabled() && !OFF.is_enabled() && SECOND_CLIENT.is_enabled());
    assert_eq!(SECOND_CLIENT.snapshot().name(), Some("second_client"));
    assert_eq!(SECOND_CLIENT.snapshot().count(Client::BytesSent), 1);
    assert_eq!(NOTHING.snapshot().iter().count(), 0);
    assert_eq!(ONE.snapshot().count(One::default()), 1);
    assert!(OFF.snapshot().is_off());
    assert_eq!(OFF.snapshot().count(Off::Sent), 0);
    assert_eq!(SERVER.snapshot().module(), Some("listener"));

    fn is_switched<E: Switched>() {}
    fn is_statistic<E: Statistic>() {}
    is_switched::<Client>();
    is_switched::<Off>();
    is_statistic::<Nothing>();
}
