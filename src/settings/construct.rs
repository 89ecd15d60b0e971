//! Ants that construct tours: defaults, and what is refused.

use super::asked::{AntColonySystem, AntSystem, Execution, Faco, MaxMin};
use super::parameter::Named;
use crate::algorithm::acs::AcsParams;
use crate::algorithm::ant_system::{AntSystemParams, Weighting};
use crate::algorithm::choices::{
    Breadth, Candidates, LocalSearch, LocalUpdate, Memory, Selection, Start, Strategy, TrailUpdate, Visited,
};
use crate::algorithm::construct::{Construct, MIN_CANDIDATES, Rule, Run, check_ants};
use crate::algorithm::mmas::MmasParams;
use crate::algorithm::range::{self, exponent};
use crate::algorithm::selective::MOST_RECORDS;
use crate::error::{Error, Result};
use crate::instance::problem::{Shape, ShapeKind};

/// Candidates when none are asked for.
const DEFAULT_CANDIDATES: usize = 32;
/// Trails of a city in a selective memory, when not asked for (Skinderowicz 2016, section 3.2).
pub(super) const DEFAULT_MEMORY_SIZE: u32 = 8;
/// Cities that an ant of Focused ACO places itself, when not asked for; `docs/results` has the runs behind it and those below.
const DEFAULT_FOCUS: u32 = 400;
/// Focused ACO forgets sooner than other MAX-MIN Ant Systems with local search: rate, and iterations without a gain.
const FACO_EVAPORATION: f64 = 0.1;
const FACO_STAGNATION: u32 = 50;

/// What is being resolved: an instance for tours, and what is asked for beside the algorithm.
pub(super) struct Tours<'a> {
    pub shape: &'a Shape,
    pub directed: bool,
    pub seed: u64,
    pub execution: &'a Execution,
}

/// What every algorithm that constructs tours has in common, as asked for.
#[derive(Default)]
struct Common {
    ants: Option<u32>,
    selection: Option<Selection>,
    candidates: Option<Candidates>,
    quadrants: Option<u32>,
    local_search: Option<LocalSearch>,
    breadth: Option<Breadth>,
    start: Option<Start>,
    memory: Option<Memory>,
    memory_size: Option<u32>,
    local_update: Option<LocalUpdate>,
    update_period: Option<u32>,
    focus: Option<u32>,
}

fn refuse<T>(reason: impl Into<String>) -> Result<T> {
    Err(Error::Config(reason.into()))
}

/// An algorithm as messages call it.
pub(super) fn named(algorithm: &str) -> String {
    format!("algorithm '{algorithm}'")
}

/// Refuses what of `execution` is given, where it means nothing.
pub(super) fn refuse_execution(execution: &Execution, names: &[&str], what: &str, reason: &str) -> Result<()> {
    match execution.given().into_iter().find(|(name, _)| names.contains(name)) {
        Some((name, _)) => refuse(format!("'{name}' means nothing to {what}, {reason}; leave it out")),
        None => Ok(()),
    }
}

