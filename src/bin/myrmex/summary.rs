//! What a person is told of a run: what begins, and what came out.

use myrmex::report::Report;
use myrmex::settings::{Recipe, System};
use myrmex::tsp::{self, Metric};
use myrmex::{Algorithm, Ended, Problem, Settings, Solver};

use crate::args::{ProgressArg, SolveArgs};
use crate::print::errln;
use crate::solve::{Outcome, say};
use crate::telling::{self, length, percent, reason, shown};

/// So many empty locations are told.
const MOST_SHOWN: usize = 20;
/// Cities that rounding puts into the place of others are told from this share of all on, one in so many.
const SHARE_TOLD: usize = 10;
/// Percent of a tour's length, by which it may differ from what is counted, that are told.
const LEAST_TOLD: f64 = 0.1;

/// What begins, in a line.
pub fn begun(problem: &Problem, settings: &Settings, solver: &Solver) -> String {
    let resumed = solver.resumed().map_or_else(String::new, |it| format!(", resumed at iteration {}", it.iteration));
    format!(
        "{}: {}, {}, effort {}, seed {}, on {} ({}){resumed}",
        problem.name(),
        telling::size(problem),
        algorithm(solver.recipe()),
        solver.recipe().effort.name(),
        settings.seed,
        solver.device(),
        solver.backend()
    )
}

/// How many cities lie apart from each other as given, but in the place of another one once rounded.
fn merged_by_rounding(instance: &tsp::Instance) -> usize {
    if instance.edge_error() == 0.0 {
        return 0;
    }
    let places = |points: &[glam::DVec3]| {
        let mut places: Vec<[u64; 3]> = points.iter().map(|point| point.to_array().map(f64::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    };
    places(&instance.points()).saturating_sub(places(instance.coords()))
}

/// The first of a few ways that are negative where all others are not, and how many these are.
fn few_negative(instance: &tsp::Instance) -> Option<(usize, [usize; 2])> {
    // A cost of 0 stands for something else where weights have signs.
    if instance.metric() != Metric::Explicit || instance.length_of(0) >= 0.0 {
        return None;
    }
    let n = instance.len();
    let ways = || (0..n).flat_map(|a| (0..n).filter(move |b| *b != a).map(move |b| [a, b]));
    let negative = || ways().filter(|&[a, b]| instance.way(a, b) < 0.0);
    let count = negative().take(n + 1).count();
    negative().next().filter(|_| count * SHARE_TOLD <= n * (n - 1)).map(|first| (count, first))
}

/// Tells a person, on standard error, that entries of an assignment problem are rounded, that rounding leaves few places of cities, or that a
/// few ways are negative.
pub fn warn_of_numbers(args: &SolveArgs, problem: &Problem) {
    if let Problem::Tsp(instance) = problem
        && let merged = merged_by_rounding(instance)
        && merged * SHARE_TOLD > instance.len()
    {
        let text = "cities are in the same place as another one for the solver, which counts distances in units of";
        let (n, unit) = (instance.len(), 1.0 / instance.scale());
        warn(args, problem, &format!("{merged} of {n} {text} {unit}: is one of them far from all others by mistake?"));
    }
    if let Problem::Tsp(instance) = problem
        && let Some((count, [a, b])) = few_negative(instance)
    {
        let [from, to] = [a, b].map(|city| instance.city_label(city as u32));
        let way = instance.way(a, b);
        let ways = if count == 1 { "a way has a negative weight" } else { "some ways have negative weights" };
        warn(
            args,
            problem,
            &format!(
                "{ways} (from {from} to {to}: {way}), which tours seek: a way that is not there needs a great number instead"
            ),
        );
    }
    if let Problem::Qap(instance) = problem
        && instance.cost_error() > 0.0
    {
        let within = length(problem, instance.cost_error());
        warn(
            args,
            problem,
            &format!(
                "entries have more digits than the solver counts: it compares costs to within {within}; what it tells is of the entries as they \
                 are"
            ),
        );
    }
}

/// Tells a person, on standard error, what does not fit what was found, the length of the best solution and a lower bound: an optimum, a
/// target.
pub fn warn_of_contradictions(args: &SolveArgs, problem: &Problem, best: f64, bound: Option<f64>) {
    let shown = |it: f64| length(problem, it);
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(best, *optimum)) {
        let instead = if args.plot.is_empty() { "" } else { ", and --plot draws costs instead of gaps to it" };
        let best = shown(best);
        warn(args, problem, &format!("{best} is less than --optimum {optimum}, which is no optimum then{instead}"));
    }
    let Some(bound) = bound else { return };
    if let Some(target) = args.target.filter(|target| telling::refutes(*target, bound)) {
        let bound = shown(bound);
        warn(args, problem, &format!("--target {target} is below the lower bound {bound}: no solution comes to it"));
    }
    if let Some(optimum) = args.optimum.filter(|optimum| telling::refutes(*optimum, bound)) {
        let bound = shown(bound);
        warn(args, problem, &format!("--optimum {optimum} is below the lower bound {bound}, and is no optimum then"));
    }
}

fn warn(args: &SolveArgs, problem: &Problem, text: &str) {
    if !args.quiet && args.progress != ProgressArg::Json {
        errln!("myrmex: {}: {text}", problem.name());
    }
}

/// What came out, for a person.
pub fn told(args: &SolveArgs, problem: &Problem, Outcome { solution, recipe, seconds, bound, .. }: &Outcome) {
    let gap = args.optimum.and_then(|optimum| telling::gap(solution.length, optimum));
    let above = match (gap, args.optimum) {
        (Some(gap), _) => format!(", {} the optimum", telling::above(gap)),
        (None, Some(_)) => " (an optimum of 0 has no percents)".into(),
        (None, None) => String::new(),
    };
    let (error, what, least) = match problem {
        Problem::Qap(instance) => (instance.cost_error(), "entries are rounded: the solver counts costs", 0.0),
        Problem::Tsp(instance) => {
            let what = "distances are rounded, as some are much greater than the rest: the solver counts lengths";
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
        let shown: Vec<String> = empty.iter().take(MOST_SHOWN).map(|location| (location + 1).to_string()).collect();
        let more =
            if empty.len() > MOST_SHOWN { format!(" and {} more", empty.len() - MOST_SHOWN) } else { String::new() };
        let [noun, verb] = if empty.len() == 1 { ["location", "stays"] } else { ["locations", "stay"] };
        say(args, &format!("{noun} {}{more} {verb} empty", shown.join(", ")));
    }
    if let Some(searched) = Report::of(problem, recipe, ("", ""), solution).tabu_iterations.filter(|count| *count > 0) {
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
    if let Some(bound) = bound {
        let most = telling::gap(solution.length, *bound)
            .map_or_else(String::new, |gap| format!(": at most {} above it", percent(gap)));
        say(args, &format!("no tour is shorter than {}{most}", length(problem, *bound)));
    }
    warn_of_contradictions(args, problem, solution.length, *bound);
    if solution.iterations == 0 && matches!(solution.ended, Ended::Time | Ended::Cancelled) {
        // The ants of a population's first tours are none that may be fewer.
        let has = |name: &str| {
            Algorithm::named(recipe.algorithm).is_some_and(|it| it.parameters().iter().any(|it| it.name == name))
        };
        let units = match recipe.phases.first().map(|phase| &phase.system) {
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
    let system = &recipe.phases[0].system;
    let units = format!("{} {}", system.units(), system.units_name());
    match recipe.colonies {
        1 => format!("{} ({units})", recipe.algorithm),
        count => format!("{} ({count} colonies of {units})", recipe.algorithm),
    }
}
