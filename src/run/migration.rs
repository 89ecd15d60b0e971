//! Several colonies, which take turns on a device or work side by side on several: each gets the best solution of the colony before it in a
//! ring, or of all (Middendorf, Reischle and Schmeck 2002, circular exchange of locally best solutions, exchange of globally best ones).

use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};
use std::time::Duration;

use web_time::Instant;

use super::devices::Failure;
use super::one::{Earlier, Run};
use super::{Ended, Progress, SUBMISSION, Solution, Solver, Stop, TracePoint};
use crate::algorithm::choices::Topology;
use crate::error::Result;
use crate::settings::{Every, Recipe};

/// A turn of a device that has had its time and waits for another one.
const SHORT_TURN: Duration = Duration::from_millis(10);

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

/// A colony's best solution, which migrates to another colony; its cost, as the device counts it, and the iteration that found it.
pub(super) type Migrant = (Vec<u32>, u64, u32);

impl Solver {
    /// One colony's turn: the first of those that have made the fewest iterations; on several devices turns of a colony on each, side by
    /// side. No colony goes on beyond the next migration before all are there, so that results depend on iterations alone and not on how
    /// long a turn is, or how fast a device; unless migrations come by the clock.
    pub(super) fn turn(&mut self, stop: &Stop) -> Result<Option<Ended>, Failure> {
        let whole = stop;
        self.know(whole);
        let limits = [stop.iterations, self.migration.and_then(|migration| migration.limit()), self.stagnates_in(stop)];
        // Whether all have gained nothing is looked at between turns.
        let stagnation_time = stop.stagnation_time.filter(|_| self.runs.len() == 1 && self.group.is_none());
        let iterations = limits.into_iter().flatten().min();
        let stagnation = stop.stagnation.filter(|_| self.is_windowed());
        let stop = Stop { iterations, stagnation, stagnation_time, ..stop.clone() };
        let ended = match self.devices.len().min(self.runs.len()) {
            1 => {
                let number = |run: &Run| match run.course.rests {
                    Some(_) => u64::MAX,
                    None => run.progress.iteration.into(),
                };
                let behind = self.best_by(number);
                let ended = self.runs[behind].turn(&stop).map_err(|error| self.failure(behind, error))?;
                self.runs[behind].course.rests = stop.rounds.filter(|_| ended == Some(Ended::Converged));
                ended.filter(|ended| *ended != Ended::Converged)
            }
            _ => self.turns(&stop)?,
        };
        // One whose rounds are over rests while others go on: so when the run of one process ends depends on no clock.
        let all_rest = self.runs.iter().all(|run| run.course.rests.is_some());
        let ended = ended.or(all_rest.then_some(Ended::Converged));
        match (&ended, &self.group) {
            (Some(_), _) => Ok(ended),
            (None, Some(_)) => self.meet_if_due(whole),
            (None, None) => self.migrate().map(|()| None),
        }
    }

    /// The iteration that ends the run unless something is gained before. Of several colonies only what all had gained when they last were in
    /// such an iteration counts: some are ahead of others, as threads and devices have it. Where the clock says when bests migrate, they wait
    /// for none.
    pub(super) fn stagnates_in(&self, stop: &Stop) -> Option<u32> {
        let own = self.own_progress();
        let waits = self.group.is_some() || !matches!(self.migration, Some(NextMigration::Seconds { .. }));
        match (&self.runs[..], &self.group) {
            ([_], None) if self.is_windowed() => None,
            ([_, _, ..], _) | (_, Some(_)) if waits => {
                stop.stagnates_in(&self.known.unwrap_or(Progress { best_iteration: 0, ..own }))
            }
            _ => stop.stagnates_in(&own),
        }
    }

    /// Takes note of what the colonies of one process have gained when all have come to the iteration that would end the run.
    fn know(&mut self, stop: &Stop) {
        let own = self.own_progress();
        if self.group.is_none() && self.stagnates_in(stop).is_some_and(|last| own.iteration >= last) {
            self.known = Some(own);
        }
    }

