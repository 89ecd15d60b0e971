//! `myrmex plan`.

use myrmex::algorithm::construct::Rule;
use myrmex::settings::{Begins, CrossoverWindows, Ends, Every, Phase, Restart, System};
use myrmex::{BackendKind, DeviceShare, Outlook, Plan, Problem, Recipe, Result, Settings, Solver, Topology};
use serde::Serialize;

use crate::args::PlanArgs;
use crate::asked::Asked;
use crate::exit::Exit;
use crate::print::outln;
use crate::{system, target, telling, tools};

/// The plan as JSON.
#[derive(Serialize)]
struct Report<'a> {
    instance: &'a str,
    problem: &'a str,
    n: usize,
    device: &'a str,
    backend: BackendKind,
    /// What each of several devices has to do.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    devices: &'a [DeviceShare],
    recipe: &'a Recipe,
    /// The sizes of each phase.
    plans: &'a [Plan],
}

pub fn run(args: &PlanArgs) -> Result<Exit> {
    let asked = Asked::of(&args.system)?;
    planned(args, &asked).map_err(|error| asked.located(error))
}

fn planned(args: &PlanArgs, asked: &Asked) -> Result<Exit> {
    let problem = system::problem(&args.file, &args.read)?;
    let settings = asked.settings(&problem, args.iterations)?;
    let outlook = Solver::outlook(&problem, &settings, target::of(&args.system)?)?;
    if args.json {
        return tools::print_json(&Report {
            instance: problem.name(),
            problem: problem.kind(),
            n: problem.len(),
            device: &outlook.device,
            backend: outlook.backend,
            devices: &outlook.devices,
            recipe: &outlook.recipe,
            plans: &outlook.plans,
        });
    }
    print(&problem, (asked, &settings), &outlook);
    Ok(Exit::Done)
}

/// What migrates between several colonies, and when.
fn migration(recipe: &Recipe) -> String {
    let Some(migration) = recipe.migration else { return ", nothing migrates".into() };
    if !recipe.phases.iter().any(|phase| phase.system.takes_migrants()) {
        return ", independent runs of which the best counts".into();
    }
    let every = match migration.every {
        Every::Seconds(1.0) => "second".into(),
        Every::Seconds(seconds) => format!("{seconds} seconds"),
        Every::Iterations(1) => "iteration".into(),
        Every::Iterations(iterations) => format!("{iterations} iterations"),
        other => format!("{other:?}"),
    };
    match migration.topology {
        Topology::Complete => format!(", the best of all migrates every {every}"),
        _ => format!(" in a ring, bests migrate every {every}"),
    }
}

fn print(problem: &Problem, (asked, settings): (&Asked, &Settings), outlook: &Outlook) {
    let Outlook { device, backend, devices, recipe, plans, .. } = outlook;
    outln!("{}: {} on {device} ({backend})", problem.name(), telling::described(problem));
    let asked_for = asked.request().asked_for(settings);
    let runs = match asked_for.preset {
        Some(_) => telling::what_runs(&asked_for, recipe),
        None => format!("algorithm {}", recipe.algorithm),
    };
    outln!("{runs}, effort {}, seed {}", recipe.effort.name(), recipe.seed);
    if let Some(unit) = telling::unit(recipe) {
        outln!("{unit}");
    }
    if recipe.colonies > 1 {
        outln!("{} colonies{}; what follows is of each", recipe.colonies, migration(recipe));
    }
    devices.iter().enumerate().for_each(|(index, device)| outln!("device {}: {}", index + 1, part(device, recipe)));
    if plans.is_empty() {
        outln!("so small that all solutions are tried at once");
        return;
    }
    let given = settings.given();
    for (index, (phase, plan)) in recipe.phases.iter().zip(plans).enumerate() {
        outln!("");
        outln!("phase {}: {}", index + 1, what(phase));
        outln!("  begins with {}, ends {}", phase.begins, phase.ends);
        for (name, value) in phase.system.parameters(problem.len()) {
            let why = match given.iter().any(|(known, _)| *known == name) {
                true if asked.request().value(name).is_some() => "asked for",
                true => "of the preset",
                false => "",
            };
            outln!("  {name:<18} {:<22} {why}", value.to_string());
        }
        let choices = plan.choices();
        if !choices.is_empty() {
            outln!("  chosen for this device, without a change of results:");
        }
        for choice in choices {
            outln!("    {:<16} {:<22} {}", choice.name, choice.value, choice.reason);
        }
        outln!("  buffers {:.1} MiB:", plan.total_bytes() as f64 / f64::from(1 << 20));
        for buffer in plan.buffers() {
            outln!("    {:<16} {:>14} bytes", buffer.name.name(), buffer.words * 4);
        }
    }
    if let Some(Restart { from_phase, doublings, most, .. }) = recipe.restart {
        let times = |count: u32| telling::count(count as usize, "time", "times");
        let (first, growth) = (from_phase + 1, format!("{} at most and up to {most}", times(doublings)));
        outln!("");
        match recipe.windows {
            Some(CrossoverWindows { cities, halvings, doublings: doubled, .. }) => {
                outln!(
                    "phases from {first} on are for a window of {cities} cities, and begin again with the next window;"
                );
                outln!("each two times that windows have covered all cities the population doubles, {growth}");
                match doubled {
                    0 => {}
                    doubled => outln!("and so do the windows, {} at most and up to all cities", times(doubled)),
                }
                match halvings {
                    0 => {}
                    1 => outln!("the first pass over all cities has windows and populations half as large"),
                    passes => outln!(
                        "the first {passes} passes over all cities have windows and populations half as large as in the next"
                    ),
                }
            }
            None if doublings == 0 => outln!("then again from phase {first} with other random numbers"),
            None => outln!("then again from phase {first} with twice the population, {growth}"),
        }
    }
}

