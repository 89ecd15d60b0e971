//! Choices that have names: how ants construct, remember, search and are run.

use serde::Serialize;

use super::value::{Kind, Value};

/// Declares a choice: an enumeration whose variants have one name on the command line, in files, in JSON and in messages.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$doc])*
                #[serde(rename = $text)]
                $variant,
            )+
        }

        impl $name {
            /// All choices.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::error::Error;

            /// The choice of this name; [`Error::Config`](crate::Error::Config) with the names that there are.
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let word = $crate::algorithm::value::Value::Word(word.to_owned());
                $crate::algorithm::value::Kind::from_value(&word).map_err($crate::error::Error::Config)
            }
        }

        impl $crate::algorithm::value::Kind for $name {
            fn from_value(value: &$crate::algorithm::value::Value) -> Result<Self, String> {
                let word = value.to_string();
                Self::ALL.iter().find(|choice| choice.name() == word).copied().ok_or_else(|| {
                    let names: Vec<_> = Self::ALL.iter().map(|choice| choice.name()).collect();
                    format!("expected one of {}, not '{word}'", names.join(", "))
                })
            }

            fn to_value(self) -> $crate::algorithm::value::Value {
                $crate::algorithm::value::Value::Word(self.name().to_owned())
            }
        }
    };
}
pub(crate) use choice;

choice! {
    /// To which colonies a colony's best solution migrates.
    Topology {
        /// To the next one of a ring: good solutions spread slowly, and colonies differ for longer
        Ring = "ring",
        /// The best of all to all others
        Complete = "complete",
    }
}

choice! {
    /// How ants are laid over invocations; changes no result.
    Strategy {
        /// One ant an invocation
        Coarse = "coarse",
        /// One ant a workgroup
        Fine = "fine",
    }
}

choice! {
    /// How an ant draws the next city.
    #[derive(Default)]
    Selection {
        /// Roulette wheel over prefix sums of the weights
        Rwm = "rwm",
        /// Weighted reservoir sampling (Efraimidis and Spirakis 2006): the greatest sum of log-weight and Gumbel deviate
        #[default]
        Wrs = "wrs",
        /// Independent roulette: the greatest product of weight and uniform deviate; favours great weights
        IRoulette = "i-roulette",
    }
}

choice! {
    /// How an ant keeps its visited set (the papers call it the tabu list); changes no result.
    Visited {
        /// List compression: the unvisited cities and each city's index among them, 4 bytes a city
        Lc = "lc",
        /// Bitmask, 1 bit a city
        Bt = "bt",
        /// Compact: both lists of list compression in one array, 2 bytes a city
        Ct = "ct",
    }
}

choice! {
    /// Which edges have a trail of their own.
    Memory {
        /// Those of the candidate lists; others count as having the lowest
        Candidates = "candidates",
        /// All
        Matrix = "matrix",
        /// The last few updated at each city, in a circular buffer; others have the lowest (Ant Colony System)
        Selective = "selective",
    }
}

choice! {
    /// How the ants of an Ant System deposit; changes no result.
    #[derive(Default)]
    Deposit {
        /// One invocation evaporates all trails, then lets one ant after the other deposit (Menezes et al. 2019, algorithm 3)
        Serial = "serial",
        /// Trails evaporate all at once, then all ants deposit at once, by atomic additions (Menezes et al. 2019, algorithms 6 and 7)
        #[default]
        Atomic = "atomic",
    }
}

choice! {
    /// How ants of an Ant Colony System wear down the trails they walk.
    LocalUpdate {
        /// Not at all
        None = "none",
        /// All ants step together, then all update, atomically: the same on every device
        Synchronous = "synchronous",
        /// Each ant on its own, without read-modify-write atomics: updates may be lost, runs do not repeat
        Relaxed = "relaxed",
    }
}

choice! {
    /// The local search each ant ends with.
    #[derive(Default)]
    LocalSearch {
        /// Tours stay as constructed
        None = "none",
        /// 2-opt: of tours with neighbour lists and don't-look bits (Bentley 1992), of assignments by the best exchange
        #[default]
        TwoOpt = "2opt",
        /// 2-opt and node insertion (Bentley 1992), with neighbour lists and don't-look bits
        TwoHalfOpt = "2.5opt",
        /// The same over all pairs of cities of a tour, beginning with every city
        TwoHalfOptAll = "2.5opt-all",
        /// 2-opt and Or-opt (Or 1976: segments of up to three cities), with neighbour lists and don't-look bits
        OrOpt = "oropt",
        /// 2-opt within pieces of 64 cities
        TwoOptPieces = "2opt-64",
        /// 2-opt and node insertion within pieces of 64 cities
        TwoHalfOptPieces = "2.5opt-64",
        /// Lin-Kernighan moves (Lin and Kernighan 1973), with neighbour lists and don't-look bits
        LinKernighan = "lk",
        /// Node insertion alone, which asymmetric instances allow
        Insertion = "insertion",
        /// Robust tabu search, for assignments (Taillard 1991)
        Tabu = "tabu",
    }
}

choice! {
    /// Depth and breadth of Lin-Kernighan moves.
    #[derive(Default)]
    Breadth {
        /// Up to 12 steps, with 5, 3 and 2 alternatives at the first three
        #[default]
        Wide = "wide",
        /// Up to 6 steps, with 5 alternatives at the first: half the work, longer tours
        Narrow = "narrow",
    }
}

choice! {
    /// Where the best ant of an iteration is found; changes no result.
    #[derive(Default)]
    BestOn {
        /// On the device
        #[default]
        Device = "device",
        /// On the host, which reads all costs in each iteration
        Host = "host",
    }
}

choice! {
    /// How the trails of a MAX-MIN Ant System are updated; changes no result.
    #[derive(Default)]
    TrailUpdate {
        /// Evaporation, deposit and choice information in one kernel
        #[default]
        Fused = "fused",
        /// One kernel each
        Separate = "separate",
    }
}

choice! {
    /// Where ants start.
    #[derive(Default)]
    Start {
        /// Each at a random city
        #[default]
        Random = "random",
        /// At random cities, no two ants at the same while there are cities enough
        Distinct = "distinct",
    }
}

choice! {
    /// How the search of an assignment evaluates moves and shares them among invocations; changes no result.
    MoveEvaluation {
        /// A table of sums by which each move takes constant time, whether or not it exchanges what has just moved
        Products = "products",
        /// Moves of constant time and those of linear time by invocations of different subgroups (Tsutsui and Fujimoto 2011, section
        /// 5.2.2)
        Mata = "mata",
        /// Each invocation takes moves of both kinds as they come (section 5.2.1)
        NonMata = "non-mata",
    }
}

/// The cities an ant weighs at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Candidates {
    /// All other cities.
    All,
    /// This many nearest neighbours, at least 5.
    Nearest(usize),
}

impl Kind for Candidates {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Word(word) if word == "all" => Ok(Self::All),
            other => match u32::from_value(other) {
                Ok(count) => Ok(Self::Nearest(count as usize)),
                Err(_) => Err(format!("expected 'all' or a whole number from 5 up, not '{other}'")),
            },
        }
    }

    fn to_value(self) -> Value {
        match self {
            Self::All => Value::Word("all".into()),
            Self::Nearest(count) => Value::Whole(count as u64),
        }
    }
}
