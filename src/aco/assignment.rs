//! The ant systems for assignments: a configuration with every choice made.

use super::cas::CasParams;
use super::config::{
    Algorithm, BestOn, Candidates, Chains, Config, Deposit, LocalSearch, LocalUpdate, Memory, Selection, Start,
    Strategy,
};
use super::mmas::MmasParams;
use super::system::{DEFAULT_TRAILS, Exchanges, Parameters, System, check_ants, check_owner};
use crate::error::{Error, Result};

/// By whether the instance is structured: tabu iterations on each assignment, and the longest tenure, times the number of
/// facilities; units of a cunning Ant System, times half of it. Structured: Tsutsui and Fujimoto 2011, table 4; others:
/// `docs/qap.md`.
const ITERATIONS: [u32; 2] = [100, 4];
const TENURES: [u32; 2] = [4, 1];
const UNITS: [usize; 2] = [1, 8];
/// But no more than their searches keep in so many words, with 2.5 words for each facility and location: half of the least
/// storage binding that every device has.
const UNIT_WORDS: usize = 1 << 24;
/// Ants of a MAX-MIN Ant System (Stützle and Hoos 2000, section 5.2).
const MMAS_ANTS: usize = 5;
/// Longest tenure that may be asked for.
const MAX_TENURE: u32 = 1 << 20;
/// Most iterations of a search.
const MAX_ITERATIONS: u32 = 1 << 24;

/// The system that `config` asks for on an instance of `facilities` facilities.
pub(super) fn system(facilities: usize, structured: bool, asymmetric: bool, config: &Config) -> Result<System> {
    let class = usize::from(structured);
    let algorithm = config.algorithm.unwrap_or(Algorithm::Cas);
    let local_search = config.local_search.unwrap_or(LocalSearch::Tabu);
    if matches!(algorithm, Algorithm::Focused | Algorithm::Assembly) {
        return Err(Error::Config(
            "focused and assembling ants work on tours; choose algorithm 'cas' or 'mmas' for assignments".into(),
        ));
    }
    check_owner(algorithm, config)?;
    refuse_what_tours_need(algorithm, local_search, config)?;
    let (parameters, ants) = match algorithm {
        Algorithm::Mmas => {
            let parameters = config.mmas.unwrap_or_else(MmasParams::for_assignments);
            parameters.validate()?;
            (Parameters::Mmas(parameters), MMAS_ANTS)
        }
        _ => {
            let parameters = config.cas.unwrap_or_else(|| CasParams::for_instance(structured));
            parameters.validate()?;
            let most = UNIT_WORDS * 2 / (5 * facilities * facilities);
            (Parameters::Cas(parameters), (UNITS[class] * facilities).div_ceil(2).min(most).max(MMAS_ANTS))
        }
    };
    let ants = config.ants.unwrap_or(ants);
    check_ants(ants)?;
    let most = (config.tabu_iterations, ITERATIONS[class] * facilities as u32);
    let tenure = config.tabu_tenure.unwrap_or(TENURES[class] * facilities as u32);
    let iterations = most.0.unwrap_or(most.1);
    if !(1..=MAX_ITERATIONS).contains(&iterations) {
        return Err(Error::Config(format!("tabu iterations must lie in 1 to {MAX_ITERATIONS}, not {iterations}")));
    }
    if tenure > MAX_TENURE {
        return Err(Error::Config(format!("the tabu tenure must lie in 0 to {MAX_TENURE}, not {tenure}")));
    }
    Ok(System {
        parameters,
        selection: config.selection,
        candidates: facilities,
        quadrants: 0,
        full: true,
        memory: Memory::Matrix,
        trails: DEFAULT_TRAILS,
        deposit: config.deposit,
        local_update: LocalUpdate::None,
        update_period: 1,
        local_search,
        chains: Chains::Wide,
        best_on: config.best_on,
        trail_update: config.trail_update,
        start: Start::Random,
        focus: 0,
        ants,
        seed: config.seed,
        directed: false,
        exchanges: Some(Exchanges { iterations, tenure, asymmetric }),
    })
}

fn refuse_what_tours_need(algorithm: Algorithm, local_search: LocalSearch, config: &Config) -> Result<()> {
    let refuse =
        |what: &str, remedy: &str| Err(Error::Config(format!("{what} has no meaning for an assignment: {remedy}")));
    if !matches!(algorithm, Algorithm::Cas | Algorithm::Mmas) {
        return refuse(&format!("algorithm '{algorithm}'"), "choose 'cas' or 'mmas'");
    }
    if !matches!(local_search, LocalSearch::None | LocalSearch::TwoOpt | LocalSearch::Tabu) {
        return refuse(&format!("local search '{local_search}'"), "choose 'tabu', '2opt' or 'none'");
    }
    if matches!(config.candidates, Some(Candidates::Nearest(_))) {
        return refuse("a candidate list", "ants weigh all free locations");
    }
    if config.chains.is_some() {
        return refuse("the kind of chains", "leave out 'chains'");
    }
    if config.quadrants > 0 {
        return refuse("the number of quadrant neighbours", "leave out 'quadrants'");
    }
    if config.memory.is_some_and(|memory| memory != Memory::Matrix) || config.trails.is_some() {
        return refuse("a pheromone memory other than 'matrix'", "each facility has a trail to each location");
    }
    if config.local_update.is_some_and(|update| update != LocalUpdate::None) || config.update_period.is_some() {
        return refuse("a local update", "only an Ant Colony System has one, and that solves tours");
    }
    if config.start != Start::Random {
        return refuse("a start city", "leave out 'start'");
    }
    if config.focus.is_some() {
        return refuse("focus", "cunning ants keep a part of their unit's best; set gamma");
    }
    if config.strategy == Some(Strategy::Coarse) {
        return refuse("strategy 'coarse'", "a workgroup searches each assignment");
    }
    if config.selection == Selection::IRoulette {
        return refuse("selection 'i-roulette'", "choose 'wrs' or 'rwm'");
    }
    if config.deposit == Deposit::Serial || config.best_on == BestOn::Host {
        return refuse("serial deposit and the best ant found by the host", "leave them out");
    }
    if config.mmas.is_some_and(|mmas| mmas.beta != 0.0) {
        return refuse("a heuristic exponent", "set beta to 0");
    }
    Ok(())
}
