//! Attributes stay with sets of statistics: documentation, `cfg` true and false, lints, `deprecated`.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

/// Out of use.
#[deprecated]
#[derive(tsrm::Statistics)]
#[stat(switch)]
pub enum Old {
    /// Sent.
    #[stat(counter)]
    Sent,
}

/// Some of it is out of use.
#[derive(tsrm::Statistics)]
#[cfg_attr(any(), stat(off))]
pub enum Client {
    /// Sent.
    #[stat(counter)]
    #[deprecated]
    Sent,
    /// Received.
    #[stat(counter)]
    Received,
    #[cfg(any())]
    Gone(Missing),
    /// One of two.
    #[cfg(all())]
    #[stat(gauge)]
    Either,
    #[cfg(any())]
    #[stat(counter)]
    Either,
}

/// The module.
#[tsrm::module]
pub mod executor {
    use super::Client;

    /// There.
    #[statistics]
    #[cfg(all())]
    pub static HERE: Statistics<Client>;

    /// Not there; its type does not exist either.
    #[cfg(any())]
    #[statistics]
    pub static NOT_HERE: Statistics<Missing>;

    /// One of two, of which the other one is of another kind.
    #[cfg(not(any()))]
    #[statistics]
    pub static EITHER: Statistics<Client>;

    /// One of two.
    #[cfg(any())]
    #[global]
    pub static EITHER: u64 = const { 3 };

    #[statistics]
    #[cfg_attr(all(), doc = "By `cfg_attr`.", allow(non_upper_case_globals))]
    pub static lower: Statistics<Client>;

    #[statistics]
    #[cfg_attr(all(), doc = "Not there.", cfg(any()))]
    pub static GONE: Statistics<Missing>;

    #[doc(hidden)]
    #[statistics]
    #[allow(deprecated)]
    pub static ALLOWED: Statistics<super::Old>;

    /// Expected once.
    #[statistics]
    #[expect(deprecated)]
    pub static EXPECTED: Statistics<super::Old>;

    /// Out of use.
    #[statistics]
    #[deprecated = "use `HERE`"]
    pub static OUT: Statistics<Client>;

    #[statistics]
    #[expect(dead_code, reason = "for later")]
    static UNUSED: Statistics<Client>;

    /// A set and a global may differ in case only.
    #[statistics]
    pub static TWIN: Statistics<Client>;

    /// A global.
    #[global]
    #[allow(non_upper_case_globals)]
    pub static twin: u64 = 1;

    #[statistics]
    #[allow(missing_docs, non_upper_case_globals)]
    pub static r#type: Statistics<Client>;
}

/// The program.
#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    use executor::{EITHER, EXPECTED, HERE, TWIN, lower, twin, r#type};
    tsrm.attach(|here| {
        HERE.inc(here, Client::Received);
        drop(EITHER.open(here, Client::Either));
        lower.inc(here, Client::Received);
        r#type.inc(here, Client::Received);
        TWIN.add(here, Client::Received, *twin.get(here));
        #[allow(deprecated)]
        executor::ALLOWED.inc(here, Old::Sent);
        #[allow(deprecated)]
        executor::OUT.inc(here, Client::Sent);
    });
    EXPECTED.set_enabled(false);
    assert_eq!(HERE.snapshot().count(Client::Received), 1);
    assert_eq!(r#type.snapshot().name(), Some("type"));
    assert_eq!(tsrm::stats::all().len(), 9);
}
