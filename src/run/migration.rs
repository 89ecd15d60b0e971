//! Several colonies that form a ring, and take turns on a device or work side by side on several: each gets the best solution of the colony
//! before it (Middendorf, Reischle and Schmeck 2002, circular exchange of locally best solutions).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use web_time::Instant;

use super::devices::Failure;
use super::one::{Earlier, Run};
use super::{Ended, Progress, SUBMISSION, Solution, Solver, Stop, TracePoint};
use crate::error::Result;
use crate::settings::Recipe;

/// A turn of a device that has had its time and waits for another one.
const SHORT_TURN: Duration = Duration::from_millis(10);

/// When solutions migrate.
pub(super) struct Migration {
    /// Iterations between two migrations.
    pub every: u32,
    /// The iteration after which comes the next one.
    pub next: u32,
}

impl Migration {
    /// What the recipe has of it, if anything.
    pub fn of(recipe: &Recipe) -> Option<Self> {
        recipe.migration.map(|every| Self { every, next: every })
    }

    /// Waits for the next one.
    pub fn goes_on(&mut self) {
        self.next = self.next.saturating_add(self.every);
    }
}

/// Who gives to whom, where the colonies of a ring have solutions of these costs: each to the one after it, if its own is better.
pub(super) fn pairs(costs: &[u64]) -> Vec<(usize, usize)> {
    let givers = (0..costs.len()).cycle().skip(costs.len().saturating_sub(1));
    givers.zip(0..costs.len()).filter(|(giver, taker)| costs[*giver] < costs[*taker]).collect()
}

/// A colony's best solution, which migrates to another colony; its cost, as the device counts it, and the iteration that found it.
type Migrant = (Vec<u32>, u64, u32);

impl Solver {
    /// One colony's turn: the first of those that have made the fewest iterations; on several devices turns of a colony on each, side by
    /// side. No colony goes on beyond the next migration before all are there, so that results depend on iterations alone and not on how
    /// long a turn is, or how fast a device.
    pub(super) fn turn(&mut self, stop: &Stop) -> Result<Option<Ended>, Failure> {
        let whole = stop;
        let limits =
            [stop.iterations, self.migration.as_ref().map(|migration| migration.next), self.stagnates_in(stop)];
        // Whether all have gained nothing is looked at between turns.
        let stagnation_time = stop.stagnation_time.filter(|_| self.runs.len() == 1 && self.group.is_none());
        let iterations = limits.into_iter().flatten().min();
        let stop = Stop { iterations, stagnation: None, stagnation_time, ..stop.clone() };
        let ended = match self.devices.len().min(self.runs.len()) {
            1 => {
                let behind = self.best_by(|run| u64::from(run.progress.iteration));
                self.runs[behind].turn(&stop).map_err(|error| self.failure(behind, error))?
            }
            _ => self.turns(&stop)?,
        };
        match (&ended, &self.group) {
            (Some(_), _) => Ok(ended),
            (None, Some(_)) => self.meet_if_due(whole),
            (None, None) => self.migrate().map(|()| None),
        }
    }

    /// The iteration that ends the run unless something is gained before. What other ranks have gained is known since all met.
    pub(super) fn stagnates_in(&self, stop: &Stop) -> Option<u32> {
        let own = self.own_progress();
        match &self.group {
            None => stop.stagnates_in(&own),
            Some(group) => stop.stagnates_in(&group.agreed.unwrap_or(Progress { best_iteration: 0, ..own })),
        }
    }

    /// Lets the bests migrate if it is time: every colony gives what it had before the migration.
    fn migrate(&mut self) -> Result<(), Failure> {
        let iteration = self.progress().iteration;
        let Some(migration) = self.migration.as_mut().filter(|migration| iteration >= migration.next) else {
            return Ok(());
        };
        migration.goes_on();
        let pairs = pairs(&self.runs.iter().map(Run::best_cost).collect::<Vec<_>>());
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
        let solution = Solution { device_lost: self.lost.clone(), devices: self.devices(), ..solution };
        let runs = self.known_runs();
        if runs.len() == 1 {
            return solution;
        }
        let mut kernels = Earlier::default();
        runs.iter().for_each(|run| kernels.add(run.kernels()));
        Solution {
            iterations: self.progress().iteration,
            trace: gains_of_all(runs.iter().map(|run| run.trace.as_slice())),
            kernels: kernels.kernels,
            longest_submission: runs.iter().map(|run| run.longest_submission).fold(0.0, f64::max),
            ..solution
        }
    }
}

/// Turns of the colonies of one of several devices until the time of a turn is up, and no other device is still in a turn that began before;
/// `at_work` counts these. So a device waits for a slower one no longer than a short turn takes.
fn turns_of(mut runs: Vec<&mut Run>, stop: &Stop, until: Instant, at_work: &AtomicUsize) -> Result<Option<Ended>> {
    let mut counted = Counted(Some(at_work));
    loop {
        let goes_on = |run: &&mut &mut Run| stop.iterations.is_none_or(|all| run.progress.iteration < all);
        let Some(behind) = runs.iter_mut().filter(goes_on).min_by_key(|run| run.progress.iteration) else {
            return Ok(None);
        };
        if let Some(ended) = stop.ended(&behind.progress, &behind.clock) {
            return Ok(Some(ended));
        }
        let turn_ends = Some(until.max(Instant::now() + SHORT_TURN));
        if let Some(ended) = behind.turn(&Stop { turn_ends, ..stop.clone() })? {
            return Ok(Some(ended));
        }
        if Instant::now() >= until {
            counted.leave();
            if at_work.load(Ordering::Relaxed) == 0 {
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
            count.fetch_sub(1, Ordering::Relaxed);
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
        self.own_cost.min(self.kept_cost)
    }

    pub(super) fn give(&mut self) -> Result<Migrant> {
        let solution = match &mut self.colony {
            Some(colony) if self.own_cost <= self.kept_cost => colony.best_solution()?,
            _ => self.kept.clone(),
        };
        Ok((solution, self.best_cost(), self.progress.best_iteration))
    }

    pub(super) fn take(&mut self, solution: Vec<u32>, cost: u64, iteration: u32) -> Result<()> {
        let exact = self.checked(&solution, cost)?;
        let Some(colony) = &mut self.colony else { return Ok(()) };
        if self.check.is_none() && colony.plan().construct().is_some() {
            let state = colony.take_over(&solution, cost, iteration)?;
            self.note(&state);
            self.looked_at = cost;
        }
        // Elsewhere it waits as the incumbent, and enters the next population. It is on the host already.
        self.note_gain(exact, iteration);
        self.keep_solution(solution, exact);
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
            best_seconds: if other.cost < self.cost { other.best_seconds } else { self.best_seconds },
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

    #[test]
    fn seeds_differ_by_run_and_colony() {
        let mut seeds: Vec<u64> = (0..64).flat_map(|run| (0..64).map(move |colony| seed(run, colony))).collect();
        assert_eq!(seeds[64], 1);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 64 * 64);
    }
}
