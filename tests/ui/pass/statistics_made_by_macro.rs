//! A `macro_rules!` that makes enums and sets of statistics, and passes on what is in them.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

macro_rules! counters {
    (
        $(#[$attribute:meta])*
        $visibility:vis $module:ident, $name:ident: $set:ident {
            $($(#[doc = $help:expr])* $variant:ident = $kind:ident $(in $unit:literal)? $(up to $max:expr)?,)*
        }
    ) => {
        #[derive(tsrm::Statistics)]
        $(#[$attribute])*
        $visibility enum $set {
            $(
                $(#[doc = $help])*
                #[stat($kind $(, unit = $unit)? $(, max = $max)?)]
                $variant,
            )*
        }

        /// The module.
        #[tsrm::module]
        $visibility mod $module {
            use super::$set;

            /// The set.
            #[statistics]
            $visibility static $name: Statistics<$set>;
        }
    };
}

/// Passes the enum on as a type, and the whole type of the `static`.
macro_rules! declared {
    ($module:ident, $set:ty, $type:ty) => {
        /// The module.
        #[tsrm::module]
        pub mod $module {
            /// By the enum.
            #[statistics]
            pub static SET: tsrm::Statistics<$set>;

            /// As a whole.
            #[statistics]
            pub static WHOLE: $type;
        }
    };
}

counters! {
    /// The client's.
    #[stat(switch)]
    pub client, CLIENT: Client {
        /// Sent.
        Sent = counter in "bytes",
        #[doc = concat!("Time", ".")]
        Time = histogram in "microseconds" up to 1_000,
        /// Open.
        Open = gauge,
    }
}

declared!(other, super::Client, ::tsrm::Statistics<super::Client>);

/// The program.
#[tsrm::main(client, other)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        client::CLIENT.add(here, Client::Sent, 3);
        client::CLIENT.record(here, Client::Time, 1_001);
        drop(client::CLIENT.open(here, Client::Open));
        other::SET.inc(here, Client::Sent);
        other::WHOLE.inc(here, Client::Sent);
    });
    let said: Vec<_> = client::CLIENT.snapshot().iter().map(|one| one.help).collect();
    assert_eq!(said, ["Sent.", "Time.", "Open."]);
    assert_eq!(client::CLIENT.snapshot().count(Client::Sent), 3);
    assert_eq!(other::WHOLE.snapshot().count(Client::Sent), 1);
}
