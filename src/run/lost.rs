//! When a device fails: the run ends, or goes on on the CPU where that is asked for.

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::devices::{Devices, Failure, Part};
use super::one::{Earlier, Run, Start};
use super::{PhaseEnded, Progress, Solver};
use crate::backend::BackendKind;
use crate::error::{Error, Result};
use crate::settings::OnDeviceLost;

/// A device that failed, so that the run went on on the CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeviceLost {
    /// What it was of: a GPU's.
    pub backend: BackendKind,
    /// The device's name.
    pub device: String,
    /// What happened.
    pub message: String,
    /// Iterations completed by then, by every colony; 0 where the device failed in the set-up, unless the run was resumed.
    pub iteration: u32,
    /// Seconds that the run had taken; of one that was resumed those before included.
    pub seconds: f64,
}

/// The runs that `make` makes on these devices, or on the CPU in place of those that fail in that, where the run is to go on; with the first
/// device that did.
pub(super) fn on_devices_or_cpu(
    on_device_lost: OnDeviceLost,
    clock: Clock,
    mut devices: Devices,
    make: impl Fn(&Devices) -> Result<Vec<Run>, Failure>,
) -> Result<(Vec<Run>, Devices, Option<DeviceLost>)> {
    // Of those that had been opened before some may have been lost before.
    let mut lost: Vec<(usize, DeviceLost)> =
        (0..devices.len()).filter_map(|device| Some((device, devices.lost(device)?.clone()))).collect();
    let mut runs = loop {
        let (device, failed) = match make(&devices) {
            Ok(runs) => break runs,
            Err(failure) => survived(on_device_lost, &devices, failure)?,
        };
        devices.swap(device, devices.host(device));
        lost.push((device, failed));
    };
    let iteration = runs.iter().map(|run| run.progress.iteration).min().unwrap_or_default();
    let lost: Vec<(usize, DeviceLost)> = lost
        .into_iter()
        .map(|(device, lost)| (device, DeviceLost { iteration, seconds: clock.seconds(), ..lost }))
        .collect();
    for (device, lost) in &lost {
        devices.lose(*device, lost.clone());
        runs_on(&devices, &mut runs, *device).for_each(|run| run.progress.device_lost = true);
    }
    Ok((runs, devices, lost.into_iter().next().map(|(_, lost)| lost)))
}

/// The device whose failure a run survives, and what is told of it but for when that was.
///
/// # Errors
/// What went wrong, where the run is not to go on without the device, or it is the CPU, or something else went wrong.
fn survived(
    on_device_lost: OnDeviceLost,
    devices: &Devices,
    Failure { device, error }: Failure,
) -> Result<(usize, DeviceLost)> {
    match (device, *error) {
        (Some(device), Error::Device { message, .. })
            if on_device_lost == OnDeviceLost::Cpu && !devices.is_host(device) =>
        {
            let (backend, name) = (devices.backend_of(device), devices.capabilities(device).device.clone());
            log::warn!("{name}: {message}; going on on the CPU");
            Ok((device, DeviceLost { backend, device: name, message, iteration: 0, seconds: 0.0 }))
        }
        (_, error) => Err(error),
    }
}

/// The runs that have something on a device: its colonies, or the one whose windows it may have.
fn runs_on<'a>(devices: &Devices, runs: &'a mut [Run], device: usize) -> impl Iterator<Item = &'a mut Run> {
    let (alone, count) = (runs.len() == 1, devices.len());
    runs.iter_mut().enumerate().filter(move |(colony, _)| alone || colony % count == device).map(|(_, run)| run)
}

impl Solver {
    /// What went wrong with a run, and where.
    pub(super) fn failure(&self, run: usize, error: Error) -> Failure {
        let device = match &self.runs[..] {
            [one] => one.failed_place,
            _ => self.devices.of_colony(run),
        };
        Failure::of(device, error)
    }

    /// Takes note that a device has failed, where the run is to go on without it.
    ///
    /// # Errors
    /// The failure's where it is not, or where it says something else.
    pub(super) fn lose_device(&mut self, failure: Failure) -> Result<()> {
        let (device, lost) = survived(self.settings.on_device_lost, &self.devices, failure)?;
        // What the device has claimed and nobody has seen is forgotten.
        runs_on(&self.devices, &mut self.runs, device).for_each(Run::forget_claims);
        let Progress { iteration, .. } = self.own_progress();
        let lost = DeviceLost { iteration, seconds: self.clock.seconds(), ..lost };
        self.devices.lose(device, lost.clone());
        self.lost.get_or_insert(lost);
        Ok(())
    }

