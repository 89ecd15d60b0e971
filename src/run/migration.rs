//! Bests of several colonies migrate: each colony gets the best solution of the one before it in a ring, or of all (Middendorf, Reischle and
//! Schmeck 2002, circular exchange of locally best solutions, exchange of globally best ones).

use super::Solver;
use super::devices::Failure;
use super::one::Run;
use crate::algorithm::choices::Topology;
use crate::error::Result;
use crate::settings::{Every, Recipe};

/// When solutions migrate.
#[derive(Clone, Copy)]
pub(super) enum NextMigration {
    /// Iterations between two migrations, and the one after which comes the next: all colonies come to it.
    Iterations { every: u32, next: u32 },
    /// Seconds between two, and when the next comes, wherever colonies are then (asynchronous migration, Alba and Troya 2001).
    Seconds { every: f64, next: f64 },
}

impl NextMigration {
    /// What the recipe has of it, if anything.
    pub fn of(recipe: &Recipe) -> Option<Self> {
        recipe.migration.map(|migration| match migration.every {
            Every::Seconds(every) => Self::Seconds { every, next: every },
            Every::Iterations(every) => Self::Iterations { every, next: every },
        })
    }

    /// The iteration that no colony goes beyond.
    pub fn limit(&self) -> Option<u32> {
        match self {
            Self::Iterations { next, .. } => Some(*next),
            Self::Seconds { .. } => None,
        }
    }

    /// Whether it is time, where all colonies have come to this iteration after so many seconds.
    pub fn is_due(&self, iteration: u32, seconds: f64) -> bool {
        match self {
            Self::Iterations { next, .. } => iteration >= *next,
            Self::Seconds { next, .. } => seconds >= *next,
        }
    }

    /// Waits for the next one.
    pub fn goes_on(&mut self, seconds: f64) {
        match self {
            Self::Iterations { every, next } => *next = next.saturating_add(*every),
            Self::Seconds { every, next } => *next = seconds + *every,
        }
    }
}

/// Who gives to whom, where colonies have solutions of these costs: in a ring each to the one after it, else the first of the best to all
/// others, if what it gives is better.
pub(super) fn pairs(costs: &[u64], topology: Option<Topology>) -> Vec<(usize, usize)> {
    let Some(topology) = topology else { return Vec::new() };
    let best = (0..costs.len()).min_by_key(|&colony| costs[colony]).unwrap_or_default();
    let giver = |taker: usize| match topology {
        Topology::Ring => (taker + costs.len() - 1) % costs.len(),
        Topology::Complete => best,
    };
    let pairs = (0..costs.len()).map(|taker| (giver(taker), taker));
    pairs.filter(|&(giver, taker)| costs[giver] < costs[taker]).collect()
}

/// A colony's best solution, which migrates to another colony.
#[derive(Clone)]
pub(super) struct Best {
    pub solution: Vec<u32>,
    /// As the device counts it.
    pub cost: u64,
    /// The iteration that found it.
    pub iteration: u32,
}

impl Solver {
    /// Lets the bests migrate if it is time: every colony gives what it had before the migration.
    pub(super) fn migrate(&mut self) -> Result<(), Failure> {
        let (iteration, seconds) = (self.progress().iteration, self.clock.seconds());
        let Some(migration) = self.migration.as_mut().filter(|migration| migration.is_due(iteration, seconds)) else {
            return Ok(());
        };
        migration.goes_on(seconds);
        let costs: Vec<u64> = self.runs.iter().map(Run::gives).collect();
        let pairs = pairs(&costs, self.recipe.migration.map(|migration| migration.topology));
        let mut migrants = Vec::new();
        for &(giver, _) in &pairs {
            migrants.push(self.runs[giver].give().map_err(|error| self.failure(giver, error))?);
        }
        for ((_, taker), best) in pairs.into_iter().zip(migrants) {
            self.runs[taker].take(best).map_err(|error| self.failure(taker, error))?;
        }
        Ok(())
    }
}

impl Run {
    /// The cost of the best solution that the run knows: an earlier colony, or another run, may have had a better one than the present
    /// colony has.
    pub(super) fn best_cost(&self) -> u64 {
        self.claim.cost.min(self.kept.cost)
    }

    /// The cost of the solution that it would give: within an iteration the one that the host has.
    pub(super) fn gives(&self) -> u64 {
        if self.is_between_iterations() { self.best_cost() } else { self.kept.cost }
    }

    pub(super) fn give(&mut self) -> Result<Best> {
        let (cost, is_between) = (self.gives(), self.is_between_iterations());
        let solution = match &mut self.colony {
            Some(colony) if is_between && self.claim.cost <= self.kept.cost => colony.best_solution()?,
            _ => self.kept.solution.clone(),
        };
        Ok(Best { solution, cost, iteration: self.progress.best_iteration })
    }

    pub(super) fn take(&mut self, best: Best) -> Result<()> {
        let exact = self.checked(&best.solution, best.cost)?;
        if self.colony.is_none() {
            return Ok(());
        }
        match self.is_between_iterations() {
            true => self.hand_on(&best)?,
            false => self.arrived = Some(best.clone()),
        }
        // Elsewhere it waits as the incumbent, and enters the next population. It is on the host already.
        self.note_gain(exact, best.iteration);
        // Where coordinates are rounded it was chosen by what devices say.
        if exact < self.kept.cost {
            self.keep_solution(best.solution, exact);
        }
        Ok(())
    }

