//! Before a run: what would run is told, and checked.

use super::devices::Devices;
use super::phases::{self, first_fitting, plan_of};
use super::share::DeviceShare;
use super::{Solver, Target};
use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::windows::{MOST_COST, WindowsParams};
use crate::backend::{Backend, BackendKind, Capabilities};
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::kernels::lin_kernighan::first_tour;
use crate::kernels::plan::Plan;
use crate::settings::{Begins, Effort, Recipe, Settings, System};

/// What a solver would do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outlook {
    /// The device's name; of several the names of all.
    pub device: String,
    /// Where it would run.
    pub backend: BackendKind,
    /// What each device has to do, if there are several.
    pub devices: Vec<DeviceShare>,
    /// What runs.
    pub recipe: Recipe,
    /// The sizes of each phase, on the first device; none for instances so small that all solutions are tried at once.
    pub plans: Vec<Plan>,
}

impl Solver {
    /// What a solver would do: the device that `target` names, the recipe, and the plan of each phase there; no buffer is made.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn outlook(problem: impl Into<Problem>, settings: &Settings, target: Target) -> Result<Outlook> {
        let form = settings.form(&problem.into())?;
        let problem = form.problem();
        check_settings(settings, &form, &target, 1)?;
        advised(target, |target| {
            let devices = Devices::open(target, settings.on_device_lost)?;
            let (_, recipe) = devices.recipe(settings, &form)?;
            let cost = problem.cost(&first_solution(recipe.phases[0].begins, problem))?;
            devices.check_memory(problem, &recipe, cost).map_err(|failure| *failure.error)?;
            let (recipe, _) = first_fitting(recipe, problem, cost, devices.capabilities(0))?;
            let shape = problem.shape();
            let plan = |index| {
                let at = phases::Position { index, round: 0 };
                plan_of(&recipe, at, &shape, cost, devices.capabilities(0))
            };
            let plans = match problem.is_trivial() {
                true => Vec::new(),
                false => (0..recipe.phases.len()).map(plan).collect::<Result<_>>()?,
            };
            Ok(Outlook {
                device: devices.name().to_owned(),
                backend: devices.backend(),
                devices: devices.shares(recipe.colonies),
                recipe,
                plans,
            })
        })
    }
}

/// Workgroup memory that the few large windows of a processor take.
const MEMORY_OF_LARGE_WINDOWS: u32 = 28 << 10;

/// The effort that suits a device where nobody says.
pub(super) fn suits(device: &Capabilities) -> Effort {
    match device {
        Capabilities { large: true, .. } => Effort::Large,
        Capabilities { wide: true, .. } => Effort::Standard,
        _ if device.workgroup_bytes < MEMORY_OF_LARGE_WINDOWS => Effort::Standard,
        _ => Effort::Small,
    }
}

/// The effort that most likely suits devices that are not opened yet.
pub(super) fn may_suit(target: &Target) -> Effort {
    match target {
        Target::Cpu => Effort::Small,
        Target::Several(targets) if targets.iter().any(|target| may_suit(target) == Effort::Small) => Effort::Small,
        _ => Effort::Standard,
    }
}

/// What most likely runs, before devices are opened: what is wrong with the settings does not depend on them, but for how many there are, on
/// so many ranks.
pub(super) fn check_settings(settings: &Settings, form: &Form, target: &Target, ranks: usize) -> Result<Recipe> {
    let (suits, devices) = (may_suit(target), target.clone().devices()?.len());
    let settings = match ranks {
        1 => settings.for_devices_of_form(form, suits, devices)?,
        // Each has one device at least.
        _ => settings.for_ranks_of_form(form, ranks)?,
    };
    let recipe = settings.recipe_for_form(form, suits)?;
    // Before a first solution is made, which takes long where there are too many.
    if !form.problem().is_trivial() {
        Plan::check_cities(recipe.algorithm, &recipe.phases[0].system, form.problem().len())?;
    }
    Ok(recipe)
}

/// Checks that the first phase of all colonies fits into the device's memory.
pub(super) fn check_memory(problem: &Problem, recipe: &Recipe, cost: u64, backend: &dyn Backend) -> Result<()> {
    if problem.is_trivial() {
        return Ok(());
    }
    let device = backend.capabilities();
    check_cost(problem, recipe, cost, device)?;
    let (recipe, _) = first_fitting(recipe.clone(), problem, cost, device)?;
    let plan = plan_of(&recipe, phases::Position::default(), &problem.shape(), cost, device)?;
    plan.check_memory(recipe.colonies, device)
}

/// What windows of a tour of this cost may cost, and the longest distance, where that is more than gains in them are counted to.
fn too_great(problem: &Problem, recipe: &Recipe, cost: u64) -> Option<(WindowsParams, u64, u64)> {
    let (System::Windows(windows), Problem::Tsp(instance)) = (recipe.phases[0].system, problem) else { return None };
    if cost < MOST_COST {
        return None;
    }
    let (longest, _) = instance.sizes();
    let needed = (problem.len() as u64).min(windows.window_size.into()) * longest;
    (needed >= MOST_COST).then_some((windows, needed, longest))
}

