//! The devices of a solver. Several have threads of their own each, work side by side, and wait for one another.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use super::lost::DeviceLost;
use super::migration::seed;
use super::setup::{check_memory, suits};
use super::{Run, Target};
#[cfg(feature = "cuda")]
use crate::backend::cuda::{CudaBackend, CudaDevice};
use crate::backend::wgpu::{Device, WgpuBackend};
use crate::backend::{Backend, Capabilities, CpuBackend};
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::settings::{Effort, Recipe, Settings};

/// The stack of a thread, as large as that of the program's.
const STACK_BYTES: usize = 8 << 20;

/// One of several devices that a problem was solved on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DeviceShare {
    /// `wgpu`, `cuda` or `cpu`, where its part runs now.
    pub backend: &'static str,
    /// The device's name.
    pub device: String,
    /// The colonies that run there, counted from 0. Where crossover takes windows of the tour of a single colony, every device has some of them.
    pub colonies: Vec<usize>,
    /// The device before, where that failed and the CPU took its part over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_lost: Option<DeviceLost>,
}

/// What went wrong, and with which of the devices.
pub(super) struct Failure {
    pub device: usize,
    pub error: Box<Error>,
}

impl Failure {
    pub fn of(device: usize, error: Error) -> Self {
        Self { device, error: Box::new(error) }
    }
}

/// A place where runs can be: a device without buffers, and the threads that work for it.
pub(super) struct Place {
    pub backend: Box<dyn Backend>,
    /// `None`: the caller's, where there is one device.
    pub pool: Option<Arc<ThreadPool>>,
}

impl Place {
    /// Another one on the same device.
    fn again(&self) -> Result<Self> {
        Ok(Self { backend: self.backend.fresh()?, pool: self.pool.clone() })
    }
}

/// A device of a solver.
struct Held {
    place: Place,
    /// The first of the list that is the same device.
    same: usize,
    lost: Option<DeviceLost>,
}

/// The devices of a solver, at least one.
pub(super) struct Devices {
    all: Vec<Held>,
    /// The names of all.
    name: String,
}

/// What a run is made of: the number of its colony, its recipe, its device, and where windows of its crossover are improved.
pub(super) struct Part {
    pub colony: usize,
    pub recipe: Recipe,
    pub backend: Box<dyn Backend>,
    pub places: Vec<Place>,
}

impl Devices {
    /// The devices that `target` names.
    pub fn open(target: Target) -> Result<Self> {
        let targets = target.devices()?;
        let same: Vec<usize> = targets
            .iter()
            .map(|target| targets.iter().position(|other| is_same(target, other)).unwrap_or_default())
            .collect();
        let pools = pools(&targets.iter().map(|target| matches!(target, Target::Cpu)).collect::<Vec<_>>())?;
        // A device that is named again is opened once; each part of the CPU has its threads.
        let opens = |(index, target): (usize, Target)| {
            (same[index] == index || matches!(target, Target::Cpu)).then_some(target)
        };
        let targets: Vec<Option<Target>> = targets.into_iter().enumerate().map(opens).collect();
        let own: Vec<_> = pools.iter().map(Option::as_deref).collect();
        let opened = side_by_side(&own, targets, |target| target.map(open).transpose());
        let mut all: Vec<Held> = Vec::new();
        for ((opened, same), pool) in opened.into_iter().zip(same).zip(pools) {
            let backend = match opened? {
                Some(backend) => backend,
                None => all[same].place.backend.fresh()?,
            };
            all.push(Held { place: Place { backend, pool }, same, lost: None });
        }
        Ok(Self { name: name_of(&all), all })
    }

    /// These, each another device.
    #[cfg(test)]
    pub fn of(backends: Vec<Box<dyn Backend>>) -> Self {
        let pools = pools(&vec![false; backends.len()]).unwrap();
        let held = |(same, (backend, pool))| Held { place: Place { backend, pool }, same, lost: None };
        let all: Vec<Held> = backends.into_iter().zip(pools).enumerate().map(held).collect();
        Self { name: name_of(&all), all }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The names of all devices.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The backend that all have in common, or `mixed`.
    pub fn backend(&self) -> &'static str {
        let first = self.backend_of(0);
        if (0..self.len()).all(|device| self.backend_of(device) == first) { first } else { "mixed" }
    }

