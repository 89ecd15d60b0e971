//! What a person is told of a run: what begins, and what came out.

use myrmex::report::tabu_iterations;
use myrmex::settings::{AskedFor, Recipe, System};
use myrmex::{Algorithm, Ended, Problem, Settings, Solution, Solver};

use crate::args::SolveArgs;
use crate::one::Outcome;
use crate::solve::say;
use crate::telling::{self, percent, reason, shown};
use crate::warnings;

/// So many empty locations are told.
const MOST_SHOWN: usize = 20;
/// Percent of a tour's length, by which it may differ from what is counted, that are told.
const LEAST_TOLD: f64 = 0.1;

/// What begins, in a line.
pub fn begun(problem: &Problem, (settings, asked): (&Settings, &AskedFor), solver: &Solver) -> String {
    let resumed = solver.resumed().map_or_else(String::new, |it| format!(", resumed at iteration {}", it.iteration));
    format!(
        "{}: {}, {}, effort {}, seed {}, on {} ({}){resumed}",
        problem.name(),
        telling::described(problem),
        telling::what_runs(asked, solver.recipe()),
        solver.recipe().effort.name(),
        settings.seed,
        solver.device(),
        solver.backend()
    )
}

/// What came out, for a person.
pub fn told(args: &SolveArgs, problem: &Problem, Outcome { solution, bound, sought, .. }: &Outcome) {
    remarks(args, problem, solution, *bound).iter().for_each(|remark| say(args, remark));
    warnings::of_contradictions(args, problem, solution, *bound, sought.as_deref());
    warnings::of_solution(args, problem, &solution.permutation);
    unfinished(solution).iter().for_each(|advice| say(args, advice));
}

/// What there is to tell of a run, line by line.
fn remarks(args: &SolveArgs, problem: &Problem, solution: &Solution, bound: Option<f64>) -> Vec<String> {
    let all = [
        Some(ended(args, problem, solution)),
        rounded(problem, solution),
        empty(problem, solution),
        tabu_iterations(solution)
            .filter(|count| *count > 0)
            .map(|searched| format!("{searched} iterations of tabu search in these")),
        nothing_to_do(args, solution),
        lost(solution),
        bounded(args, problem, solution, bound),
    ];
    all.into_iter().flatten().collect()
}

/// The cost, how near it is to a known optimum, and why the run ended.
fn ended(args: &SolveArgs, problem: &Problem, solution: &Solution) -> String {
    let gap = args.optimum.and_then(|optimum| telling::gap(solution.length, optimum));
    let above = match (gap, args.optimum) {
        (Some(gap), _) => format!(", {} the optimum", telling::above(gap)),
        (None, Some(0.0)) => " (an optimum of 0 has no percents)".into(),
        (None, _) => String::new(),
    };
    format!(
        "{}{above} after {} iteration{}, {:.2} s ({})",
        shown(problem, solution.length, solution.cost),
        solution.iterations,
        if solution.iterations == 1 { "" } else { "s" },
        solution.seconds,
        reason(solution.ended)
    )
}

/// By how much the solver may count otherwise, where it rounds so that it matters.
fn rounded(problem: &Problem, solution: &Solution) -> Option<String> {
    if solution.ended == Ended::Trivial && problem.kind() == "qap" {
        // All were compared by what was given.
        return None;
    }
    let (error, what, least) = match problem {
        Problem::Qap(instance) => (instance.cost_error(), "entries are rounded: the solver counts costs", 0.0),
        Problem::Tsp(instance) => {
            let what = match instance.counts_means() {
                true => {
                    "ways differ a little from those back, and count as the mean of both: the solver counts lengths"
                }
                false => "distances are rounded, as some are much greater than the rest: the solver counts lengths",
            };
            (instance.edge_error() * instance.len() as f64, what, LEAST_TOLD)
        }
        _ => (0.0, "", 0.0),
    };
    let most = telling::gap(solution.length + error, solution.length).filter(|most| *most > least)?;
    let most = if most < LEAST_TOLD { format!("{most:.2e}%") } else { percent(most) };
    Some(format!("{what} to within {most} of that"))
}

