//! What a person, or a program that listens, is warned of on standard error: what may be meant otherwise, and what contradicts the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use myrmex::settings::Begins;
use myrmex::{Ended, Problem, Proof, Solution};

use crate::args::{ProgressArg, SolveArgs};
use crate::print::errln;
use crate::telling;

/// A target that no solution may come to: that is told as soon as a bound shows it, and once, as such a run may have no end.
pub struct Sought {
    args: SolveArgs,
    problem: Problem,
    target: f64,
    is_told: AtomicBool,
}

impl Sought {
    fn of(args: &SolveArgs, problem: &Problem) -> Option<Self> {
        let target = args.target.filter(|_| args.bound && is_told(args))?;
        Some(Self { args: args.clone(), problem: problem.clone(), target, is_told: AtomicBool::new(false) })
    }

    /// Tells it where this bound is the first that shows it.
    pub fn bounded(&self, bound: f64) {
        if let Some(text) = self.first_refuted(bound) {
            warn(&self.args, &self.problem, &text);
        }
    }

    fn first_refuted(&self, bound: f64) -> Option<String> {
        let text = below(self.target, &self.problem, bound)?;
        (!self.is_told.swap(true, Ordering::Relaxed)).then_some(text)
    }
}

/// What to say of a target below a bound.
fn below(target: f64, problem: &Problem, bound: f64) -> Option<String> {
    let shown = problem.display_length(bound);
    telling::refutes(target, bound)
        .then(|| format!("--target {target} is below the lower bound {shown}: no solution comes to it"))
}

/// Tells a person, on standard error, what in a problem may be meant otherwise; the target of its runs, where a bound is sought beside them.
pub fn of_problem(args: &SolveArgs, problem: &Problem) -> Option<Arc<Sought>> {
    if is_told(args) {
        problem.warnings().iter().for_each(|text| warn(args, problem, text));
    }
    Sought::of(args, problem).map(Arc::new)
}

/// The same of a solution's file.
pub fn of_initial(args: &SolveArgs, problem: &Problem, text: &str) {
    if is_told(args) {
        warn(args, problem, text);
    }
}

/// The same of a solution.
pub fn of_solution(args: &SolveArgs, problem: &Problem, permutation: &[u32]) {
    if is_told(args) {
        let told = problem.warnings_of(permutation).unwrap_or_default();
        told.iter().for_each(|text| warn(args, problem, text));
    }
}

/// The same of what does not fit what was found, but what was told while it ran.
pub fn of_contradictions(
    args: &SolveArgs,
    problem: &Problem,
    solution: &Solution,
    bound: Option<f64>,
    sought: Option<&Sought>,
) {
    if is_told(args) {
        let is_known = sought.is_some_and(|sought| sought.is_told.load(Ordering::Relaxed));
        let target = args.target.filter(|_| !is_known);
        found(args, problem, (solution, target), bound).iter().for_each(|text| warn(args, problem, text));
    }
}

/// What does not fit what was found, the length of the best solution and a lower bound: an optimum, a target.
pub fn contradictions(args: &SolveArgs, problem: &Problem, solution: &Solution, bound: Option<f64>) -> Vec<String> {
    found(args, problem, (solution, args.target), bound)
}

/// The same, of a target that a bound may be above.
fn found(
    args: &SolveArgs,
    problem: &Problem,
    (solution, target): (&Solution, Option<f64>),
    bound: Option<f64>,
) -> Vec<String> {
    let (best, mut found) = (solution.length, Vec::new());
    let bound = bound
        .or_else(|| solution.is_best(problem, &Proof::of(problem)).then_some(best))
        .filter(|bound| bound.is_finite());
    let shown = |it: f64| problem.display_length(it);
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(best, *optimum)) {
        let instead = if args.plot.is_empty() { "" } else { ", and --plot draws costs instead of gaps to it" };
        found.push(format!("{} is less than --optimum {optimum}, which is no optimum then{instead}", shown(best)));
    }
    if let Some(target) = args.target.filter(|target| best > *target && solution.ended != Ended::Target)
        && telling::gap(best, target).is_none_or(|gap| gap > 1e-6)
    {
        found.push(format!("--target {target} was not reached: {}", shown(best)));
    }
    if is_passed_over(args, solution) {
        let why = "its tour costs more than search counts to, and more than the one that the run began with";
        found.push(format!("--initial was passed over: {why}"));
    }
    let Some(bound) = bound else { return found };
    found.extend(target.and_then(|target| below(target, problem, bound)));
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(*optimum, bound)) {
        found.push(format!("--optimum {optimum} is below the lower bound {}, and is no optimum then", shown(bound)));
    }
    found
}

/// Whether windows did not begin with the tour that they were given.
fn is_passed_over(args: &SolveArgs, solution: &Solution) -> bool {
    let first = solution.phases.first().filter(|phase| phase.algorithm == "lk");
    args.initial.is_some() && first.is_some_and(|phase| phase.begins != Begins::Given)
}

/// Whether somebody listens: reports have what is of the problem and its solution, too.
fn is_told(args: &SolveArgs) -> bool {
    !args.quiet || args.progress == ProgressArg::Json
}

fn warn(args: &SolveArgs, problem: &Problem, text: &str) {
    match args.progress {
        ProgressArg::Json => errln!("{}", serde_json::json!({ "instance": problem.name(), "warning": text })),
        ProgressArg::Auto if !args.quiet => errln!("myrmex: {}: {text}", problem.name()),
        ProgressArg::Auto => {}
    }
}

#[cfg(test)]
mod tests {
    use myrmex::Settings;

    use super::*;
    use crate::testing::{solution, solve_args, square};

    /// Of a run without an end nothing would be told otherwise.
    #[test]
    fn a_target_below_a_bound_is_told_once() {
        let problem = square();
        let sought = |words: &[&str]| Sought::of(&solve_args(words), &problem);
        let beyond = sought(&["--target", "30", "--bound"]).unwrap();
        assert_eq!(beyond.first_refuted(20.0), None);
        let told = beyond.first_refuted(36.0).unwrap();
        assert_eq!(told, "--target 30 is below the lower bound 36: no solution comes to it");
        assert_eq!(beyond.first_refuted(40.0), None);
        assert!(sought(&["--target", "30"]).is_none() && sought(&["--bound"]).is_none());
        assert!(sought(&["--target", "30", "--bound", "--quiet"]).is_none());
    }

    /// An optimum that is given with fewer decimals than the length has is none that the length contradicts.
    #[test]
    fn an_optimum_of_fewer_decimals_is_no_contradiction() {
        let problem = square();
        let mut best = solution(&problem, &Settings::default());
        let told =
            |best: &Solution, optimum: &str| contradictions(&solve_args(&["--optimum", optimum]), &problem, best, None);
        best.length = 7544.3659;
        (best.ended, best.cost) = (Ended::Target, 7544);
        assert!(["7544.366", "7544.37"].iter().all(|optimum| told(&best, optimum).is_empty()));
        for optimum in ["7544.38", "7545", "7544.3665"] {
            assert!(told(&best, optimum)[0].contains("is less than --optimum"), "{optimum}");
        }
    }
}
