//! What a person, or a program that listens, is warned of on standard error: what may be meant otherwise, and what contradicts the result.

use myrmex::{Ended, Problem, Solution};

use crate::args::{ProgressArg, SolveArgs};
use crate::print::errln;
use crate::telling;

/// Tells a person, on standard error, what in a problem may be meant otherwise.
pub fn of_problem(args: &SolveArgs, problem: &Problem) {
    if is_told(args) {
        problem.warnings().iter().for_each(|text| warn(args, problem, text));
    }
}

/// The same of a solution.
pub fn of_solution(args: &SolveArgs, problem: &Problem, permutation: &[u32]) {
    if is_told(args) {
        let told = problem.warnings_of(permutation).unwrap_or_default();
        told.iter().for_each(|text| warn(args, problem, text));
    }
}

/// The same of what does not fit what was found.
pub fn of_contradictions(args: &SolveArgs, problem: &Problem, solution: &Solution, bound: Option<f64>) {
    if is_told(args) {
        contradictions(args, problem, solution, bound).iter().for_each(|text| warn(args, problem, text));
    }
}

/// What does not fit what was found, the length of the best solution and a lower bound: an optimum, a target.
pub fn contradictions(args: &SolveArgs, problem: &Problem, solution: &Solution, bound: Option<f64>) -> Vec<String> {
    let (best, mut found) = (solution.length, Vec::new());
    let is_least = matches!(solution.ended, Ended::Optimal | Ended::Trivial) && !problem.is_coarse();
    let bound = bound.or(is_least.then_some(best));
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
    let Some(bound) = bound else { return found };
    if let Some(target) = args.target.filter(|target| telling::refutes(*target, bound)) {
        found.push(format!("--target {target} is below the lower bound {}: no solution comes to it", shown(bound)));
    }
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(*optimum, bound)) {
        found.push(format!("--optimum {optimum} is below the lower bound {}, and is no optimum then", shown(bound)));
    }
    found
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