    /// The backend of a device.
    pub fn backend_of(&self, device: usize) -> &'static str {
        self.all[device].place.backend.name()
    }

    /// What a device can do.
    pub fn capabilities(&self, device: usize) -> &Capabilities {
        self.all[device].place.backend.capabilities()
    }

    /// The effort that suits all of them.
    pub fn suits(&self) -> Effort {
        let each = (0..self.len()).map(|device| suits(self.capabilities(device)));
        // They are in the order of what they take.
        each.min_by_key(|effort| Effort::ALL.iter().position(|known| known == effort)).unwrap_or(Effort::Standard)
    }

    /// What runs on them, and the settings that say so on any device.
    pub fn recipe(&self, settings: &Settings, form: &Form) -> Result<(Settings, Recipe)> {
        let suits = self.suits();
        let settings = settings.for_devices_of_form(form, suits, self.len())?;
        let recipe = settings.recipe_for_form(form, suits)?;
        Ok((Settings { effort: recipe.effort, ..settings.for_problem(form.original()) }, recipe))
    }

    /// The device of a colony: they are dealt to devices in turn.
    pub fn of_colony(&self, colony: usize) -> usize {
        colony % self.len()
    }

    /// What each device has to do, if there are several.
    pub fn shares(&self, colonies: usize) -> Vec<DeviceShare> {
        let share = |(device, held): (usize, &Held)| DeviceShare {
            backend: held.place.backend.name(),
            device: held.place.backend.capabilities().device.clone(),
            colonies: (0..colonies).filter(|&colony| self.of_colony(colony) == device).collect(),
            device_lost: held.lost.clone(),
        };
        match self.len() {
            1 => Vec::new(),
            _ => self.all.iter().enumerate().map(share).collect(),
        }
    }

    /// How many of so many colonies share the memory of a device.
    fn beside(&self, device: usize, colonies: usize) -> usize {
        let memory = |device: usize| match self.backend_of(device) {
            "cpu" => None,
            _ => Some(self.all[device].same),
        };
        (0..colonies).filter(|&colony| memory(self.of_colony(colony)) == memory(device)).count()
    }

    /// Checks that the first phase of all colonies fits into the devices' memories.
    pub fn check_memory(&self, problem: &Problem, recipe: &Recipe, cost: u64) -> Result<(), Failure> {
        for device in 0..self.len().min(recipe.colonies) {
            let beside = Recipe { colonies: self.beside(device, recipe.colonies), ..recipe.clone() };
            let checked = check_memory(problem, &beside, cost, self.all[device].place.backend.as_ref());
            checked.map_err(|error| Failure::of(device, error))?;
        }
        Ok(())
    }

    /// Runs for these colonies of a recipe, which `make` makes.
    pub fn runs(
        &self,
        recipe: &Recipe,
        which: Vec<usize>,
        make: impl Fn(Part) -> Result<Run> + Sync,
    ) -> Result<Vec<Run>, Failure> {
        let mut parts = Vec::new();
        for &colony in &which {
            let device = self.of_colony(colony);
            let backend = self.all[device].place.backend.fresh().map_err(|error| Failure::of(device, error))?;
            let places = if recipe.colonies == 1 { self.places()? } else { Vec::new() };
            // What its memory has to hold beside it.
            let own = Recipe { colonies: self.beside(device, recipe.colonies), ..recipe.clone() };
            let own = own.with_seed(seed(recipe.seed, colony));
            parts.push((device, Part { colony, recipe: own, backend, places }));
        }
        // One alone has the caller's threads.
        let runs = match recipe.colonies {
            1 => parts.into_iter().map(|(_, part)| make(part)).collect(),
            _ => self.each(parts, make),
        };
        let failed =
            |(run, colony): (Result<Run>, usize)| run.map_err(|error| Failure::of(self.of_colony(colony), error));
        runs.into_iter().zip(which).map(failed).collect()
    }

    /// All of them as places for windows of one run, if there are several.
    fn places(&self) -> Result<Vec<Place>, Failure> {
        let place = |(device, held): (usize, &Held)| held.place.again().map_err(|error| Failure::of(device, error));
        match self.len() {
            1 => Ok(Vec::new()),
            _ => self.all.iter().enumerate().map(place).collect(),
        }
    }

    /// Does something with each of these on its device: on several side by side, on one after the other. The results are in the same order.
    pub fn each<T: Send, R: Send>(
        &self,
        items: impl IntoIterator<Item = (usize, T)>,
        work: impl Fn(T) -> R + Sync,
    ) -> Vec<R> {
        let mut parts: Vec<Vec<(usize, T)>> = self.all.iter().map(|_| Vec::new()).collect();
        for (order, (device, item)) in items.into_iter().enumerate() {
            parts[device].push((order, item));
        }
        let pools: Vec<_> = self.all.iter().map(|held| held.place.pool.as_deref()).collect();
        let done = side_by_side(&pools, parts, |part: Vec<(usize, T)>| {
            part.into_iter().map(|(order, item)| (order, work(item))).collect::<Vec<_>>()
        });
        let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
        done.sort_by_key(|(order, _)| *order);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Takes note that a device has failed.
    pub fn lose(&mut self, device: usize, lost: DeviceLost) {
        self.all[device].lost = Some(lost);
    }

    /// The device before this one, which failed.
    pub fn lost(&self, device: usize) -> Option<&DeviceLost> {
        self.all[device].lost.as_ref()
    }

    /// The devices that have failed and whose part the CPU has not taken over.
    pub fn failed(&self) -> Vec<usize> {
        let failed = |device: &usize| self.lost(*device).is_some() && self.backend_of(*device) != "cpu";
        (0..self.len()).filter(failed).collect()
    }

    /// The CPU in place of a device, on the threads that work for it.
    pub fn host(&self, device: usize) -> Box<dyn Backend> {
        Box::new(match &self.all[device].place.pool {
            Some(pool) => pool.install(CpuBackend::new),
            None => CpuBackend::new(),
        })
    }

    /// Puts another backend in the place of a device; the one before.
    pub fn swap(&mut self, device: usize, backend: Box<dyn Backend>) -> Box<dyn Backend> {
        let before = std::mem::replace(&mut self.all[device].place.backend, backend);
        self.name = name_of(&self.all);
        before
    }
}

