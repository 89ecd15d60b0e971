//! Several colonies: their turns, one after the other on a device, side by side on several; and what is known of all together.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};
use std::time::Duration;

use web_time::Instant;

use super::devices::Failure;
use super::migration::NextMigration;
use super::one::Run;
use super::{Ended, Progress, SUBMISSION, Solver, Stop, TracePoint};
use crate::error::Result;

/// A turn of a device that has had its time and waits for another one.
const SHORT_TURN: Duration = Duration::from_millis(10);

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
pub(super) fn gains_of_all<'a>(traces: impl Iterator<Item = &'a [TracePoint]>) -> Vec<TracePoint> {
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
            ants_cost: self.ants_cost.into_iter().chain(other.ants_cost).min(),
            device_lost: self.device_lost || other.device_lost,
        }
    }
}