    /// Whether crossover takes windows of the tour of one colony, whose gains are seen when windows end: such a run looks itself whether it gains nothing.
    pub(super) fn is_windowed(&self) -> bool {
        matches!((&self.runs[..], &self.group), ([one], None) if one.windowed.is_some())
    }

    /// Lets the bests migrate if it is time: every colony gives what it had before the migration.
    fn migrate(&mut self) -> Result<(), Failure> {
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
        for ((_, taker), (solution, cost, iteration)) in pairs.into_iter().zip(migrants) {
            self.runs[taker].take(solution, cost, iteration).map_err(|error| self.failure(taker, error))?;
        }
        Ok(())
    }

    /// Turns of colonies on all devices side by side, for as long as a submission should take.
    fn turns(&mut self, stop: &Stop) -> Result<Option<Ended>, Failure> {
        let Self { devices, runs, clock, .. } = self;
        let until = Instant::now() + stop.room(SUBMISSION, clock);
        let mut parts: Vec<Vec<&mut Run>> = (0..devices.len()).map(|_| Vec::new()).collect();
        for (colony, run) in runs.iter_mut().enumerate() {
            parts[devices.of_colony(colony)].push(run);
        }
        let at_work = AtomicUsize::new(parts.len());
        let turns = devices.each(parts.into_iter().enumerate(), |part| turns_of(part, stop, until, &at_work));
        let mut ended = None;
        for (device, turn) in turns.into_iter().enumerate() {
            ended = ended.or(turn.map_err(|error| Failure::of(device, error))?);
        }
        Ok(ended)
    }

    /// The first of the colonies for which `number` is least.
    pub(super) fn best_by(&self, number: impl Fn(&Run) -> u64) -> usize {
        let all = self.runs.iter().map(number).enumerate();
        all.min_by_key(|(_, number)| *number).map_or(0, |(index, _)| index)
    }

    /// One colony's solution with what is known about the run of all.
    pub(super) fn of_all(&self, solution: Solution) -> Solution {
        let (ran, device_lost, devices) = (self.ran(), self.lost.clone(), self.devices());
        let solution = Solution { ran, device_lost, devices, ..solution };
        let runs = self.known_runs();
        if runs.len() == 1 {
            return solution;
        }
        let mut kernels = Earlier::default();
        runs.iter().for_each(|run| kernels.add(run.kernels()));
        Solution {
            iterations: self.progress().iteration,
            trace: gains_of_all(runs.iter().map(|run| run.history.trace.as_slice())),
            kernels: kernels.kernels,
            longest_submission: runs.iter().map(|run| run.pace.longest_submission).fold(0.0, f64::max),
            ..solution
        }
    }
}

/// Turns of the colonies of one of several devices until the time of a turn is up, and no other device is still in a turn that began before;
/// `at_work` counts these. So a device waits for a slower one no longer than a short turn takes.
fn turns_of(mut runs: Vec<&mut Run>, stop: &Stop, until: Instant, at_work: &AtomicUsize) -> Result<Option<Ended>> {
    let mut counted = Counted(Some(at_work));
    loop {
        let is_left = |run: &Run| stop.iterations.is_none_or(|all| run.progress.iteration < all);
        let goes_on = |run: &&mut &mut Run| run.course.rests.is_none() && is_left(run);
        let Some(behind) = runs.iter_mut().filter(goes_on).min_by_key(|run| run.progress.iteration) else {
            return Ok(None);
        };
        if let Some(ended) = stop.ended(&behind.progress, &behind.clock) {
            return Ok(Some(ended));
        }
        let turn_ends = Some(until.max(Instant::now() + SHORT_TURN));
        match behind.turn(&Stop { turn_ends, ..stop.clone() })? {
            Some(Ended::Converged) if stop.rounds.is_some() => behind.course.rests = stop.rounds,
            None => {}
            ended => return Ok(ended),
        }
        if Instant::now() >= until {
            counted.leave();
            if at_work.load(AtomicOrdering::Relaxed) == 0 {
                return Ok(None);
            }
        }
    }
}

/// One of those at work, until it leaves.
struct Counted<'a>(Option<&'a AtomicUsize>);

