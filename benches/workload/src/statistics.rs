//! What the rows of `stats` count in: a set as large as that of PHP's mysqlnd, and small ones of the other
//! kinds.

pub mod peers;
pub mod plain;

/// How many counters the large set has.
pub const COUNTERS: usize = counted::Client::ALL.len();

/// How many of them a row takes turns among.
pub const TURNS: usize = 8;

/// The enums: counters under these names, and gauges and histograms.
macro_rules! sets {
    (client: $($counter:ident)*; small: $($small:ident)*; gauges: $($gauge:ident)*; histograms: $($histogram:ident)*;) => {
        /// The measured sets. Registered late, by who needs them.
        #[tsrm::module]
        pub mod counted {
            /// The large set.
            #[derive(Clone, Copy, Debug, tsrm::Statistics)]
            pub enum Client {
                $(
                    /// A counter.
                    #[stat(counter)]
                    $counter,
                )*
            }

            impl Client {
                /// All of them.
                pub const ALL: [Self; [$(stringify!($counter)),*].len()] = [$(Self::$counter),*];
            }

            /// A set that can be switched.
            #[derive(Clone, Copy, Debug, tsrm::Statistics)]
            #[stat(switch)]
            pub enum Switched {
                $(
                    /// A counter.
                    #[stat(counter)]
                    $small,
                )*
            }

            impl Switched {
                /// All of them.
                pub const ALL: [Self; super::TURNS] = [$(Self::$small),*];
            }

            /// A set that is compiled off.
            #[derive(Clone, Copy, Debug, tsrm::Statistics)]
            #[stat(off)]
            pub enum NotCompiled {
                $(
                    /// A counter.
                    #[stat(counter)]
                    $small,
                )*
            }

            impl NotCompiled {
                /// All of them.
                pub const ALL: [Self; super::TURNS] = [$(Self::$small),*];
            }

            /// Gauges and histograms.
            #[derive(Clone, Copy, Debug, tsrm::Statistics)]
            pub enum Various {
                $(
                    /// A gauge.
                    #[stat(gauge)]
                    $gauge,
                )*
                $(
                    /// A histogram.
                    #[stat(histogram, unit = "microseconds", max = 60_000_000)]
                    $histogram,
                )*
            }

            impl Various {
                /// The gauges.
                pub const GAUGES: [Self; super::TURNS] = [$(Self::$gauge),*];
                /// The histograms.
                pub const HISTOGRAMS: [Self; super::TURNS] = [$(Self::$histogram),*];
            }

            /// The large one.
            #[statistics]
            pub static CLIENT: Statistics<Client>;

            /// Stays on.
            #[statistics]
            pub static SWITCHED_ON: Statistics<Switched>;

            /// Is switched off before it is measured.
            #[statistics]
            pub static SWITCHED_OFF: Statistics<Switched>;

            /// Not there.
            #[statistics]
            pub static NOT_COMPILED: Statistics<NotCompiled>;

            /// The small one of other kinds.
            #[statistics]
            pub static VARIOUS: Statistics<Various>;
        }
    };
}

sets! {
    client:
        C000 C001 C002 C003 C004 C005 C006 C007 C008 C009 C010 C011 C012 C013 C014 C015 C016 C017
        C018 C019 C020 C021 C022 C023 C024 C025 C026 C027 C028 C029 C030 C031 C032 C033 C034 C035
        C036 C037 C038 C039 C040 C041 C042 C043 C044 C045 C046 C047 C048 C049 C050 C051 C052 C053
        C054 C055 C056 C057 C058 C059 C060 C061 C062 C063 C064 C065 C066 C067 C068 C069 C070 C071
        C072 C073 C074 C075 C076 C077 C078 C079 C080 C081 C082 C083 C084 C085 C086 C087 C088 C089
        C090 C091 C092 C093 C094 C095 C096 C097 C098 C099 C100 C101 C102 C103 C104 C105 C106 C107
        C108 C109 C110 C111 C112 C113 C114 C115 C116 C117 C118 C119 C120 C121 C122 C123 C124 C125
        C126 C127 C128 C129 C130 C131 C132 C133 C134 C135 C136 C137 C138 C139 C140 C141 C142 C143
        C144 C145 C146 C147 C148 C149 C150 C151 C152 C153 C154 C155 C156 C157 C158 C159 C160 C161
        C162;
    small: S0 S1 S2 S3 S4 S5 S6 S7;
    gauges: G0 G1 G2 G3 G4 G5 G6 G7;
    histograms: H0 H1 H2 H3 H4 H5 H6 H7;
}