/// Checks that windows of a tour that costs much cost less than what gains in them are counted to.
fn check_cost(problem: &Problem, recipe: &Recipe, cost: u64, device: &Capabilities) -> Result<()> {
    let Some((windows, needed, longest)) = too_great(problem, recipe, cost) else { return Ok(()) };
    Err(Error::TooLarge {
        device: device.device.clone(),
        what: format!(
            "a window of {} cities, up to {longest} apart, of a tour that costs {cost},",
            windows.window_size
        ),
        needed: format!("cost {needed}"),
        limit: format!("cost {MOST_COST}"),
        remedy: match (MOST_COST - 1) / longest.max(1) {
            most if most >= u64::from(WindowsParams::LEAST_SIZE) => {
                format!("ask for windows of at most {most} cities (window_size), or give coordinates in a larger unit")
            }
            _ => "give coordinates in a larger unit, or points whose distances are not rounded (metric 'plane')".into(),
        },
    })
}

/// The solution that a phase begins with, where none comes from the phase before or from a caller.
pub(super) fn first_solution(begins: Begins, problem: &Problem) -> Vec<u32> {
    let mut solution = begins.solution(problem);
    if let (Begins::LinKernighan, Problem::Tsp(instance)) = (begins, problem) {
        first_tour::improve(instance, &mut solution);
    }
    solution
}

/// What a run begins with that was given a solution, and whether it is that one. Crossover and search of whole tours count them in 31 bits, as windows do what each of them
/// has. What costs more may be so bad that the first phase's own first solution costs less: then it is that.
pub(super) fn begun_with(given: Vec<u32>, recipe: &Recipe, problem: &Problem) -> Result<(Vec<u32>, bool)> {
    let cost = problem.cost(&given)?;
    if cost < MOST_COST || matches!(problem, Problem::Qap(_)) {
        return Ok((given, true));
    }
    let counts = match recipe.phases[0].system {
        // Windows that are all that runs are refused where they are too large for it.
        System::Windows(_) => recipe.phases.len() > 1 && too_great(problem, recipe, cost).is_some(),
        // What constructs counts as far as it likes, but for what follows it.
        _ => recipe.phases.iter().any(|phase| matches!(phase.system, System::Eax(_) | System::Chained(_))),
    };
    if !counts {
        return Ok((given, true));
    }
    let own = first_solution(recipe.phases[0].begins, problem);
    let own_cost = problem.cost(&own)?;
    if own_cost >= cost {
        return Ok((given, true));
    }
    log::warn!("the given tour costs {cost}, more than the {own_cost} of a simple one, with which the run begins");
    Ok((own, false))
}

/// Makes what takes longest of all that the first phase asks for, while a device is opened: the lists of neighbours, unless the first
/// solution needs and keeps them.
pub(super) fn prepare(problem: &Problem, recipe: &Recipe) {
    if let Problem::Tsp(instance) = problem
        && recipe.phases[0].begins == Begins::SpaceFilling
        && let System::Windows(windows) = recipe.phases[0].system
        && windows.quadrants == 0
    {
        instance.neighbours(SEARCHED_CANDIDATES);
    }
}

/// What `make` makes on a target. What is too large for a device that the caller has opened may fit when it asks for more, which is told then.
pub(super) fn advised<T>(target: Target, make: impl FnOnce(Target) -> Result<T>) -> Result<T> {
    let lent = is_lent(&target);
    make(target).map_err(|error| match error {
        Error::TooLarge { device, what, needed, limit, remedy } if lent => {
            let remedy =
                format!("ask for the device with required_limits: adapter.limits(), which may offer more; or {remedy}");
            Error::TooLarge { device, what, needed, limit, remedy }
        }
        other => other,
    })
}

/// Whether the host application opened the device, or one of them.
fn is_lent(target: &Target) -> bool {
    match target {
        Target::Existing(device) => device.lent,
        Target::Several(targets) => targets.iter().any(is_lent),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::CpuBackend;
    use crate::instance::tsp::{Kind, generate};
    use crate::run::phases::Position;

    #[test]
    fn no_device_gets_windows_that_it_cannot_hold() {
        let problem = Problem::from(generate(Kind::Uniform, 13_000, 1).unwrap());
        let device = |workgroup_bytes| Capabilities { workgroup_bytes, ..CpuBackend::new().capabilities().clone() };
        let fits = |effort, device: &Capabilities| {
            let recipe = Settings::default().recipe(&problem, effort).unwrap();
            plan_of(&recipe, Position::default(), &problem.shape(), 1_000_000, device).is_ok()
        };
        let [small, least] = [MEMORY_OF_LARGE_WINDOWS, 16 << 10].map(device);
        assert_eq!([&small, &least].map(suits), [Effort::Small, Effort::Standard]);
        assert!(fits(Effort::Small, &small) && fits(Effort::Standard, &least));
        assert!(!fits(Effort::Small, &least));
    }
}
