//! What to run, as a user says it: an ant system as a combination of choices that do not depend on each other.

use serde::Serialize;

use super::acs::AcsParams;
use super::ant_system::AntSystemParams;
use super::assembly::AssemblyParams;
use super::cas::CasParams;
use super::focused::FocusedParams;
use super::mmas::MmasParams;

/// Declares a choice: an enumeration whose variants have one name on the command line, in JSON and in messages.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$doc])*
                #[serde(rename = $text)]
                #[cfg_attr(feature = "cli", value(name = $text))]
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
    };
}

choice! {
    /// The ant system to run.
    #[derive(Default)]
    Algorithm {
        /// Ant System: every ant deposits; with elitist or rank-based weights where its parameters say so
        As = "as",
        /// Ant Colony System: greedy steps with probability q0, local update on each edge, the best tour deposits
        Acs = "acs",
        /// MAX-MIN Ant System: trail limits, the best tour deposits
        #[default]
        Mmas = "mmas",
        /// Cunning Ant System: each ant keeps a part of its unit's best solution, the units' bests deposit
        Cas = "cas",
        /// Focused ants: each improves a patch of the plane in the colony's tour; all gains that go together are taken over
        Focused = "focused",
        /// Assembling ants: each improves its tour by edges of another ant's (edge assembly crossover)
        Assembly = "assembly",
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
        /// Weighted reservoir sampling: the greatest sum of log-weight and Gumbel deviate
        #[default]
        Wrs = "wrs",
        /// Independent roulette: the greatest product of weight and uniform deviate; favours great weights
        IRoulette = "i-roulette",
    }
}

choice! {
    /// How an ant keeps the cities it has visited; changes no result.
    Tabu {
        /// List compression: the unvisited cities and each city's place among them, 4 bytes a city
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
        /// One after the other
        Serial = "serial",
        /// All at once, by atomic additions
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
        /// 2-opt: of tours with neighbour lists and don't-look bits, of assignments by the best exchange
        #[default]
        TwoOpt = "2opt",
        /// 2-opt and node insertion, with neighbour lists and don't-look bits
        TwoHalfOpt = "2.5opt",
        /// 2-opt and Or-opt (segments of up to three cities), with neighbour lists and don't-look bits
        OrOpt = "oropt",
        /// 2-opt within pieces of 64 cities
        TwoOptPieces = "2opt-64",
        /// 2-opt and node insertion within pieces of 64 cities
        TwoHalfOptPieces = "2.5opt-64",
        /// Lin-Kernighan chains of exchanges, with neighbour lists and don't-look bits
        LinKernighan = "lk",
        /// Node insertion alone, which asymmetric instances allow
        Insertion = "insertion",
        /// Robust tabu search, for assignments
        Tabu = "tabu",
    }
}

choice! {
    /// How widely and how deeply a Lin-Kernighan search looks for chains of exchanges.
    #[derive(Default)]
    Chains {
        /// Up to 12 exchanges, with 5, 3 and 2 alternatives at the first three
        #[default]
        Wide = "wide",
        /// Up to 6 exchanges, with 5 alternatives at the first: half the work, longer tours
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
    /// How the costs of exchanges are kept and shared among the invocations that search an assignment; changes no result.
    Assignment {
        /// A table of sums by which each exchange takes constant time, whether or not it moves what has just moved
        Products = "products",
        /// Exchanges of constant time and those of linear time by invocations of different subgroups (Tsutsui and Fujimoto
        /// 2011, section 5.2.2)
        Mata = "mata",
        /// Each invocation takes exchanges of both kinds as they come (section 5.2.1)
        NonMata = "non-mata",
    }
}

/// The cities an ant weighs at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Candidates {
    /// All other cities.
    All,
    /// This many nearest neighbours, at least 5.
    Nearest(usize),
}

