//! The devices of a solver. Several have threads of their own each, work side by side, and wait for one another.

use std::sync::Arc;

use rayon::ThreadPool;

use super::lost::DeviceLost;
use super::migration::seed;
use super::pools::{pools, side_by_side};
use super::ranks::Among;
use super::setup::{check_memory, suits};
use super::share::DeviceShare;
use super::{Run, Target};
#[cfg(feature = "cuda")]
use crate::backend::cuda::{CudaBackend, CudaDevice};
use crate::backend::wgpu::{Device, WgpuBackend};
use crate::backend::{Backend, BackendKind, Capabilities, CpuBackend};
use crate::error::{Error, Result};
use crate::instance::problem::{Form, Problem};
use crate::settings::{Effort, OnDeviceLost, Recipe, Settings};

/// What went wrong, and with which of the devices, if it was one of them.
pub(super) struct Failure {
    pub device: Option<usize>,
    pub error: Box<Error>,
}

impl Failure {
    pub fn of(device: usize, error: Error) -> Self {
        Self { device: Some(device), error: Box::new(error) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { device: None, error: Box::new(error) }
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
    /// Where several ranks solve a problem, what there is besides.
    among: Option<Among>,
}

/// What a run is made of: the number of its colony, its recipe, its device, and where windows of its crossover are improved.
pub(super) struct Part {
    pub colony: usize,
    pub recipe: Recipe,
    pub backend: Box<dyn Backend>,
    pub places: Vec<Place>,
}

impl Devices {
    /// The devices that `target` names; the CPU in place of one that had been opened before and was lost since, where a run is to go on without it.
    pub fn open(target: Target, on_device_lost: OnDeviceLost) -> Result<Self> {
        let targets = numbered(target.devices()?)?;
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
        let opened = side_by_side(&own, targets, |target| target.map(|it| open_or_cpu(it, on_device_lost)).transpose());
        let mut all: Vec<Held> = Vec::new();
        for ((opened, same), pool) in opened.into_iter().zip(same).zip(pools) {
            let (backend, lost) = match opened? {
                Some(opened) => opened,
                None => (all[same].place.backend.fresh()?, all[same].lost.clone()),
            };
            all.push(Held { place: Place { backend, pool }, same, lost });
        }
        Ok(Self::of_held(all))
    }

    /// These, each another device.
    #[cfg(test)]
    pub fn of(backends: Vec<Box<dyn Backend>>) -> Self {
        let pools = pools(&vec![false; backends.len()]).unwrap();
        let held = |(same, (backend, pool))| Held { place: Place { backend, pool }, same, lost: None };
        let all: Vec<Held> = backends.into_iter().zip(pools).enumerate().map(held).collect();
        Self::of_held(all)
    }

    fn of_held(all: Vec<Held>) -> Self {
        let mut devices = Self { name: String::new(), all, among: None };
        devices.rename();
        devices
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Takes note of the devices of other ranks.
    pub fn join(&mut self, among: Among) {
        self.among = Some(among);
        self.rename();
    }

    /// The name that all have together now.
    fn rename(&mut self) {
        let shares = self.all_shares();
        self.name = told(&shares.iter().map(|share| share.device.as_str()).collect::<Vec<_>>());
    }

    /// These devices, and those of other ranks, whatever they have to do.
    fn all_shares(&self) -> Vec<DeviceShare> {
        let own = self.own_shares();
        match &self.among {
            Some(among) => among.shares(own),
            None => own,
        }
    }

    /// Takes note of what became of the devices of another rank.
    pub fn note(&mut self, rank: usize, now: Vec<DeviceShare>) {
        if let Some(among) = &mut self.among {
            among.note(rank, now);
        }
        self.rename();
    }

    /// The rank that has a colony of all.
    pub fn rank_of(&self, colony: usize) -> usize {
        self.among.as_ref().map_or(0, |among| among.rank_of(colony))
    }

    /// The number among all of a rank's colony.
    pub fn number_among(&self, rank: usize, colony: usize) -> usize {
        self.among.as_ref().map_or(colony, |among| among.number_of(rank, colony))
    }

    /// The names of all devices.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The backend that all have in common, if there is one.
    pub fn backend(&self) -> BackendKind {
        let first = self.backend_of(0);
        if self.all_shares().iter().all(|share| share.backend == first) { first } else { BackendKind::Mixed }
    }

    /// The backend of a device.
    pub fn backend_of(&self, device: usize) -> BackendKind {
        self.all[device].place.backend.kind()
    }

    /// What a device can do.
    pub fn capabilities(&self, device: usize) -> &Capabilities {
        self.all[device].place.backend.capabilities()
    }

    /// The effort that suits all of them.
    pub fn suits(&self) -> Effort {
        let each = (0..self.len()).map(|device| suits(self.capabilities(device)));
        // They are in the order of what they take.
        let others = self.among.iter().map(|among| among.suits);
        each.chain(others).min().unwrap_or(Effort::Standard)
    }

    /// What runs on them, and the settings that say so on any device.
    pub fn recipe(&self, settings: &Settings, form: &Form) -> Result<(Settings, Recipe)> {
        let suits = self.suits();
        let settings = match &self.among {
            None => settings.for_devices_of_form(form, suits, self.len())?,
            Some(among) => settings.for_ranks_of_form(form, among.devices())?,
        };
        let recipe = settings.recipe_for_form(form, suits)?;
        Ok((Settings { effort: recipe.effort, ..settings.for_problem(form.original()) }, recipe))
    }

    /// The device of a colony of these devices: they are dealt to devices in turn.
    pub fn of_colony(&self, colony: usize) -> usize {
        colony % self.len()
    }

    /// How many of so many colonies these devices have, counted from 0 here.
    pub fn colonies(&self, all: usize) -> usize {
        (0..all).take_while(|&colony| self.number_of(colony) < all).count()
    }

    /// The number that a colony of these devices has among all: those of all ranks are dealt to the devices of all ranks in turn.
    pub fn number_of(&self, colony: usize) -> usize {
        match &self.among {
            None => colony,
            Some(among) => colony / self.len() * among.devices() + among.first + self.of_colony(colony),
        }
    }

    /// What each device has to do, of so many colonies in all, if there are several.
    pub fn shares(&self, colonies: usize) -> Vec<DeviceShare> {
        let mut shares = match (&self.among, self.len()) {
            (None, 1) => Vec::new(),
            _ => self.all_shares(),
        };
        let devices = shares.len();
        for (device, share) in shares.iter_mut().enumerate() {
            share.colonies = (device..colonies).step_by(devices).collect();
        }
        shares
    }

    /// These devices, whatever they have to do.
    pub fn own_shares(&self) -> Vec<DeviceShare> {
        let share = |held: &Held| DeviceShare {
            backend: held.place.backend.kind(),
            device: held.place.backend.capabilities().device.clone(),
            colonies: Vec::new(),
            rank: None,
            machine: None,
            device_lost: held.lost.clone(),
        };
        self.all.iter().map(share).collect()
    }

    /// How many of so many colonies of these devices share the memory of a device.
    fn beside(&self, device: usize, colonies: usize) -> usize {
        let memory = |device: usize| match self.backend_of(device) {
            BackendKind::Cpu => None,
            _ => Some(self.all[device].same),
        };
        (0..colonies).filter(|&colony| memory(self.of_colony(colony)) == memory(device)).count()
    }

    /// Checks that the first phase of all colonies fits into the devices' memories.
    pub fn check_memory(&self, problem: &Problem, recipe: &Recipe, cost: u64) -> Result<(), Failure> {
        let colonies = self.colonies(recipe.colonies);
        for device in 0..self.len().min(colonies) {
            let beside = Recipe { colonies: self.beside(device, colonies), ..recipe.clone() };
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
            let own = Recipe { colonies: self.beside(device, self.colonies(recipe.colonies)), ..recipe.clone() };
            let own = own.with_seed(seed(recipe.seed, self.number_of(colony)));
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
        let failed = |device: &usize| self.lost(*device).is_some() && !self.is_host(*device);
        (0..self.len()).filter(failed).collect()
    }

    /// Whether a device is the CPU.
    pub fn is_host(&self, device: usize) -> bool {
        self.backend_of(device) == BackendKind::Cpu
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
        self.rename();
        before
    }
}

/// The same as [`open`], or the CPU in place of a device that had been opened before and was lost since.
fn open_or_cpu(target: Target, on_device_lost: OnDeviceLost) -> Result<(Box<dyn Backend>, Option<DeviceLost>)> {
    let before = match target {
        Target::Existing(_) => Some(BackendKind::Wgpu),
        #[cfg(feature = "cuda")]
        Target::ExistingCuda(_) => Some(BackendKind::Cuda),
        _ => None,
    };
    match (open(target), before) {
        (Err(Error::Device { device, message }), Some(backend)) if on_device_lost == OnDeviceLost::Cpu => {
            let lost = DeviceLost { backend, device, message, iteration: 0, seconds: 0.0 };
            log::warn!("{}: {}; going on on the CPU", lost.device, lost.message);
            Ok((Box::new(CpuBackend::new()), Some(lost)))
        }
        (opened, _) => opened.map(|backend| (backend, None)),
    }
}

/// The backend on the device that `target` names.
#[cfg_attr(feature = "cuda", allow(unsafe_code, reason = "kernels on the CUDA backend trust their indices"))]
pub(super) fn open(target: Target) -> Result<Box<dyn Backend>> {
    Ok(match target.opened()? {
        Target::Cpu => Box::new(CpuBackend::new()),
        Target::Existing(device) => Box::new(WgpuBackend::new(device)?),
        #[cfg(feature = "cuda")]
        // SAFETY: a solver gives its backend this crate's kernels, buffers of the sizes that plans say, and words that the host makes for
        // them or another solver has written into a checkpoint; whoever looks into it (`Solver::colonies`) vouches for the rest.
        Target::ExistingCuda(device) => Box::new(unsafe { CudaBackend::new(device) }?),
        _ => return Err(Error::Fault("a list within a list of devices".into())),
    })
}

/// Names, one that comes again in a row told once.
fn told(names: &[&str]) -> String {
    let told = names.chunk_by(|one, other| one == other).map(|same| match same {
        [one] => (*one).to_owned(),
        _ => format!("{} x {}", same.len(), same[0]),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// The same by the numbers of their devices, where two words may mean one.
fn numbered(targets: Vec<Target>) -> Result<Vec<Target>> {
    if targets.len() == 1 {
        return Ok(targets);
    }
    let number = |target: Target| {
        Ok(match target {
            Target::Wgpu(choice) => Target::Wgpu(Some(Device::number_of(choice.as_deref())?.to_string())),
            #[cfg(feature = "cuda")]
            Target::Cuda(choice) => Target::Cuda(Some(CudaDevice::number_of(choice.as_deref())?.to_string())),
            target => target,
        })
    };
    targets.into_iter().map(number).collect()
}

/// Whether two targets are one device.
fn is_same(one: &Target, other: &Target) -> bool {
    match (one, other) {
        (Target::Cpu, Target::Cpu) | (Target::Auto, Target::Auto) => true,
        (Target::Wgpu(one), Target::Wgpu(other)) => one == other,
        #[cfg(feature = "cuda")]
        (Target::Cuda(one), Target::Cuda(other)) => one == other,
        #[cfg(feature = "cuda")]
        (Target::ExistingCuda(one), Target::ExistingCuda(other)) => one.ordinal() == other.ordinal(),
        (Target::Existing(one), Target::Existing(other)) => one.device == other.device,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number and a part of the name mean one adapter, which is opened once.
    #[test]
    fn a_device_that_is_named_in_two_ways_is_one() {
        let name = crate::backend::devices().into_iter().find(|one| one.api != "cuda").unwrap().name;
        let words = [Some("0".to_owned()), Some(name.to_uppercase()), None].map(Target::Wgpu);
        let devices = Devices::open(Target::Several(words.to_vec()), OnDeviceLost::Stop).unwrap();
        let same: Vec<usize> = devices.all.iter().map(|held| held.same).collect();
        assert_eq!(same[..2], [0, 0]);
    }
}
