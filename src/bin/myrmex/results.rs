//! Several runs: a table of what they found.

use std::cmp::Ordering;
use std::path::PathBuf;

use myrmex::{Abandoned, Ended, Error, Problem, Ran, Result, Solution};

use crate::args::SolveArgs;
use crate::pictures::Gains;
use crate::{inputs, summary, telling};

/// Refuses what is of one run, or of one instance, where there are several.
pub fn check(args: &SolveArgs, files: &[PathBuf]) -> Result<()> {
    let of_one_run = [("--checkpoint", &args.checkpoint), ("--resume", &args.resume)];
    if let Some((option, _)) = of_one_run.into_iter().find(|(_, file)| file.is_some()) {
        return Err(Error::Config(format!(
            "{option} is of one run of one instance; leave it out, or --runs and other files"
        )));
    }
    if files.len() == 1 {
        return Ok(());
    }
    inputs::check_tables(args.read.tables().map(|(path, _)| path.as_path()))?;
    let given = [
        ("--solution", !args.solution.is_empty()),
        ("--trace", args.trace.is_some()),
        ("--picture", !args.picture.is_empty()),
        ("--plot", !args.plot.is_empty()),
        ("--initial", args.initial.is_some()),
        ("--target", args.target.is_some()),
        ("--optimum", args.optimum.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some(("--optimum", _)) => Err(Error::Config(format!(
            "--optimum is of one instance, and there are {}; --optima takes a table with a name and an optimum in each line",
            files.len()
        ))),
        Some((option, _)) => {
            let remedy = match option {
                "--initial" | "--target" => "call it for each of them",
                _ => "--json has all solutions, a line for each run",
            };
            Err(Error::Config(format!("{option} is of one instance, and there are {}; {remedy}", files.len())))
        }
        None => Ok(()),
    }
}

/// What ran and where, in a line for all runs of an instance.
fn ran(ran: &Ran) -> String {
    let Ran { recipe, backend, device, .. } = ran;
    format!("{}, effort {}, on {device} ({backend})", summary::algorithm(recipe), recipe.effort.name())
}

/// What runs of an instance found.
#[derive(Clone)]
pub struct Results {
    problem: Problem,
    /// The length that runs were to come to.
    goal: Option<f64>,
    runs: Vec<(f64, Option<f64>)>,
    gains: Vec<Gains>,
    seeds: Vec<u64>,
    /// With its seed.
    best: Option<(u64, Solution)>,
}

impl Results {
    pub fn new(problem: &Problem, goal: Option<f64>) -> Self {
        Self { problem: problem.clone(), goal, runs: Vec::new(), gains: Vec::new(), seeds: Vec::new(), best: None }
    }

    /// Adds what a run with a seed found.
    pub fn add(&mut self, seed: u64, solution: Solution) {
        self.gains.push(Gains::of(seed, &solution));
        let reached = self.goal.and_then(|goal| {
            let cost = self.problem.cost_of(goal);
            let first = solution.trace.iter().find(|point| point.cost <= cost);
            match !self.problem.costs_tell_lengths() {
                // Costs tell lengths nearly: the solution's own counts.
                true if solution.ended == Ended::Target || solution.length <= goal => first.or(solution.trace.last()),
                true => None,
                false => first,
            }
        });
        self.runs.push((solution.length, reached.map(|point| point.seconds)));
        self.seeds.push(seed);
        // Rounding may count a longer one as less.
        let shortest = |best: &Solution| {
            solution.length.total_cmp(&best.length).then(solution.cost.cmp(&best.cost)) == Ordering::Less
        };
        if self.best.as_ref().is_none_or(|(_, best)| shortest(best)) {
            self.best = Some((seed, solution));
        }
    }

    /// Adds what was known of the last of so many runs, which its caller went on without; what there is to tell of all. A run whose set-up was not done has
    /// found nothing and does not count.
    pub fn abandoned(&mut self, seed: u64, solution: &Solution, runs: u32) -> String {
        let why = solution.cut_short().map(str::to_owned);
        let why = match Self::counts(solution) {
            true => {
                self.add(seed, solution.clone());
                why
            }
            false => {
                let number = self.count() + 1;
                // What is written is of the runs before it, where there are some.
                let why = why.filter(|_| self.best.is_none()).map_or_else(String::new, |why| format!("\n{why}"));
                Some(format!("  interrupted in the set-up of run {number} of {runs}, which does not count{why}"))
            }
        };
        [self.told()].into_iter().chain(why).collect::<Vec<_>>().join("\n")
    }

    /// Whether a run has found something: its set-up was done.
    pub fn counts(solution: &Solution) -> bool {
        !matches!(solution.abandoned, Some(Abandoned::SetUp | Abandoned::Start))
    }

    /// The row of the table, and a line that says what ran, and where, if a run is over.
    pub fn told(&self) -> String {
        let ran = self.best().map(|best| format!("  {}, {}", ran(&best.ran), self.seeds()));
        [self.row()].into_iter().chain(ran).collect::<Vec<_>>().join("\n")
    }

    /// The best solution of all runs.
    pub fn best(&self) -> Option<&Solution> {
        self.best.as_ref().map(|(_, best)| best)
    }

    /// The seeds of the runs, and which of them found the best solution.
    fn seeds(&self) -> String {
        match (&self.seeds[..], &self.best) {
            ([], _) | (_, None) => "no run".into(),
            ([seed], _) => format!("seed {seed}"),
            ([first, .., last], Some((best, _))) => format!("seeds {first} to {last}, the best found by seed {best}"),
        }
    }

    /// Runs that are over.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// How the best and the mean lie to an optimum and to a lower bound, where these are known.
    pub fn remarks(&self, optimum: Option<f64>, bound: Option<f64>) -> Vec<String> {
        let Some(best) = self.best() else { return Vec::new() };
        let mean = self.runs.iter().map(|(length, _)| length).sum::<f64>() / self.runs.len() as f64;
        let above = |from| telling::gap(best.length, from).zip(telling::gap(mean, from));
        let mut remarks = Vec::new();
        if let Some((best, mean)) = optimum.and_then(above) {
            let [best, mean] = [best, mean].map(telling::above);
            remarks.push(format!("best {best}, mean {mean} the optimum"));
        }
        if let Some(bound) = bound {
            let most = above(bound)
                .map_or_else(String::new, |(best, _)| format!(": the best is {} above it", telling::at_most(best)));
            remarks.push(format!("no tour is shorter than {}{most}", self.problem.display_length(bound)));
        }
        remarks
    }

    /// The gains of each run.
    pub fn gains(&self) -> &[Gains] {
        &self.gains
    }

    pub fn header() -> String {
        line(["instance", "n", "runs", "best", "mean", "deviation", "at target", "seconds to it"].map(str::to_owned))
    }

    /// The deviation is that of a sample; seconds are the mean of the runs that came to the target.
    fn row(&self) -> String {
        let lengths = || self.runs.iter().map(|(length, _)| *length);
        let count = self.runs.len() as f64;
        let mean = lengths().sum::<f64>() / count;
        let deviation = (lengths().map(|length| (length - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
        let hits: Vec<f64> = self.runs.iter().filter_map(|(_, seconds)| *seconds).collect();
        let none = || "-".to_owned();
        // What the order of a sum leaves is no deviation.
        let deviation = if deviation < 1e-12 * mean.abs() { 0.0 } else { deviation };
        let shown = |length: f64| self.problem.display_length(length);
        let cells = match self.goal {
            None => [none(), none()],
            Some(_) if hits.is_empty() => [format!("0/{count}"), none()],
            Some(_) => {
                let seconds = hits.iter().sum::<f64>() / hits.len() as f64;
                [format!("{}/{count}", hits.len()), format!("{seconds:.3}")]
            }
        };
        let [reached, seconds] = cells;
        line([
            self.problem.name().to_owned(),
            self.problem.len().to_string(),
            self.runs.len().to_string(),
            self.best().map_or_else(none, |best| shown(best.length)),
            if self.runs.is_empty() { none() } else { mean_shown(&self.problem, mean) },
            if self.runs.len() > 1 && mean.is_finite() { mean_shown(&self.problem, deviation) } else { none() },
            reached,
            seconds,
        ])
    }
}

/// A mean of lengths, with a decimal more than a whole one has.
fn mean_shown(problem: &Problem, mean: f64) -> String {
    match problem {
        Problem::Tsp(instance) if instance.scale() != 1.0 => problem.display_length(mean),
        Problem::Qap(instance) if instance.scale() != 1.0 => problem.display_length(mean),
        _ => format!("{mean:.1}"),
    }
}

fn line([name, n, runs, best, mean, deviation, reached, seconds]: [String; 8]) -> String {
    format!("{name:<16} {n:>8} {runs:>5} {best:>14} {mean:>14} {deviation:>12} {reached:>9} {seconds:>13}")
}

#[cfg(test)]
mod tests;