/// What one of several devices does, in a line.
fn part(DeviceShare { backend, device, colonies, .. }: &DeviceShare, recipe: &Recipe) -> String {
    let does = match (recipe.colonies, recipe.windows.map(|windows| windows.at_a_time)) {
        (1, Some(most)) if colonies.is_empty() => format!("windows of crossover, of {most} at a time on all devices"),
        (1, Some(_)) => "the first phase, and windows of crossover".into(),
        (1, None) if colonies.is_empty() => "nothing".into(),
        _ => {
            let numbers: Vec<String> = colonies.iter().map(|colony| (colony + 1).to_string()).collect();
            format!("{} {}", if numbers.len() == 1 { "colony" } else { "colonies" }, numbers.join(", "))
        }
    };
    format!("{device} ({backend}), {does}")
}

/// What a phase is, in a line.
fn what(phase: &Phase) -> &'static str {
    match (&phase.system, phase.begins, phase.ends) {
        (System::Windows(_), ..) => "lk, windowed Lin-Kernighan search of one tour",
        (System::Eax(_), Begins::Continued, _) => "eax, edge assembly crossover by blocks of AB-cycles",
        (System::Eax(_), ..) => "eax, edge assembly crossover by single AB-cycles",
        (System::Construct(_), _, Ends::After { .. }) => {
            "population, tours that ants construct and Lin-Kernighan search improves"
        }
        (System::Chained(_), ..) => "clk, chained Lin-Kernighan search of whole tours",
        (System::Construct(construct), ..) if matches!(construct.rule, Rule::Memetic(_)) => {
            "memetic, a population of assignments, crossover, and a search of each child"
        }
        (System::Construct(_), ..) => "ants that construct",
        (system, ..) => system.name(),
    }
}

#[cfg(test)]
mod tests {
    use myrmex::Effort;
    use myrmex::tsp::{Kind, generate};

    use super::*;

    #[test]
    fn migration_every_one_is_singular() {
        let problem = Problem::from(generate(Kind::Uniform, 60, 1).unwrap());
        let told = |name: &str, value: &str| {
            let settings = Settings::named("mmas").unwrap().with("colonies", "2").unwrap().with(name, value).unwrap();
            migration(&settings.recipe(&problem, Effort::Standard).unwrap())
        };
        for (name, value, every) in [
            ("migration_time", "1", "second"),
            ("migration_time", "2.5", "2.5 seconds"),
            ("migration", "1", "iteration"),
            ("migration", "20", "20 iterations"),
        ] {
            assert_eq!(told(name, value), format!(" in a ring, bests migrate every {every}"));
        }
    }
}