impl Counted<'_> {
    fn leave(&mut self) {
        if let Some(count) = self.0.take() {
            count.fetch_sub(1, AtomicOrdering::Relaxed);
        }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The gains over the best of all colonies in the order of time, and measurements of populations between them.
fn gains_of_all<'a>(traces: impl Iterator<Item = &'a [TracePoint]>) -> Vec<TracePoint> {
    let mut points: Vec<TracePoint> = traces.flatten().copied().collect();
    points.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let mut best = u64::MAX;
    points.retain_mut(|point| {
        let gains = point.cost < best;
        best = best.min(point.cost);
        point.cost = best;
        gains || point.shared_edges.is_some()
    });
    points
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

    pub(super) fn give(&mut self) -> Result<Migrant> {
        let (cost, is_between) = (self.gives(), self.is_between_iterations());
        let solution = match &mut self.colony {
            Some(colony) if is_between && self.claim.cost <= self.kept.cost => colony.best_solution()?,
            _ => self.kept.solution.clone(),
        };
        Ok((solution, cost, self.progress.best_iteration))
    }

    pub(super) fn take(&mut self, solution: Vec<u32>, cost: u64, iteration: u32) -> Result<()> {
        let exact = self.checked(&solution, cost)?;
        if self.colony.is_none() {
            return Ok(());
        }
        match self.is_between_iterations() {
            true => self.hand_on(&solution, cost, iteration)?,
            false => self.arrived = Some((solution.clone(), cost, iteration)),
        }
        // Elsewhere it waits as the incumbent, and enters the next population. It is on the host already.
        self.note_gain(exact, iteration);
        // Where coordinates are rounded it was chosen by what devices say.
        if exact < self.kept.cost {
            self.keep_solution(solution, exact);
        }
        Ok(())
    }

    /// Hands a migrant on to ants that construct, unless these have found a better one meanwhile.
    fn hand_on(&mut self, solution: &[u32], cost: u64, iteration: u32) -> Result<()> {
        if let Some(colony) = &mut self.colony
            && cost < self.claim.cost
            && self.course.check.is_none()
            && colony.plan().construct().is_some()
        {
            // The colony counts its own, without those of colonies before it.
            let state = colony.take_over(solution, cost, iteration.saturating_sub(self.earlier.iterations))?;
            self.note(&state);
            self.claim.looked_at = cost;
        }
        Ok(())
    }

    /// Hands on what has arrived within an iteration, once that is over.
    pub(super) fn hand_on_arrived(&mut self) -> Result<()> {
        if self.is_between_iterations()
            && let Some((solution, cost, iteration)) = self.arrived.take()
        {
            self.hand_on(&solution, cost, iteration)?;
        }
        Ok(())
    }
}

impl Progress {
    /// That of two colonies together.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self {
            seconds: self.seconds.max(other.seconds),
            iteration: self.iteration.min(other.iteration),
            cost: self.cost.min(other.cost),
            best_iteration: [self, other]
                .into_iter()
                .map(|one| (one.cost, one.best_iteration))
                .min()
                .map_or(0, |best| best.1),
            phase: self.phase,
            round: self.round,
            best_seconds: match other.cost.cmp(&self.cost) {
                Ordering::Less => other.best_seconds,
                // Who finds the same later gains nothing.
                Ordering::Equal => self.best_seconds.min(other.best_seconds),
                Ordering::Greater => self.best_seconds,
            },
            restarts: self.restarts + other.restarts,
            ants_cost: self.ants_cost.min(other.ants_cost),
            device_lost: self.device_lost || other.device_lost,
        }
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
    use crate::{LocalSearch, Target};

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
        let (solution, cost, iteration) = solver.runs[best].give().unwrap();
        let taker = &mut solver.runs[(0..3).max_by_key(|&colony| costs[colony]).unwrap()];
        let own = best_of(taker);
        assert!(cost < own);
        taker.pace.batching.done = 1;
        // Within an iteration it gives what the host has.
        taker.kept.cost = own + 5;
        assert_eq!(taker.gives(), own + 5);
        assert_eq!(taker.give().unwrap().1, own + 5);
        taker.take(solution, cost, iteration).unwrap();
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