    /// Goes on on the CPU in place of devices that were lost: each of their colonies begins the phases again with the best solution that the
    /// host has of it, as with one that a caller gives.
    ///
    /// # Errors
    /// [`Error::Device`] where the CPU cannot take over, with the reason.
    pub(super) fn leave_lost_devices(&mut self) -> Result<()> {
        for device in self.devices.failed() {
            let Some(lost) = self.devices.lost(device).cloned() else { continue };
            self.leave(device).map_err(|error| Error::Device {
                device: lost.device,
                message: format!("{}; the CPU cannot take over: {error}", lost.message),
            })?;
        }
        Ok(())
    }

    /// Lets the CPU take over what a device had.
    fn leave(&mut self, device: usize) -> Result<()> {
        let before = self.devices.swap(device, self.devices.host(device));
        match self.runs_behind(device) {
            Ok(runs) => {
                runs.into_iter().for_each(|(colony, run)| self.runs[colony] = run);
                Ok(())
            }
            Err(error) => {
                self.devices.swap(device, before);
                Err(error)
            }
        }
    }

    /// The runs that follow on those of a device that was lost, with the numbers of their colonies.
    fn runs_behind(&self, device: usize) -> Result<Vec<(usize, Run)>> {
        let (problem, clock) = (self.form.problem(), self.clock);
        let alone = self.runs.len() == 1;
        let which: Vec<usize> =
            (0..self.runs.len()).filter(|&colony| alone || self.devices.of_colony(colony) == device).collect();
        let kept: Vec<(Vec<u32>, u64)> =
            self.runs.iter().map(|run| (run.kept.solution.clone(), run.kept.cost)).collect();
        let run = |Part { colony, recipe, backend, places }: Part| {
            let (solution, cost) = &kept[colony];
            let start = Start { solution, cost: *cost, given: true };
            Ok(Run { places, ..Run::new(clock, problem, recipe, backend, start)? })
        };
        let made = self.devices.check_memory(problem, &self.recipe, self.own_progress().cost);
        let runs = made.and_then(|()| self.devices.runs(&self.recipe, which.clone(), run));
        let mut runs: Vec<_> = which.into_iter().zip(runs.map_err(|failure| *failure.error)?).collect();
        runs.iter_mut().for_each(|(colony, run)| run.continue_from(&self.runs[*colony]));
        Ok(runs)
    }
}

impl Run {
    /// Forgets costs that the device has claimed for solutions that the host has no copy of.
    fn forget_claims(&mut self) {
        self.history.trace.retain(|point| point.cost >= self.kept.cost);
        self.progress.device_lost = true;
        self.claim.cost = self.claim.cost.max(self.kept.cost);
        if self.progress.cost < self.kept.cost {
            let found = self.history.trace.iter().find(|point| point.cost == self.kept.cost);
            (self.progress.best_iteration, self.progress.best_seconds) =
                found.map_or((0, 0.0), |point| (point.iteration, point.seconds));
            self.progress.cost = self.kept.cost;
        }
    }

    /// Takes over what is known of a run whose device was lost.
    fn continue_from(&mut self, lost: &Self) {
        let plan = self.colony.as_ref().map(|colony| colony.plan().clone());
        self.progress = lost.progress;
        self.history.trace.clone_from(&lost.history.trace);
        self.earlier = Earlier { iterations: lost.progress.iteration, kernels: lost.kernels() };
        self.kept.incumbent = lost.kept.incumbent.clone();
        (self.history.looks, self.pace.longest_submission) = (lost.history.looks, lost.pace.longest_submission);
        (self.kept.iteration, self.undo.copies) = (lost.progress.iteration, lost.undo.copies);
        (self.course.records, self.course.left_out) =
            (lost.records_until(PhaseEnded::DeviceLost), lost.course.left_out);
        if let Some(plan) = plan {
            let now = self.clock.seconds();
            self.begin_phase(&plan, now);
            self.course.note_given();
        }
    }
}