impl Tours<'_> {
    pub fn ant_system(&self, asked: &AntSystem) -> Result<Construct> {
        if asked.elitist.is_some() && asked.ranks.is_some() {
            return refuse("'elitist' and 'ranks' exclude each other: give one of them");
        }
        let default = AntSystemParams::default();
        let elitist = asked.elitist.map(Weighting::Elitist);
        let parameters = AntSystemParams {
            alpha: exponent(asked.alpha.unwrap_or(default.alpha)),
            beta: exponent(asked.beta.unwrap_or(default.beta)),
            evaporation: asked.evaporation.unwrap_or(default.evaporation),
            weighting: elitist.or(asked.ranks.map(Weighting::Ranked)).unwrap_or(default.weighting),
        };
        let common = Common {
            ants: asked.ants,
            selection: asked.selection,
            candidates: asked.candidates,
            quadrants: asked.quadrants,
            local_search: asked.local_search,
            breadth: asked.breadth,
            start: asked.start_cities,
            memory: Some(Memory::Matrix),
            ..Common::default()
        };
        let construct = self.construct(Rule::As(parameters), common)?;
        parameters.validate(construct.ants)?;
        Ok(construct)
    }

    pub fn ant_colony_system(&self, asked: &AntColonySystem) -> Result<Construct> {
        let default = AcsParams::default();
        let parameters = AcsParams {
            beta: exponent(asked.beta.unwrap_or(default.beta)),
            q0: asked.q0.or(default.q0),
            evaporation: asked.evaporation.unwrap_or(default.evaporation),
            local_evaporation: asked.local_evaporation.unwrap_or(default.local_evaporation),
        };
        parameters.validate()?;
        self.construct(
            Rule::Acs(parameters),
            Common {
                ants: asked.ants,
                selection: asked.selection,
                candidates: asked.candidates,
                quadrants: asked.quadrants,
                local_search: asked.local_search,
                breadth: asked.breadth,
                start: asked.start_cities,
                memory: asked.memory.or(Some(Memory::Matrix)),
                memory_size: asked.memory_size,
                local_update: asked.local_update,
                update_period: asked.update_period,
                focus: None,
            },
        )
    }

    pub fn max_min(&self, asked: &MaxMin) -> Result<Construct> {
        for (name, given) in [
            ("search_iterations", asked.search_iterations),
            ("first_iterations", asked.first_iterations),
            ("tenure", asked.tenure),
        ] {
            if given.is_some() {
                return refuse(format!("'{name}' belongs to the search of assignments; leave it out for tours"));
            }
        }
        let defaults = MmasParams::for_search(asked.local_search != Some(LocalSearch::None));
        let defaults = match asked.candidates {
            // An ant has half of the cities to choose from, in the mean.
            Some(Candidates::All) => MmasParams { average_options: None, ..defaults },
            _ => defaults,
        };
        let parameters = max_min_parameters(asked, defaults)?;
        let all = asked.candidates == Some(Candidates::All);
        self.construct(
            Rule::Mmas(parameters),
            Common {
                ants: asked.ants,
                selection: asked.selection,
                candidates: asked.candidates,
                quadrants: asked.quadrants,
                local_search: asked.local_search,
                breadth: asked.breadth,
                start: asked.start_cities,
                memory: asked.memory.or(Some(if all { Memory::Matrix } else { Memory::Candidates })),
                ..Common::default()
            },
        )
    }

    pub fn faco(&self, asked: &Faco) -> Result<Construct> {
        let focus = asked.focus.unwrap_or(DEFAULT_FOCUS);
        if focus < 2 {
            return refuse(format!("focus must be at least 2, not {focus}: an ant has to place some cities itself"));
        }
        if asked.candidates == Some(Candidates::All) {
            return refuse("ants of 'faco' follow candidate lists; give 'candidates' a number from 5 up");
        }
        if self.execution.strategy == Some(Strategy::Coarse)
            || self.execution.visited.is_some_and(|it| it != Visited::Bt)
        {
            return refuse("ants of 'faco' take visited sets over as bitmasks: strategy 'fine' and visited 'bt'");
        }
        let asked_mmas = MaxMin {
            alpha: asked.alpha,
            beta: asked.beta,
            evaporation: asked.evaporation.or(Some(FACO_EVAPORATION)),
            p_best: asked.p_best,
            average_options: asked.average_options,
            stagnation: asked.stagnation.or(Some(FACO_STAGNATION)),
            schedule: asked.schedule,
            ..MaxMin::default()
        };
        let parameters = max_min_parameters(&asked_mmas, MmasParams::for_search(true))?;
        self.construct(
            Rule::Mmas(parameters),
            Common {
                ants: asked.ants,
                selection: asked.selection,
                candidates: asked.candidates,
                quadrants: asked.quadrants,
                local_search: asked.local_search.or(Some(match self.directed {
                    true => LocalSearch::Insertion,
                    false => LocalSearch::LinKernighan,
                })),
                breadth: asked.breadth,
                memory: Some(Memory::Candidates),
                focus: Some(focus),
                ..Common::default()
            },
        )
    }

    fn construct(&self, rule: Rule, asked: Common) -> Result<Construct> {
        let quadrants = asked.quadrants.unwrap_or(0);
        range::whole("quadrants", quadrants, 0, range::MAX_QUADRANTS)?;
        let paired = self.has_fixed_edges();
        let local_search = asked.local_search.unwrap_or(match self.directed {
            true => LocalSearch::Insertion,
            false if paired => LocalSearch::LinKernighan,
            false => LocalSearch::TwoOpt,
        });
        let others = self.shape.most_neighbours();
        let all = asked.candidates == Some(Candidates::All);
        let candidates = match asked.candidates.unwrap_or(Candidates::Nearest(DEFAULT_CANDIDATES)) {
            Candidates::All => others,
            Candidates::Nearest(k) if k < MIN_CANDIDATES => {
                return refuse(format!("candidates must be 'all' or at least {MIN_CANDIDATES}, not {k}"));
            }
            Candidates::Nearest(k) => k.min(others),
        };
        // A list of all others holds every quadrant's.
        let least = 4 * quadrants as usize;
        if candidates < least.min(others) {
            return refuse(format!("candidates must be at least {least} with quadrants {quadrants}, not {candidates}"));
        }
        let memory = asked.memory.unwrap_or(Memory::Matrix);
        let searches = local_search != LocalSearch::None;
        let ants = asked.ants.map_or_else(|| default_ants(self.shape.size, searches), |ants| ants as usize);
        check_ants("ants", ants, 1)?;
        let acs = matches!(rule, Rule::Acs(_));
        let local_update = asked.local_update.unwrap_or(match (acs, memory) {
            (true, Memory::Selective) => LocalUpdate::Relaxed,
            (true, _) => LocalUpdate::Synchronous,
            (false, _) => LocalUpdate::None,
        });
        let execution = self.execution;
        let construct = Construct {
            rule,
            selection: asked.selection.unwrap_or_default(),
            candidates,
            quadrants,
            full: all && memory == Memory::Matrix && !acs,
            memory,
            memory_size: asked.memory_size.unwrap_or(DEFAULT_MEMORY_SIZE),
            deposit: execution.deposit.unwrap_or_default(),
            local_update,
            update_period: asked.update_period.unwrap_or(1),
            local_search,
            breadth: asked.breadth.unwrap_or_default(),
            best_on: execution.best_on.unwrap_or_default(),
            trail_update: execution.trail_update.unwrap_or_default(),
            start: asked.start.unwrap_or_default(),
            patched_first: false,
            focus: asked.focus.map_or(0, |focus| focus.min(others as u32)),
            ants,
            seed: self.seed,
            directed: self.directed,
            assignment: None,
            run: Run {
                strategy: execution.strategy,
                visited: execution.visited,
                lanes: execution.lanes,
                move_evaluation: None,
            },
        };
        self.check(&construct, &asked)?;
        construct.with_lanes_checked()
    }

    /// Whether edges stay in every tour.
    fn has_fixed_edges(&self) -> bool {
        matches!(self.shape.kind, ShapeKind::Tour { paired, .. } if paired > 0)
    }

    fn check(&self, construct: &Construct, asked: &Common) -> Result<()> {
        let algorithm = &named(construct.name());
        refuse_execution(self.execution, &["move_evaluation"], algorithm, "which constructs tours")?;
        if !matches!(construct.rule, Rule::As(_)) {
            refuse_execution(self.execution, &["deposit"], algorithm, "where one tour deposits")?;
        }
        if !matches!(construct.rule, Rule::Mmas(_)) {
            let reason = "whose trails are not updated in one pass";
            refuse_execution(self.execution, &["trail_update"], algorithm, reason)?;
        }
        if construct.local_search == LocalSearch::Tabu {
            return refuse("tabu search works on assignments; choose another local search for tours");
        }
        let acs = matches!(construct.rule, Rule::Acs(_));
        match (acs, construct.memory) {
            (true, Memory::Candidates) => {
                return refuse(
                    "an Ant Colony System updates every edge its ants walk: it needs memory 'matrix' or 'selective'",
                );
            }
            (false, Memory::Selective) => {
                return refuse(
                    "a selective memory forgets trails by local updates, which only an Ant Colony System makes",
                );
            }
            _ => {}
        }
        if construct.memory == Memory::Selective && construct.local_update == LocalUpdate::Synchronous {
            return refuse(
                "a selective memory depends on the order of its updates: local update 'relaxed' or 'none' goes with it",
            );
        }
        if construct.memory != Memory::Selective && asked.memory_size.is_some() {
            return refuse("'memory_size' goes with memory 'selective' alone");
        }
        range::whole("memory_size", construct.memory_size, 1, MOST_RECORDS)?;
        let idle = construct.local_update == LocalUpdate::None && asked.update_period.is_some();
        if construct.update_period == 0 || idle {
            return refuse("'update_period' must be at least 1, and needs a local update");
        }
        if construct.trail_update == TrailUpdate::Separate && construct.memory != Memory::Matrix {
            return refuse("separate trail updates work on all edges: they need memory 'matrix'");
        }
        if asked.breadth.is_some() && construct.local_search != LocalSearch::LinKernighan {
            return refuse("'breadth' is that of Lin-Kernighan moves: it needs local search 'lk'");
        }
        let pieces = matches!(construct.local_search, LocalSearch::TwoOptPieces | LocalSearch::TwoHalfOptPieces);
        if construct.quadrants > 0 && construct.full && (pieces || !construct.searches()) {
            return refuse(
                "quadrants go with lists of candidates or of a local search's neighbours, and here are none",
            );
        }
        if self.has_fixed_edges() {
            if !matches!(construct.local_search, LocalSearch::None | LocalSearch::LinKernighan) {
                return refuse(format!(
                    "local search '{}' does not keep fixed edges, nor the start or end of an open path: choose 'lk' or 'none'",
                    construct.local_search
                ));
            }
            if construct.focus > 0 {
                return refuse(
                    "ants that change a stretch of the best tour (algorithm 'faco', parameter 'focus') do not keep fixed edges, nor the \
                     start or end of an open path: choose algorithm 'auto' or 'mmas'",
                );
            }
        }
        if construct.directed && !matches!(construct.local_search, LocalSearch::None | LocalSearch::Insertion) {
            return refuse(format!(
                "'{}' reverses parts of a tour, whose cost differs backwards in an asymmetric instance: choose local search \
                 'insertion' or 'none'",
                construct.local_search
            ));
        }
        Ok(())
    }
}

/// Parameters of a MAX-MIN Ant System, checked.
pub(super) fn max_min_parameters(asked: &MaxMin, default: MmasParams) -> Result<MmasParams> {
    let parameters = MmasParams {
        alpha: exponent(asked.alpha.unwrap_or(default.alpha)),
        beta: exponent(asked.beta.unwrap_or(default.beta)),
        evaporation: asked.evaporation.unwrap_or(default.evaporation),
        p_best: asked.p_best.unwrap_or(default.p_best),
        average_options: asked.average_options.or(default.average_options),
        stagnation: asked.stagnation.unwrap_or(default.stagnation),
        schedule: asked.schedule.unwrap_or(default.schedule),
    };
    parameters.validate()?;
    Ok(parameters)
}

/// Ants by instance size: the same on every device, so that the same seed gives the same tours.
fn default_ants(cities: usize, searches: bool) -> usize {
    if searches { 32 } else { cities.clamp(1, 1024) }
}
