//! Before a run: devices are opened, and what would run is told.

use super::phases::{self, plan_of};
use super::{Solver, Target};
use crate::algorithm::construct::SEARCHED_CANDIDATES;
use crate::algorithm::windows::MOST_COST;
#[cfg(feature = "cuda")]
use crate::backend::cuda::{CudaBackend, CudaDevice};
use crate::backend::wgpu::{Device, WgpuBackend};
use crate::backend::{Backend, Capabilities, CpuBackend};
use crate::error::{Error, Result};
use crate::instance::problem::Problem;
use crate::kernels::lin_kernighan::first_tour;
use crate::kernels::plan::Plan;
use crate::settings::{Begins, Effort, Recipe, Settings, System};

/// What a solver would do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outlook {
    /// The device's name.
    pub device: String,
    /// `wgpu`, `cuda` or `cpu`.
    pub backend: &'static str,
    /// What runs.
    pub recipe: Recipe,
    /// The sizes of each phase; none for instances so small that all solutions are tried at once.
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
        settings.recipe_for_form(&form, Effort::Standard)?;
        let lent = is_lent(&target);
        let backend = open(target)?;
        let capabilities = backend.capabilities();
        let recipe = settings.recipe_for_form(&form, suits(capabilities))?;
        let cost = problem.cost(&first_solution(recipe.phases[0].begins, problem))?;
        check_memory(problem, &recipe, cost, backend.as_ref())?;
        let shape = problem.shape();
        let plan = |index| plan_of(&recipe, phases::Position { index, round: 0 }, &shape, cost, capabilities);
        let plans = match problem.is_trivial() {
            true => Vec::new(),
            false => (0..recipe.phases.len()).map(plan).collect::<Result<_>>().map_err(|error| of_lent(error, lent))?,
        };
        Ok(Outlook { device: capabilities.device.clone(), backend: backend.name(), recipe, plans })
    }
}

/// The effort that suits a device where nobody says.
pub(super) fn suits(device: &Capabilities) -> Effort {
    match device {
        Capabilities { large: true, .. } => Effort::Large,
        Capabilities { wide: true, .. } => Effort::Standard,
        _ => Effort::Small,
    }
}

/// The effort that most likely suits a device that is not opened yet.
pub(super) fn may_suit(target: &Target) -> Effort {
    if matches!(target, Target::Cpu) { Effort::Small } else { Effort::Standard }
}

/// Checks that the first phase of all colonies fits into the device's memory.
pub(super) fn check_memory(problem: &Problem, recipe: &Recipe, cost: u64, backend: &dyn Backend) -> Result<()> {
    if problem.is_trivial() {
        return Ok(());
    }
    let device = backend.capabilities();
    check_cost(problem, recipe, cost, device)?;
    plan_of(recipe, phases::Position::default(), &problem.shape(), cost, device)?.check_memory(recipe.colonies, device)
}

/// Checks that windows of a tour that costs much cost less than what gains in them are counted to.
fn check_cost(problem: &Problem, recipe: &Recipe, cost: u64, device: &Capabilities) -> Result<()> {
    let (System::Windows(windows), Problem::Tsp(instance)) = (recipe.phases[0].system, problem) else { return Ok(()) };
    if cost < MOST_COST {
        return Ok(());
    }
    let (longest, _) = instance.sizes();
    let most = MOST_COST / longest.max(1);
    if (problem.len() as u64).min(windows.window_size.into()) < most {
        return Ok(());
    }
    Err(Error::TooLarge {
        device: device.device.clone(),
        what: format!(
            "a window of {} cities, up to {longest} apart, of a tour that costs {cost},",
            windows.window_size
        ),
        needed: format!("cost {}", u64::from(windows.window_size) * longest),
        limit: format!("cost {MOST_COST}"),
        remedy: format!(
            "ask for windows of fewer than {most} cities (window_size), or give coordinates in a larger unit"
        ),
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

/// Whether the host application opened the device.
pub(super) fn is_lent(target: &Target) -> bool {
    matches!(target, Target::Existing(device) if device.lent)
}

/// What is too large for a lent device may fit when it is asked for with more.
pub(super) fn of_lent(error: Error, lent: bool) -> Error {
    match error {
        Error::TooLarge { device, what, needed, limit, remedy } if lent => {
            let remedy =
                format!("ask for the device with required_limits: adapter.limits(), which may offer more; or {remedy}");
            Error::TooLarge { device, what, needed, limit, remedy }
        }
        other => other,
    }
}

/// The backend on the device that `target` names.
#[cfg_attr(feature = "cuda", allow(unsafe_code, reason = "kernels on the CUDA backend trust their indices"))]
pub(super) fn open(target: Target) -> Result<Box<dyn Backend>> {
    Ok(match target {
        Target::Cpu => Box::new(CpuBackend::new()),
        Target::Wgpu(choice) => Box::new(WgpuBackend::new(Device::open(choice.as_deref(), true)?)?),
        #[cfg(feature = "cuda")]
        Target::Cuda(choice) => {
            let device = CudaDevice::open(choice.as_deref())?;
            // SAFETY: a solver gives its backend this crate's kernels, buffers of the sizes that plans say, and words that the host makes
            // for them or another solver has written into a checkpoint; whoever looks into it (`Solver::colonies`) vouches for the rest.
            Box::new(unsafe { CudaBackend::new(device) }?)
        }
        Target::Existing(device) => Box::new(WgpuBackend::new(device)?),
        Target::Auto => match Device::open(None, false) {
            Ok(device) => Box::new(WgpuBackend::new(device)?),
            Err(error) => {
                log::info!("running on the CPU: {error}");
                Box::new(CpuBackend::new())
            }
        },
    })
}
