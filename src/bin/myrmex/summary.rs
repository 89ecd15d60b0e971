//! What a person is told of a run: what begins, and what came out.

use myrmex::report::tabu_iterations;
use myrmex::settings::{Recipe, System};
use myrmex::tsp::{self, Metric};
use myrmex::{Algorithm, Ended, Problem, Settings, Solver};

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
pub fn begun(problem: &Problem, settings: &Settings, solver: &Solver) -> String {
    let resumed = solver.resumed().map_or_else(String::new, |it| format!(", resumed at iteration {}", it.iteration));
    format!(
        "{}: {}, {}, effort {}, seed {}, on {} ({}){resumed}",
        problem.name(),
        telling::described(problem),
        algorithm(solver.recipe()),
        solver.recipe().effort.name(),
        settings.seed,
        solver.device(),
        solver.backend()
    )
}

/// What came out, for a person.
pub fn told(args: &SolveArgs, problem: &Problem, Outcome { solution, seconds, bound, .. }: &Outcome) {
    let gap = args.optimum.and_then(|optimum| telling::gap(solution.length, optimum));
    let above = match (gap, args.optimum) {
        (Some(gap), _) => format!(", {} the optimum", telling::above(gap)),
        (None, Some(0.0)) => " (an optimum of 0 has no percents)".into(),
        (None, _) => String::new(),
    };
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
    say(
        args,
        &format!(
            "{}{above} after {} iteration{}, {:.2} s ({})",
            shown(problem, solution.length, solution.cost),
            solution.iterations,
            if solution.iterations == 1 { "" } else { "s" },
            seconds,
            reason(solution.ended)
        ),
    );
    if let Some(most) = telling::gap(solution.length + error, solution.length).filter(|most| *most > least) {
        let most = if most < LEAST_TOLD { format!("{most:.2e}%") } else { percent(most) };
        say(args, &format!("{what} to within {most} of that"));
    }
    if let Problem::Qap(instance) = problem
        && let Ok(empty) = instance.empty_locations(&solution.permutation)
        && !empty.is_empty()
    {
        let shown: Vec<String> =
            empty.iter().take(MOST_SHOWN).map(|location| instance.location_label(*location)).collect();
        let more =
            if empty.len() > MOST_SHOWN { format!(" and {} more", empty.len() - MOST_SHOWN) } else { String::new() };
        let [noun, verb] = if empty.len() == 1 { ["location", "stays"] } else { ["locations", "stay"] };
        say(args, &format!("{noun} {}{more} {verb} empty", shown.join(", ")));
    }
    if let Some(searched) = tabu_iterations(solution).filter(|count| *count > 0) {
        say(args, &format!("{searched} iterations of tabu search in these"));
    }
    if let (Some(resumed), Some(all)) = (solution.resumed, args.stop.iterations)
        && resumed.iteration >= all
    {
        let made = resumed.iteration;
        say(
            args,
            &format!(
                "nothing was left to do: the checkpoint is of iteration {made}, and --iterations {all} counts those before, too"
            ),
        );
    }
    if let Some(lost) = &solution.device_lost {
        let (device, iteration, message) = (&lost.device, lost.iteration, &lost.message);
        let then = match lost.iteration < solution.iterations {
            true if !solution.devices.is_empty() => "the CPU did the rest of its part",
            true => "the CPU did the rest",
            false => "the best solution known before that was kept",
        };
        say(args, &format!("{device} failed after iteration {iteration} ({message}); {then}"));
    }
    if args.bound && bound.is_none() {
        say(args, "no lower bound was found in so short a time");
    }
    if let Some(bound) = bound {
        let most = telling::gap(solution.length, *bound)
            .map_or_else(String::new, |gap| format!(": {} above it", telling::at_most(gap)));
        say(args, &format!("no tour is shorter than {}{most}", problem.display_length(*bound)));
    }
    warnings::of_contradictions(args, problem, solution, *bound);
    warnings::of_solution(args, problem, &solution.permutation);
    if solution.iterations == 0 && matches!(solution.ended, Ended::Time | Ended::Cancelled) {
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
        say(args, &format!("no iteration was finished, this is {found}: give it more time{fewer}"));
    }
    if let Problem::Tsp(instance) = problem
        && is_coarse(instance, solution.cost)
    {
        let each = solution.cost as f64 / instance.len() as f64;
        say(
            args,
            &format!(
                "distances are rounded to whole numbers, as TSPLIB says, and {each:.1} on average: --metric plane takes the coordinates as they \
                 are"
            ),
        );
    }
}

/// Whether TSPLIB's rounding takes much of the distances between cities with decimals.
fn is_coarse(instance: &tsp::Instance, cost: u64) -> bool {
    let whole = || instance.coords().iter().all(|p| p.to_array().iter().all(|x| x.fract() == 0.0));
    !matches!(instance.metric(), Metric::Geo | Metric::Haversine) && cost < 10 * instance.len() as u64 && !whole()
}

/// The algorithm with how much of it runs side by side in the first phase, and of how many colonies where there are several.
pub fn algorithm(recipe: &Recipe) -> String {
    // The first phase of crossover alone makes a tour for each of its individuals.
    let crosses = |system: &&System| recipe.algorithm == "eax" && matches!(system, System::Eax(_));
    let systems = || recipe.phases.iter().map(|phase| &phase.system);
    let system = systems().find(crosses).unwrap_or(&recipe.phases[0].system);
    let units = format!("{} {}", system.units(), system.units_name());
    match recipe.colonies {
        1 => format!("{} ({units})", recipe.algorithm),
        count => format!("{} ({count} colonies of {units})", recipe.algorithm),
    }
}
