//! When a device fails: the run ends, or goes on on the CPU where that is asked for.

use serde::Serialize;

use super::migration::seed;
use super::one::{Earlier, Run};
use super::{PhaseEnded, Progress, Solver, check_memory};
use crate::backend::{Backend, CpuBackend};
use crate::error::{Error, Result};
use crate::settings::OnDeviceLost;

/// A device that failed, so that the run went on on the CPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceLost {
    /// `wgpu` or `cuda`.
    pub backend: &'static str,
    /// The device's name.
    pub device: String,
    /// What happened.
    pub message: String,
    /// Iterations completed by then, by every colony; 0 where the device failed in the set-up, unless the run was resumed.
    pub iteration: u32,
    /// Seconds that the run had taken; of one that was resumed those before included.
    pub seconds: f64,
}

impl Solver {
    /// The solver that `begin` makes on a backend, or on the CPU where its device fails in that and the run is to go on.
    pub(super) fn on_device_or_cpu(
        on_device_lost: OnDeviceLost,
        backend: Box<dyn Backend>,
        begin: impl Fn(Box<dyn Backend>) -> Result<Self>,
    ) -> Result<Self> {
        let (name, device) = (backend.name(), backend.capabilities().device.clone());
        match begin(backend) {
            Err(Error::Device { message, .. }) if on_device_lost == OnDeviceLost::Cpu && name != "cpu" => {
                log::warn!("{device}: {message}; going on on the CPU");
                let mut solver = begin(Box::new(CpuBackend::new()))?;
                solver.runs.iter_mut().for_each(|run| run.progress.device_lost = true);
                let (iteration, seconds) = (solver.own_progress().iteration, solver.clock.seconds());
                let lost = DeviceLost { backend: name, device, message, iteration, seconds };
                Ok(Self { lost: Some(lost), ..solver })
            }
            begun => begun,
        }
    }

    /// Takes note that the device has failed, where the run is to go on without it.
    ///
    /// # Errors
    /// `error` itself where it is not, or where it says something else.
    pub(super) fn lose_device(&mut self, error: Error) -> Result<()> {
        let message = match (self.settings.on_device_lost, &error) {
            (OnDeviceLost::Cpu, Error::Device { message, .. }) if self.backend != "cpu" => message.clone(),
            _ => return Err(error),
        };
        // What the device has claimed and nobody has seen is forgotten.
        self.runs.iter_mut().for_each(Run::forget_claims);
        let Progress { iteration, .. } = self.own_progress();
        log::warn!("{error}; going on on the CPU");
        self.lost = Some(DeviceLost {
            backend: self.backend,
            device: self.device.clone(),
            message,
            iteration,
            seconds: self.clock.seconds(),
        });
        Ok(())
    }

    /// Goes on on the CPU if the device was lost: each colony begins the phases again with the best solution that the host has of it, as with
    /// one that a caller gives.
    ///
    /// # Errors
    /// [`Error::Device`] where the CPU cannot take over, with the reason.
    pub(super) fn leave_lost_device(&mut self) -> Result<()> {
        let Some(lost) = self.lost.as_ref().filter(|_| self.backend != "cpu") else { return Ok(()) };
        let refused = |error: Error| Error::Device {
            device: lost.device.clone(),
            message: format!("{}; the CPU cannot take over: {error}", lost.message),
        };
        let host = CpuBackend::new();
        let problem = self.form.problem();
        check_memory(problem, &self.recipe, self.progress().cost, &host).map_err(refused)?;
        let name = host.capabilities().device.clone();
        let next = |(colony, run): (usize, &Run)| {
            let recipe = self.recipe.clone().with_seed(seed(self.recipe.seed, colony));
            let start = (run.kept.as_slice(), run.kept_cost, true);
            let mut next = Run::new(self.clock, problem, recipe, Box::new(CpuBackend::new()), start)?;
            next.continue_from(run);
            Ok(next)
        };
        let runs = self.runs.iter().enumerate().map(next).collect::<Result<_>>().map_err(refused)?;
        (self.runs, self.backend, self.device) = (runs, host.name(), name);
        Ok(())
    }
}

impl Run {
    /// Forgets costs that the device has claimed for solutions that the host has no copy of.
    fn forget_claims(&mut self) {
        self.trace.retain(|point| point.cost >= self.kept_cost);
        self.progress.device_lost = true;
        self.own_cost = self.own_cost.max(self.kept_cost);
        if self.progress.cost < self.kept_cost {
            let found = self.trace.iter().find(|point| point.cost == self.kept_cost);
            (self.progress.best_iteration, self.progress.best_seconds) =
                found.map_or((0, 0.0), |point| (point.iteration, point.seconds));
            self.progress.cost = self.kept_cost;
        }
    }

    /// Takes over what is known of a run whose device was lost.
    fn continue_from(&mut self, lost: &Self) {
        let plan = self.colony.as_ref().map(|colony| colony.plan().clone());
        self.progress = lost.progress;
        self.trace.clone_from(&lost.trace);
        self.earlier = Earlier { iterations: lost.progress.iteration, kernels: lost.kernels() };
        self.incumbent = lost.incumbent.clone();
        (self.looks, self.longest_submission) = (lost.looks, lost.longest_submission);
        (self.kept_at, self.copies) = (lost.progress.iteration, lost.copies);
        self.records = lost.records_until(PhaseEnded::DeviceLost);
        if let Some(plan) = plan {
            let now = self.clock.seconds();
            self.begin_phase(&plan, now);
        }
    }
}