    /// Hands a migrant on to ants that construct, unless these have found a better one meanwhile.
    fn hand_on(&mut self, best: &Best) -> Result<()> {
        if let Some(colony) = &mut self.colony
            && best.cost < self.claim.cost
            && self.course.check.is_none()
            && colony.plan().construct().is_some()
        {
            // The colony counts its own, without those of colonies before it.
            let state =
                colony.take_over(&best.solution, best.cost, best.iteration.saturating_sub(self.earlier.iterations))?;
            self.note(&state);
            self.claim.looked_at = best.cost;
        }
        Ok(())
    }

    /// Hands on what has arrived within an iteration, once that is over.
    pub(super) fn hand_on_arrived(&mut self) -> Result<()> {
        if self.is_between_iterations()
            && let Some(best) = self.arrived.take()
        {
            self.hand_on(&best)?;
        }
        Ok(())
    }
}

/// The seed of a colony, counted from 0, of a run with `seed`: the first one's is the run's, the others' are words of SplitMix64
/// (Steele, Lea and Flood 2014).
pub(super) fn seed(seed: u64, colony: usize) -> u64 {
    if colony == 0 {
        return seed;
    }
    let mut word = seed.wrapping_add((colony as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::colony::Colony;
    use crate::instance::problem::Problem;
    use crate::instance::tsp::{Kind, generate};
    use crate::kernels::shared::state::join;
    use crate::settings::{Algorithm, AntColonySystem, Colonies, Settings};
    use crate::{LocalSearch, Stop, Target};

    /// Three colonies after so many iterations, with the parameters of their ring.
    fn ring(ring: Colonies, iterations: u32) -> Solver {
        let problem = Problem::from(&generate(Kind::Clustered, 120, 4).unwrap());
        let ants =
            AntColonySystem { ants: Some(4), local_search: Some(LocalSearch::None), ..AntColonySystem::default() };
        let settings = Settings { colonies: ring, ..Settings::of(Algorithm::Acs(ants)) };
        let mut solver = Solver::new(&problem, &settings, Target::Cpu).unwrap();
        solver.run(&Stop::iterations(iterations)).unwrap();
        solver
    }

    fn costs(solver: &Solver) -> Vec<u64> {
        solver.runs.iter().map(Run::best_cost).collect()
    }

    fn best_of(run: &mut Run) -> u64 {
        run.colony.as_mut().map(Colony::state).unwrap().map(|state| join(state.best_cost)).unwrap()
    }

    #[test]
    fn by_the_clock_bests_migrate_wherever_colonies_are() {
        let by_clock = Colonies { colonies: Some(3), migration_time: Some(3600.0), ..Colonies::default() };
        let apart = Colonies { migration: Some(0), migration_time: None, ..by_clock };
        let mut solver = ring(by_clock, 20);
        let before = costs(&solver);
        // An hour has not passed: as without migrations.
        assert_eq!(before, costs(&ring(apart, 20)));
        assert!(before.iter().any(|cost| cost != &before[0]), "{before:?}");
        let due = |migration: NextMigration| {
            (migration.limit(), migration.is_due(u32::MAX, 3599.0), migration.is_due(0, 3600.0))
        };
        assert_eq!(solver.migration.map(due), Some((None, false, true)));
        solver.migration = Some(NextMigration::Seconds { every: 3600.0, next: 0.0 });
        assert!(solver.migrate().is_ok());
        let expected: Vec<u64> = (0..3).map(|taker| before[taker].min(before[(taker + 2) % 3])).collect();
        assert_eq!(costs(&solver), expected);
        let known: Vec<u64> = solver.runs.iter_mut().map(best_of).collect();
        assert_eq!(known, expected);
        let due = |migration: NextMigration| migration.is_due(0, 3000.0);
        assert_eq!(solver.migration.map(due), Some(false));
    }

    #[test]
    fn what_migrates_within_an_iteration_waits_for_its_end() {
        let mut solver = ring(Colonies { colonies: Some(3), migration: Some(0), ..Colonies::default() }, 20);
        let costs = costs(&solver);
        let best = (0..3).min_by_key(|&colony| costs[colony]).unwrap();
        let given = solver.runs[best].give().unwrap();
        let cost = given.cost;
        let taker = &mut solver.runs[(0..3).max_by_key(|&colony| costs[colony]).unwrap()];
        let own = best_of(taker);
        assert!(cost < own);
        taker.pace.batching.done = 1;
        // Within an iteration it gives what the host has.
        taker.kept.cost = own + 5;
        assert_eq!(taker.gives(), own + 5);
        assert_eq!(taker.give().unwrap().cost, own + 5);
        taker.take(given).unwrap();
        assert_eq!((best_of(taker), taker.kept.cost), (own, cost));
        taker.hand_on_arrived().unwrap();
        assert_eq!(best_of(taker), own);
        taker.pace.batching.done = 0;
        taker.hand_on_arrived().unwrap();
        assert_eq!((best_of(taker), taker.arrived.is_some()), (cost, false));
    }

    #[test]
    fn seeds_differ_by_run_and_colony() {
        let mut seeds: Vec<u64> = (0..64).flat_map(|run| (0..64).map(move |colony| seed(run, colony))).collect();
        assert_eq!(seeds[64], 1);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 64 * 64);
    }
}
