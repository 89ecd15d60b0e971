//! Parameters of ants that assemble their tours from those of others.

use serde::Serialize;

use super::config::{
    Algorithm, BestOn, Candidates, Chains, Config, Deposit, LocalSearch, Selection, Start, TrailUpdate,
};
use super::mmas::MmasParams;
use super::range;
use super::system::{Parameters, SEARCHED_CANDIDATES, System, check_ants, check_no_assignment, check_owner};
use crate::error::{Error, Result};

/// Parameters of ants that assemble tours (edge assembly crossover, Nagata and Kobayashi 2013: EAX-single, then exchanges of several
/// cycles in the spirit of Block2).
///
/// Each ant has a tour. In an iteration it exchanges edges with one other ant's tour, along a cycle in which edges of both take turns,
/// and joins the parts into a tour again; of some such attempts it takes over the one that gains most for what is lost of the trails'
/// entropy. The trail of an edge is the number of ants whose tour has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AssemblyParams {
    /// Attempts of an ant in an iteration, 1 to 1000; four walks share them.
    pub attempts: u32,
    /// Attempts that gain, after which an ant makes no more in an iteration, 1 to 1000; each walk needs a fourth of them.
    pub gains: u32,
    /// Walks of an ant's four, 0 to 4, whose exchanges grow by further cycles while they leave several parts, once those of one cycle
    /// gain little.
    pub blocks: u32,
    /// Ants, each with a tour, when [`Config::ants`] does not say, or says how many focused ants work on patches before; 2 to 65,536.
    /// When they gain no more, twice as many begin with other tours, four times at most and up to 1,024.
    pub population: u32,
}

impl Default for AssemblyParams {
    fn default() -> Self {
        Self { attempts: 30, gains: 3, blocks: 4, population: 64 }
    }
}

impl AssemblyParams {
    /// Checks each range.
    ///
    /// # Errors
    /// [`Error::Config`] naming the parameter, its range and its value.
    pub fn validate(&self) -> Result<()> {
        range::whole("attempts", self.attempts, 1, 1000)?;
        range::whole("gains", self.gains, 1, 1000)?;
        range::whole("blocks", self.blocks, 0, WALKS)?;
        range::whole("population", self.population, 2, 65_536)
    }
}

/// Walks of an ant, which share its attempts: each is a chain of dependent reads, and an iteration lasts as long as the longest.
pub(crate) const WALKS: u32 = 4;

/// How often the number of ants is doubled, and how many doubled ones there may be.
const DOUBLINGS: u32 = 4;
const MOST: usize = 1024;

/// Heuristic exponent of first tours: the shorter they are before their search, the sooner it is done.
const FIRST_BETA: f64 = 8.0;

/// How ants get their first tours: construction by the distances alone, and a Lin-Kernighan search.
pub(crate) fn first_tours(config: &Config, round: u32) -> Config {
    Config {
        algorithm: Some(Algorithm::Mmas),
        local_search: Some(LocalSearch::LinKernighan),
        mmas: Some(MmasParams { beta: FIRST_BETA, ..MmasParams::for_search(true) }),
        chains: Some(config.chains.unwrap_or(Chains::Narrow)),
        quadrants: config.quadrants,
        ants: Some(ants(config, round)),
        seed: config.seed ^ u64::from(round) << 32,
        ..Config::default()
    }
}

/// The same ants, once they have tours.
pub(crate) fn assembling(config: &Config, round: u32) -> Config {
    Config {
        algorithm: Some(Algorithm::Assembly),
        quadrants: config.quadrants,
        ants: Some(ants(config, round)),
        seed: config.seed ^ u64::from(round) << 32,
        assembly: config.assembly,
        ..Config::default()
    }
}

/// The same with half as many ants; `None` when there are too few.
pub(crate) fn halved(config: &Config) -> Option<Config> {
    let half = ants(config, 0) / 2;
    let population = AssemblyParams { population: half as u32, ..config.assembly.unwrap_or_default() };
    (half >= 2).then_some(match config.algorithm {
        Some(Algorithm::Assembly) => Config { ants: Some(half), ..*config },
        _ => Config { assembly: Some(population), ..*config },
    })
}