/// The backend on the device that `target` names.
#[cfg_attr(feature = "cuda", allow(unsafe_code, reason = "kernels on the CUDA backend trust their indices"))]
fn open(target: Target) -> Result<Box<dyn Backend>> {
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
        Target::Several(_) | Target::All => {
            return Err(Error::Config("a list within a list of devices; please report this".into()));
        }
    })
}

/// The names of devices, one that comes again in a row told once.
fn name_of(all: &[Held]) -> String {
    let names: Vec<&str> = all.iter().map(|held| held.place.backend.capabilities().device.as_str()).collect();
    let told = names.chunk_by(|one, other| one == other).map(|same| match same {
        [one] => (*one).to_owned(),
        _ => format!("{} x {}", same.len(), same[0]),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// Whether two targets are one device.
fn is_same(one: &Target, other: &Target) -> bool {
    match (one, other) {
        (Target::Cpu, Target::Cpu) | (Target::Auto, Target::Auto) => true,
        (Target::Wgpu(one), Target::Wgpu(other)) => one == other,
        #[cfg(feature = "cuda")]
        (Target::Cuda(one), Target::Cuda(other)) => one == other,
        (Target::Existing(one), Target::Existing(other)) => one.device == other.device,
        _ => false,
    }
}

/// The threads of devices, of which these are CPUs: these share the caller's among them, and so do the others for what the host does for
/// them. One device has no threads of its own.
fn pools(are_cpus: &[bool]) -> Result<Vec<Option<Arc<ThreadPool>>>> {
    if are_cpus.len() == 1 {
        return Ok(vec![None]);
    }
    let pool = |(index, is_cpu): (usize, &bool)| {
        let sharing = are_cpus.iter().filter(|other| *other == is_cpu).count();
        let built = ThreadPoolBuilder::new()
            .num_threads((rayon::current_num_threads() / sharing).max(1))
            .thread_name(move |thread| format!("myrmex-{index}-{thread}"))
            .stack_size(STACK_BYTES)
            .build();
        let refused = |error| Error::Config(format!("several devices need threads of their own: {error}"));
        built.map(|pool| Some(Arc::new(pool))).map_err(refused)
    };
    are_cpus.iter().enumerate().map(pool).collect()
}

/// Does something with each of these on threads of its pool, or of the caller's, all at the same time; waits for them.
pub(super) fn side_by_side<T: Send, R: Send>(
    pools: &[Option<&ThreadPool>],
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    if let [None] = pools {
        return items.into_iter().map(work).collect();
    }
    let job = |(pool, item): (&Option<_>, T)| (*pool, Some(item), None);
    let mut jobs: Vec<Job<'_, T, R>> = pools.iter().zip(items).map(job).collect();
    begin(&mut jobs, &work);
    jobs.into_iter().filter_map(|(_, _, result)| result).collect()
}

/// Where something is done, what with, and what came out.
type Job<'a, T, R> = (Option<&'a ThreadPool>, Option<T>, Option<R>);

/// Begins the first of these, then the others, and waits for all.
fn begin<T: Send, R: Send>(jobs: &mut [Job<'_, T, R>], work: &(impl Fn(T) -> R + Sync)) {
    let Some(((pool, item, result), others)) = jobs.split_first_mut() else { return };
    match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            scope.spawn(|_| *result = item.take().map(work));
            begin(others, work);
        }),
        None => rayon::in_place_scope(|scope| {
            scope.spawn(|_| *result = item.take().map(work));
            begin(others, work);
        }),
    }
}