/// What to run; `Default` suits any instance. `None` leaves a choice to the crate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are documented with their types")]
pub struct Config {
    /// `None` is a MAX-MIN Ant System for tours, a cunning Ant System for assignments.
    pub algorithm: Option<Algorithm>,
    /// `None` chooses by device.
    pub strategy: Option<Strategy>,
    pub selection: Selection,
    /// `None` chooses by device and candidates.
    pub tabu: Option<Tabu>,
    /// `None` is the 32 nearest neighbours.
    pub candidates: Option<Candidates>,
    /// So many nearest in each quadrant come first into the lists of candidates and of a local search's neighbours, 0 to 2; 0: the
    /// nearest alone. Of no effect where distances are not Euclidean in the plane.
    pub quadrants: u32,
    /// `None` is `Candidates` for a MAX-MIN Ant System with candidate lists, else `Matrix`.
    pub memory: Option<Memory>,
    /// Trails of a city in a selective memory, 1 to 32; `None` is 8.
    pub trails: Option<u32>,
    pub deposit: Deposit,
    /// `None` is `Synchronous` for an Ant Colony System, `Relaxed` for one with a selective memory, else `None`.
    pub local_update: Option<LocalUpdate>,
    /// The local update is made at every so many-th step; `None` is 1.
    pub update_period: Option<u32>,
    /// `None` is 2-opt for tours (node insertion for asymmetric instances), tabu search for assignments.
    pub local_search: Option<LocalSearch>,
    /// Of local search `lk`; `None` is `Wide`, for the first tours of ants that assemble `Narrow`.
    pub chains: Option<Chains>,
    pub best_on: BestOn,
    pub trail_update: TrailUpdate,
    pub start: Start,
    /// Cities that an ant places anew, at least 2; the others it takes over from the best tour since the restart. `None`: all.
    pub focus: Option<u32>,
    /// Ants in an iteration; `None` chooses by instance size, the same on every device.
    pub ants: Option<usize>,
    /// Invocations of a workgroup in construction, or in the search of an assignment, a power of two from 1 (2 for roulette wheels and
    /// for `Mata`) to 1024; `None` chooses by device. Changes no result.
    pub lanes: Option<u32>,
    /// Same seed, same tours, on every device (except with `LocalUpdate::Relaxed`).
    pub seed: u64,
    /// Parameters of a MAX-MIN Ant System; `None` chooses by local search and candidates, see [`Config::mmas_on_tours`].
    pub mmas: Option<MmasParams>,
    /// Parameters of an Ant System; `None` is the default.
    pub ant_system: Option<AntSystemParams>,
    /// Parameters of an Ant Colony System; `None` is the default.
    pub acs: Option<AcsParams>,
    /// Parameters of a cunning Ant System; `None` chooses by instance.
    pub cas: Option<CasParams>,
    /// Parameters of focused ants; `None` chooses by the number of cities ([`FocusedParams::for_cities`]).
    pub focused: Option<FocusedParams>,
    /// Parameters of ants that assemble tours; `None` is the default.
    pub assembly: Option<AssemblyParams>,
    /// Iterations of tabu search, or at most of 2-opt, on each assignment; `None` chooses by instance.
    pub tabu_iterations: Option<u32>,
    /// Longest tenure of a tabu, in iterations; `None` chooses by instance.
    pub tabu_tenure: Option<u32>,
    /// How exchanges are shared among invocations; `None` chooses by device. Changes no result.
    pub assignment: Option<Assignment>,
    /// Colonies, 1 to 256, which take turns on one device, each with all of `ants`; `None` is 1. The first one has
    /// the run's seed, the others seeds derived from it.
    pub colonies: Option<usize>,
    /// Iterations between exchanges, at which each of several colonies in a ring takes over the best solution of the one before it if
    /// that is better than its own (Middendorf, Reischle and Schmeck 2002, circular exchange of locally best solutions); 0: they exchange
    /// nothing. `None` is 50. A cunning Ant System deposits what its units have found and not what is taken over; for ants that
    /// assemble tours it waits until they begin with new first tours, and patches keep their own tour.
    pub exchange: Option<u32>,
}

impl Config {
    /// The parameters of a MAX-MIN Ant System on tours: those given, or the defaults for local search and candidates.
    pub fn mmas_on_tours(&self) -> MmasParams {
        self.mmas.unwrap_or_else(|| {
            let defaults = MmasParams::for_search(self.local_search != Some(LocalSearch::None));
            match self.candidates {
                // An ant has half of the cities to choose from, in the mean.
                Some(Candidates::All) => MmasParams { average_options: None, ..defaults },
                _ => defaults,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_options_are_those_of_lists_with_local_search() {
        let options = |local_search, candidates| {
            Config { local_search, candidates, ..Config::default() }.mmas_on_tours().average_options
        };
        assert_eq!(options(None, None), MmasParams::for_search(true).average_options);
        assert!(options(Some(LocalSearch::TwoOpt), Some(Candidates::Nearest(20))).is_some());
        assert_eq!(options(Some(LocalSearch::None), None), None);
        assert_eq!(options(None, Some(Candidates::All)), None);
        let given = MmasParams { average_options: Some(9.0), ..MmasParams::for_search(true) };
        let config = Config { mmas: Some(given), candidates: Some(Candidates::All), ..Config::default() };
        assert_eq!(config.mmas_on_tours(), given);
    }
}