/// The locations that stay empty, where there are more than facilities.
fn empty(problem: &Problem, solution: &Solution) -> Option<String> {
    let Problem::Qap(instance) = problem else { return None };
    let empty = instance.empty_locations(&solution.permutation).ok().filter(|empty| !empty.is_empty())?;
    let shown: Vec<String> = empty.iter().take(MOST_SHOWN).map(|location| instance.location_label(*location)).collect();
    let more = if empty.len() > MOST_SHOWN { format!(" and {} more", empty.len() - MOST_SHOWN) } else { String::new() };
    let [noun, verb] = if empty.len() == 1 { ["location", "stays"] } else { ["locations", "stay"] };
    Some(format!("{noun} {}{more} {verb} empty", shown.join(", ")))
}

/// That a checkpoint had all iterations that were asked for.
fn nothing_to_do(args: &SolveArgs, solution: &Solution) -> Option<String> {
    let (made, all) = (solution.resumed?.iteration, args.stop.iterations?);
    (made >= all).then(|| {
        format!(
            "nothing was left to do: the checkpoint is of iteration {made}, and --iterations {all} counts those before, too"
        )
    })
}

/// The device that failed, and what became of its part.
fn lost(solution: &Solution) -> Option<String> {
    let lost = solution.device_lost.as_ref()?;
    let (device, iteration, message) = (&lost.device, lost.iteration, &lost.message);
    let then = match lost.iteration < solution.iterations {
        true if !solution.devices.is_empty() => "the CPU did the rest of its part",
        true => "the CPU did the rest",
        false => "the best solution known before that was kept",
    };
    Some(format!("{device} failed after iteration {iteration} ({message}); {then}"))
}

/// How far the solution is above a lower bound at most, where one was sought.
fn bounded(args: &SolveArgs, problem: &Problem, solution: &Solution, bound: Option<f64>) -> Option<String> {
    let Some(bound) = bound else {
        return args.bound.then(|| "no lower bound was found in so short a time".into());
    };
    let most = telling::gap(solution.length, bound)
        .map_or_else(String::new, |gap| format!(": {} above it", telling::at_most(gap)));
    Some(format!("no tour is shorter than {}{most}", problem.display_length(bound)))
}

/// What to do where time was too short for an iteration.
fn unfinished(solution: &Solution) -> Option<String> {
    if solution.iterations > 0 || !matches!(solution.ended, Ended::Time | Ended::Cancelled) {
        return None;
    }
    // The ants of a population's first tours are none that may be fewer.
    let has = |name: &str| {
        Algorithm::named(solution.ran.recipe.algorithm)
            .is_some_and(|it| it.parameters().iter().any(|it| it.name == name))
    };
    let units = match solution.ran.recipe.phases.first().map(|phase| &phase.system) {
        Some(System::Construct(construct)) if has(construct.units_parameter()) => Some(construct.units_name()),
        _ => None,
    };
    let found = match solution.trace.len() {
        2.. => format!("the best of the {} that were done", units.unwrap_or("tours")),
        _ => "what the run began with".into(),
    };
    let fewer = units.map_or_else(String::new, |units| format!(", or fewer {units}"));
    Some(format!("no iteration was finished, this is {found}: give it more time{fewer}"))
}

/// The algorithm with how much of it runs side by side.
pub fn algorithm(recipe: &Recipe) -> String {
    format!("{} ({})", recipe.algorithm, side_by_side(recipe))
}

/// How much runs side by side in the first phase, and of how many colonies where there are several.
pub fn side_by_side(recipe: &Recipe) -> String {
    // The first phase of crossover alone makes a tour for each of its individuals.
    let crosses = |system: &&System| recipe.algorithm == "eax" && matches!(system, System::Eax(_));
    let systems = || recipe.phases.iter().map(|phase| &phase.system);
    let system = systems().find(crosses).unwrap_or(&recipe.phases[0].system);
    let many = system.units_name();
    let units = telling::count(system.units(), many.strip_suffix('s').unwrap_or(many), many);
    match recipe.colonies {
        1 => units,
        count => format!("{count} colonies of {units}"),
    }
}

#[cfg(test)]
mod tests;