fn ants(config: &Config, round: u32) -> usize {
    let asked = config.ants.filter(|_| config.algorithm == Some(Algorithm::Assembly));
    let first = asked.unwrap_or(config.assembly.unwrap_or_default().population as usize);
    (first << round.min(DOUBLINGS)).min(first.max(MOST))
}

/// The system of assembling ants that `config` asks for.
pub(super) fn system(cities: usize, directed: bool, config: &Config) -> Result<System> {
    let refuse = |reason: &str| Err(Error::Config(reason.to_owned()));
    check_owner(Algorithm::Assembly, config)?;
    if directed {
        return refuse(
            "ants that assemble tours reverse parts of them, whose cost differs backwards in an asymmetric instance",
        );
    }
    if !matches!(config.local_search, None | Some(LocalSearch::LinKernighan)) {
        return refuse("ants that assemble tours begin with local search 'lk'");
    }
    let others = config.memory.is_some()
        || config.trails.is_some()
        || config.local_update.is_some()
        || config.update_period.is_some()
        || config.focus.is_some()
        || config.strategy.is_some()
        || config.tabu.is_some()
        || config.lanes.is_some()
        || config.start != Start::default()
        || config.deposit != Deposit::default()
        || config.best_on == BestOn::Host;
    if others || config.trail_update != TrailUpdate::default() || config.selection != Selection::default() {
        return refuse(
            "how ants construct, deposit and are compared (memory, trails, updates, focus, selection, strategy, tabu, lanes, start, best on the \
             host) does not go with ants that assemble tours",
        );
    }
    if !matches!(config.candidates, None | Some(Candidates::Nearest(SEARCHED_CANDIDATES))) {
        return refuse("ants that assemble tours have 10 candidates");
    }
    check_no_assignment(config)?;
    let parameters = config.assembly.unwrap_or_default();
    parameters.validate()?;
    let ants = ants(config, 0);
    check_ants(ants)?;
    if ants < 2 {
        return refuse("ants that assemble tours must be at least 2, not 1");
    }
    Ok(System::that_searches(Parameters::Assembly(parameters), cities, ants, config))
}

/// The entropy of an edge that so many of `ants` tours have, from none to all, in units of 2⁻²⁴: −p ln p with p their share.
pub(crate) fn entropies(ants: usize) -> Vec<u32> {
    let entropy = |count: usize| match count {
        0 => 0,
        _ => {
            let share = count as f64 / ants as f64;
            (-share * share.ln() * f64::from(1 << 24)).round() as u32
        }
    };
    (0..=ants).map(entropy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ants_are_doubled_within_bounds() {
        let ants = |asked: usize| {
            let config = Config { algorithm: Some(Algorithm::Assembly), ants: Some(asked), ..Config::default() };
            [0, 1, 4, 5].map(|round| assembling(&config, round).ants)
        };
        assert_eq!(ants(10), [Some(10), Some(20), Some(160), Some(160)]);
        assert_eq!(ants(300), [Some(300), Some(600), Some(1024), Some(1024)]);
        assert_eq!(ants(40_000), [Some(40_000); 4]);
    }

    #[test]
    fn the_lists_of_a_run_stay_the_same() {
        let config = Config { algorithm: Some(Algorithm::Focused), quadrants: 2, ..Config::default() };
        let halved = halved(&config).map(|config| config.quadrants);
        assert_eq!((first_tours(&config, 1).quadrants, assembling(&config, 1).quadrants, halved), (2, 2, Some(2)));
    }

    /// None without tours, and none with all of them; in between whole numbers that fall again beyond a share of 1/e.
    #[test]
    fn entropy_vanishes_at_both_ends() {
        let entropies = entropies(256);
        assert_eq!((entropies.len(), entropies[0], entropies[256]), (257, 0, 0));
        let greatest = entropies.iter().zip(0..).max().map(|(_, count)| count);
        assert_eq!(greatest, Some(94));
    }
}
